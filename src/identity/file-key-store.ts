// Keys in a file that only its owner may read, `.proviso/keys.json` by default. It is replaced as a whole, under a lock between processes:
// no reader sees half of it, and no change of another process is lost. A revoked key is refused from the next look on.

import { stat } from 'node:fs/promises'
import { type KeyStore, type PrincipalKind, principalKinds, type StoredKey } from '../contract/approval/identity.ts'
import { Fault } from '../contract/fault.ts'
import { type EpochMs, epochMs, toIso } from '../json/clock.ts'
import { readJson } from '../json/read.ts'
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts'
import { withLock } from '../ledger/files/lock.ts'
import { errno, makeFolderOf, readWhole, replaceWhole } from '../ledger/files/private-file.ts'

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

/** Closed: a file that does not fit is refused as a whole, because a key that was skipped might be a revoked one. */
export type KeysReading =
  | { readonly ok: true; readonly keys: ReadonlyMap<string, StoredKey> }
  | { readonly ok: false; readonly reason: string }

const members = [
  ...['id', 'tenant', 'user', 'kind', 'roles', 'scopes', 'agent'],
  ...['created_at', 'expires_at', 'revoked_at', 'hash'],
] as const

export function writeKeys(keys: Iterable<StoredKey>): string {
  const lines = [...keys].map((key) => `    ${JSON.stringify(wireKey(key))}`)
  return `{\n  "version": 1,\n  "keys": [\n${lines.join(',\n')}\n  ]\n}\n`
}

export function readKeys(text: string): KeysReading {
  const reading = readJson(text, { maxBytes: 2 * 1_048_576, maxDepth: 6, maxValues: 1_000_000 })
  if (!reading.ok) return { ok: false, reason: reading.refusal.message }
  const file = reading.value
  if (!isObject(file) || Object.keys(file).length !== 2 || file.version !== 1 || !Array.isArray(file.keys))
    return { ok: false, reason: 'It is no list of keys, version 1.' }
  const keys = new Map<string, StoredKey>()
  const entries: readonly JsonValue[] = file.keys
  for (const [index, entry] of entries.entries()) {
    const key = isObject(entry) ? keyFromWire(entry) : undefined
    if (key === undefined) return { ok: false, reason: `Its key number ${index + 1} cannot be read.` }
    if (keys.has(key.id)) return { ok: false, reason: `The key ${key.id} is listed twice.` }
    keys.set(key.id, key)
  }
  return { ok: true, keys }
}

function wireKey(key: StoredKey): JsonObject {
  return {
    id: key.id,
    tenant: key.tenant,
    user: key.user,
    kind: key.kind,
    roles: key.roles,
    ...(key.installationRoles === undefined ? {} : { installation_roles: key.installationRoles }),
    scopes: key.scopes,
    agent: key.agent ?? null,
    created_at: toIso(key.createdAt),
    expires_at: key.expiresAt === undefined ? null : toIso(key.expiresAt),
    revoked_at: key.revokedAt === undefined ? null : toIso(key.revokedAt),
    hash: key.hash,
  }
}

function keyFromWire(entry: JsonObject): StoredKey | undefined {
  const { installation_roles: shared, ...own } = entry
  if (Object.keys(own).length !== members.length || !members.every((member) => Object.hasOwn(own, member)))
    return undefined
  const { id, tenant, user, agent, hash } = entry
  const [roles, scopes, kind] = [namesOf(entry.roles), namesOf(entry.scopes), principalKind(entry.kind)]
  const [createdAt, expiresAt, revokedAt] = [entry.created_at, entry.expires_at, entry.revoked_at].map(instantOf)
  if (typeof id !== 'string' || typeof tenant !== 'string' || typeof user !== 'string') return undefined
  const installationRoles = shared === undefined ? [] : namesOf(shared)
  if (roles === undefined || installationRoles === undefined || scopes === undefined || kind === undefined)
    return undefined
  if (createdAt === undefined || createdAt === null || expiresAt === undefined || revokedAt === undefined)
    return undefined
  if (agent !== null && typeof agent !== 'string') return undefined
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return undefined
  const times = { createdAt, expiresAt: expiresAt ?? undefined, revokedAt: revokedAt ?? undefined }
  const all = { roles, ...(shared === undefined ? {} : { installationRoles }), scopes }
  return { id, tenant, user, kind, ...all, agent: agent ?? undefined, ...times, hash }
}

function principalKind(value: JsonValue | undefined): PrincipalKind | undefined {
  return principalKinds.find((kind) => kind === value)
}

function namesOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const names: readonly JsonValue[] = value
  const texts = names.filter((name) => typeof name === 'string')
  return texts.length === names.length ? texts : undefined
}

/** Null for a moment that is not set; undefined for what is none. */
function instantOf(value: JsonValue | undefined): EpochMs | null | undefined {
  if (value === null) return null
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(at) && toIso(epochMs(at)) === value ? epochMs(at) : undefined
}
