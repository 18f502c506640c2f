// Makes, lists and revokes keys. The text of a key is printed once, when it is made; nobody can print it again.
import { type KeyStore, type PrincipalKind, principalKinds, type StoredKey } from '../../contract/approval/identity.ts'
import { issueKey } from '../../identity/key.ts'
import { type EpochMs, epochMs, systemClock, toIso } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import { done, flag, type Given, misuse, type Outcome, text, texts } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'

export async function createKeyFor(store: KeyStore, given: Given, terminal: Terminal, place: string): Promise<Outcome> {
  const user = text(given, 'user')
  if (user === undefined) return misuse('Say whose key it is: --user NAME.')
  const kind = kindOf(text(given, 'kind'))
  if (kind === undefined) return misuse(`A key is made for one of ${principalKinds.join(', ')}: --kind KIND.`)
  const expiry = expiryOf(text(given, 'expires'))
  if (expiry === 'unreadable')
    return misuse('--expires takes a number of days, such as 90d, or an instant in ISO 8601.')
  const { text: secret, key } = await issueKey(store, {
    user,
    kind,
    tenant: text(given, 'tenant'),
    roles: texts(given, 'role'),
    scopes: texts(given, 'scope'),
    agent: text(given, 'agent'),
    expiresAt: expiry,
  })
  if (flag(given, 'json')) {
    terminal.out(JSON.stringify({ ...wireKey(key, systemClock.now()), key: secret }, null, 2))
    return done(true)
  }
  terminal.note(`The key of ${lineText(key.user)}, kept in ${place} as a digest. It is shown this once:`)
  terminal.out(secret)
  terminal.note(terminal.colours.dim('Put it into PROVISO_KEY, or into a file that only its owner may read.'))
  return done(true)
}

export async function listKeys(store: KeyStore, given: Given, terminal: Terminal): Promise<Outcome> {
  const now = systemClock.now()
  const keys = (await store.list(text(given, 'tenant'))).map((key) => wireKey(key, now))
  if (flag(given, 'json')) {
    terminal.out(JSON.stringify(keys, null, 2))
    return done(true)
  }
  if (keys.length === 0) terminal.note('There are no keys. proviso keys create makes one.')
  const { dim } = terminal.colours
  const titles = ['key', 'tenant', 'user', 'kind', 'roles', 'scopes', 'status', 'expires']
  const rows = keys.map(({ id, tenant, user, kind, roles, scopes, status, expires_at: end }) =>
    [id, tenant, user, kind, String(roles) || '-', String(scopes) || '-', status, end ?? 'never'].map((cell) =>
      lineText(String(cell)),
    ),
  )
  if (rows.length > 0) terminal.out(textTable([titles.map(dim), ...rows]))
  return done(true)
}

export async function revokeKey(store: KeyStore, id: string, given: Given, terminal: Terminal): Promise<Outcome> {
  const now = systemClock.now()
  const before = await store.find(id)
  const key = before === undefined ? undefined : await store.revoke(id, now)
  if (before === undefined || key === undefined)
    return misuse(`There is no key ${id.slice(0, 64)}.`, ['proviso keys list shows them by their ids.'])
  const fresh = before.revokedAt === undefined
  if (flag(given, 'json')) terminal.out(JSON.stringify({ ...wireKey(key, now), revoked_now: fresh }, null, 2))
  else terminal.out(fresh ? `Revoked: ${id} of ${lineText(key.user)}.` : `${id} was revoked before.`)
  return done(fresh)
}

function kindOf(word = 'person'): PrincipalKind | undefined {
  return principalKinds.find((kind) => kind === word)
}

function expiryOf(word: string | undefined): EpochMs | undefined | 'unreadable' {
  if (word === undefined) return undefined
  const [, days] = /^(\d{1,5})d$/.exec(word) ?? []
  if (days !== undefined) return epochMs(systemClock.now() + Number(days) * 86_400_000)
  const at = /^\d{4}-\d{2}-\d{2}/.test(word) ? Date.parse(word) : Number.NaN
  return Number.isFinite(at) ? epochMs(at) : 'unreadable'
}

function wireKey(key: StoredKey, now: EpochMs): JsonObject {
  const { expiresAt, revokedAt } = key
  const isOver = expiresAt !== undefined && !(now < expiresAt)
  return {
    id: key.id,
    tenant: key.tenant,
    user: key.user,
    kind: key.kind,
    roles: key.roles,
    scopes: key.scopes,
    agent: key.agent ?? null,
    status: revokedAt !== undefined ? 'revoked' : isOver ? 'over' : 'valid',
    created_at: toIso(key.createdAt),
    expires_at: expiresAt === undefined ? null : toIso(expiresAt),
    revoked_at: revokedAt === undefined ? null : toIso(revokedAt),
  }
}
