// Keys in a file that only its owner may read, `.proviso/keys.json` by default. It is replaced as a whole, under a lock between processes:
// no reader sees half of it, and no change of another process is lost. A revoked key is refused from the next look on.
import { stat } from 'node:fs/promises'
import type { KeyStore, StoredKey } from '../contract/approval/identity.ts'
import { Fault } from '../contract/fault.ts'
import { withLock } from '../ledger/files/lock.ts'
import { errno, makeFolderOf, readWhole, replaceWhole } from '../ledger/files/private-file.ts'
import { readKeys, writeKeys } from './key-file-text.ts'

type Keys = ReadonlyMap<string, StoredKey>

export const defaultKeyFile = '.proviso/keys.json'
/** More is not read back. Some 2,500 keys. */
const maxBytes = 1_048_576

export function fileKeyStore(file: string = defaultKeyFile): KeyStore {
  let known: { readonly stamp: string; readonly keys: Keys } | undefined

  const load = async (): Promise<Keys> => {
    // Taken before the reading: what was replaced in between is read again next time.
    const stamp = await stampOf(file)
    if (known !== undefined && known.stamp === stamp) return known.keys
    const keys = await readFrom(file)
    known = { stamp, keys }
    return keys
  }

  const change = async <T>(apply: (keys: Map<string, StoredKey>) => T): Promise<T> => {
    await makeFolderOf(file)
    return withLock(`${file}.lock`, async () => {
      const before = await readFrom(file)
      const keys = new Map(before)
      const result = apply(keys)
      const text = writeKeys(keys.values())
      if (Buffer.byteLength(text) > maxBytes)
        throw new Fault('bad_options', `${file} is full: keep keys in a database, or begin another file.`)
      if (text !== writeKeys(before.values())) await replaceWhole(file, text, 0o600)
      return result
    })
  }

  return {
    save: (key) =>
      change((keys) => {
        if (keys.has(key.id)) throw new Fault('internal', `The key ${key.id} exists already.`)
        keys.set(key.id, key)
      }),
    async list(tenant) {
      const all = [...(await load()).values()]
      return tenant === undefined ? all : all.filter((key) => key.tenant === tenant)
    },
    async find(id) {
      return (await load()).get(id)
    },
    revoke: (id, at) =>
      change((keys) => {
        const key = keys.get(id)
        if (key === undefined || key.revokedAt !== undefined) return key
        const revoked = { ...key, revokedAt: at }
        keys.set(id, revoked)
        return revoked
      }),
  }
}

async function readFrom(file: string): Promise<Keys> {
  const reading = await readWhole(file, { secret: true })
  if (reading.kind === 'absent') return new Map()
  if (reading.kind === 'refused') throw new Fault('bad_options', reading.reason)
  const read = readKeys(reading.text)
  if (!read.ok) throw new Fault('bad_options', `${file} cannot be used. ${read.reason}`)
  return read.keys
}

/** Every replacement is another file, so its number, size and times tell; a change of its mode shows as well. */
async function stampOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    if (errno(error) === 'ENOENT') return 'absent'
    throw error
  }
}
