// The text of a key file: snake_case, one key a line, closed. A file that is not exactly that is refused as a whole, because a key that
// was skipped might be one that was revoked.
import { type PrincipalKind, principalKinds, type StoredKey } from '../contract/approval/identity.ts'
import { type EpochMs, epochMs, toIso } from '../json/clock.ts'
import { readJson } from '../json/read.ts'
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts'

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
    const key = isObject(entry) ? keyOf(entry) : undefined
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
    scopes: key.scopes,
    agent: key.agent ?? null,
    created_at: toIso(key.createdAt),
    expires_at: key.expiresAt === undefined ? null : toIso(key.expiresAt),
    revoked_at: key.revokedAt === undefined ? null : toIso(key.revokedAt),
    hash: key.hash,
  }
}

function keyOf(entry: JsonObject): StoredKey | undefined {
  if (Object.keys(entry).length !== members.length || !members.every((member) => Object.hasOwn(entry, member)))
    return undefined
  const { id, tenant, user, agent, hash } = entry
  const [roles, scopes, kind] = [namesOf(entry.roles), namesOf(entry.scopes), kindOf(entry.kind)]
  const [createdAt, expiresAt, revokedAt] = [entry.created_at, entry.expires_at, entry.revoked_at].map(instantOf)
  if (typeof id !== 'string' || typeof tenant !== 'string' || typeof user !== 'string') return undefined
  if (roles === undefined || scopes === undefined || kind === undefined) return undefined
  if (createdAt === undefined || createdAt === null || expiresAt === undefined || revokedAt === undefined)
    return undefined
  if (agent !== null && typeof agent !== 'string') return undefined
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return undefined
  const times = { createdAt, expiresAt: expiresAt ?? undefined, revokedAt: revokedAt ?? undefined }
  return { id, tenant, user, kind, roles, scopes, agent: agent ?? undefined, ...times, hash }
}

function kindOf(value: JsonValue | undefined): PrincipalKind | undefined {
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
