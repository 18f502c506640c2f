// Identity by keys: a credential opens a key that is neither revoked nor over. All other credentials are refused, and all of them look the
// same from outside; only a text that is no key at all is answered faster.
import { existsSync } from 'node:fs'
import type { Identified, Identity, KeyStore, StoredKey } from '../contract/approval/identity.ts'
import type { Clock } from '../json/clock.ts'
import { defaultKeyFile, fileKeyStore } from './file-key-store.ts'
import { opens, readCredential } from './key.ts'

export function identityOf(store: Pick<KeyStore, 'find'>, clock: Clock): Identity {
  return {
    async verify(credential) {
      const read = readCredential(credential)
      if (read === undefined) return undefined
      const key = await store.find(read.id)
      // The same work for an id that no key has.
      const isOpen = opens(read.secret, key ?? noKey)
      if (!isOpen || key === undefined || key.revokedAt !== undefined) return undefined
      // Written so that a time which is no number is never early enough.
      if (key.expiresAt !== undefined && !(clock.now() < key.expiresAt)) return undefined
      return principalOf(key)
    },
  }
}

function principalOf({ id, tenant, user, roles, installationRoles = [], scopes, agent, kind }: StoredKey): Identified {
  return {
    tenant,
    user,
    roles,
    ...(installationRoles.length === 0 ? {} : { installationRoles }),
    scopes,
    agent,
    keyId: id,
    kind,
  }
}

const noKey: StoredKey = {
  id: '',
  tenant: '',
  user: '',
  kind: 'service',
  roles: [],
  scopes: [],
  agent: undefined,
  createdAt: 0 as StoredKey['createdAt'],
  expiresAt: undefined,
  revokedAt: undefined,
  hash: '00'.repeat(32),
}

export interface KnownKeys {
  readonly ledger: KeyStore | undefined
  readonly clock: Clock
  readonly file?: string
}

/**
 * The identity of a Proviso that was given none: keys that are kept with the ledger, and those of the key file where there is one. They are
 * read each time, so that a key made a moment ago opens and one just revoked does not. Undefined where there is no key.
 */
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
