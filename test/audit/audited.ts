// A ledger on a database of its own, with a key, and what the tests of the log ask of it.
import { join } from 'node:path'
import type { EpochMs } from '../../src/json/clock.ts'
import { loadOrCreateKey } from '../../src/ledger/log/keys/key-file.ts'
import type { PublicKey } from '../../src/ledger/log/keys/public-key.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { LogVerification, TransparencyLog } from '../../src/ledger/ports/transparency-log.ts'
import type { PostgresOptions } from '../../src/ledger/postgres/options.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'

export interface Audited {
  readonly ledger: Ledger
  readonly log: TransparencyLog
  publicKey(): Promise<PublicKey>
  verify(kept?: readonly string[]): Promise<LogVerification>
}

export async function openAudited(url: string, folder: string, options: PostgresOptions = {}): Promise<Audited> {
  const keyFile = join(folder, 'audit.key')
  const ledger = await postgres(url, { connections: 4, log: { keyFile, sequence: false }, ...options })
  const { log } = ledger
  if (log === undefined) throw new Error('This ledger keeps no log.')
  const publicKey = async () => {
    const loading = await loadOrCreateKey(keyFile)
    if (!loading.ok) throw new Error(loading.reason)
    return loading.key.publicKey
  }
  return { ledger, log, publicKey, verify: async (kept = []) => log.verify({ kept, keys: [await publicKey()] }) }
}

export const weeks = (count: number): number => count * 7 * 86_400_000

export const later = (count: number): EpochMs => (Date.now() + weeks(count)) as EpochMs

/** Asks again until it is so. */
export async function until(holds: () => Promise<boolean> | boolean, patienceMs = 20_000): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error('It has not come to be in time.')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
