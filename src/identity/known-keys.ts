// The identity of a Proviso that was given none: keys that are kept with the ledger, and those of the key file where there is one. Read
// each time, so that a key made a moment ago opens and one just revoked does not.
import { existsSync } from 'node:fs'
import type { Identity, KeyStore } from '../contract/approval/identity.ts'
import type { Clock } from '../json/clock.ts'
import { defaultKeyFile, fileKeyStore } from './file-key-store.ts'
import { identityOf } from './identity-of.ts'

export interface KnownKeys {
  readonly ledger: KeyStore | undefined
  readonly clock: Clock
  readonly file?: string
}

/** Undefined where there is no key. */
export function knownKeys({ ledger, clock, file = defaultKeyFile }: KnownKeys): () => Promise<Identity | undefined> {
  const inFile = fileKeyStore(file)
  const ofFile = identityOf(inFile, clock)
  const ofLedger = ledger === undefined ? undefined : identityOf(ledger, clock)
  return async () => {
    const hasFile = existsSync(file)
    if (!hasFile && ofLedger === undefined) return undefined
    return {
      async verify(credential) {
        return (await ofLedger?.verify(credential)) ?? (hasFile ? ofFile.verify(credential) : undefined)
      },
    }
  }
}
