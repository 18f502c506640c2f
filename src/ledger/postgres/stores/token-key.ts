// What tokens are signed with: the log's key file, so that write access to the database alone is not enough to make one; without a file, a key
// that lies in the database itself, which every process on it shares.
import { Fault } from '../../../contract/fault.ts'
import type { Clock } from '../../../json/clock.ts'
import { loadOrCreateKey } from '../../log/keys/key-file.ts'
import { generateSigningKey, readSigningKey, writeSigningKey } from '../../log/keys/signing-key.ts'
import type { SigningKeys } from '../../ports/approvals.ts'
import type { Database } from '../driver/database.ts'

/** A rotation by another process is noticed after this time. */
const freshMs = 1_000

export function createTokenKey(database: Database, clock: Clock, keyFile: string | undefined) {
  let known: { readonly keys: SigningKeys; readonly readAt: number } | undefined

  return async (): Promise<SigningKeys> => {
    const now = clock.monotonic()
    if (known !== undefined && now - known.readAt < freshMs) return known.keys
    const keys = keyFile === undefined ? await keyInDatabase(database) : await keyInFile(keyFile, clock)
    known = { keys, readAt: now }
    return keys
  }
}

async function keyInFile(file: string, clock: Clock): Promise<SigningKeys> {
  const loading = await loadOrCreateKey(file, clock)
  if (!loading.ok) throw new Fault('bad_options', loading.reason)
  return { key: loading.key, publicKeys: loading.chain.map(({ publicKey }) => publicKey) }
}

async function keyInDatabase(database: Database): Promise<SigningKeys> {
  const [found] = await database.run<[string]>('signing-key', [])
  if (found === undefined) {
    await database.run('signing-key-add', [writeSigningKey(generateSigningKey())])
    // Of several processes that make one at once, all take the one that came first.
    return keyInDatabase(database)
  }
  const key = readSigningKey(found[0])
  if (key === undefined) throw new Fault('internal', 'The key in proviso.signing_keys cannot be read.')
  return { key, publicKeys: [key.publicKey] }
}
