// Keys of people, agents and services: `pvk_<id>_<secret>_<checksum>`, shown once. Kept is a digest of the secret together with all
// that the key stands for, so that a record whose tenant, roles or expiry were changed no longer fits its key.

import { timingSafeEqual } from 'node:crypto'
import { type KeyStore, type KeyTerms, principalKinds, type StoredKey } from '../contract/approval/identity.ts'
import { Fault } from '../contract/fault.ts'
import { type Clock, type EpochMs, systemClock } from '../json/clock.ts'
import { hashFields, hashJson } from '../json/hash.ts'
import { type Entropy, systemEntropy } from '../json/id.ts'

export type KeyCreation =
  /** `text` is the credential: its holder is the principal. It is kept nowhere. */
  | { readonly ok: true; readonly text: string; readonly key: StoredKey }
  | { readonly ok: false; readonly problems: readonly string[] }

export interface Credential {
  readonly id: string
  readonly secret: string
}

// Base58: no characters that look alike, and a double click selects the whole key.
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const idLength = 12
/** 58^44 is above 2^257. */
const secretLength = 44
const textLength = 'pvk_'.length + idLength + 1 + secretLength + 1 + 8
const syntax = /^pvk_([1-9A-HJ-NP-Za-km-z]{12})_([1-9A-HJ-NP-Za-km-z]{44})_([0-9a-f]{8})$/
const maxName = 256
const maxNames = 100

export function createKey(
  terms: KeyTerms,
  { clock, entropy }: { readonly clock: Clock; readonly entropy: Entropy },
): KeyCreation {
  const now = clock.now()
  const problems = problemsOf(terms, now)
  if (problems.length > 0) return { ok: false, problems }
  const id = randomText(idLength, entropy)
  const secret = randomText(secretLength, entropy)
  const { tenant, user, kind, agent, expiresAt, installationRoles = [] } = terms
  const names = {
    roles: [...new Set(terms.roles)],
    ...(installationRoles.length === 0 ? {} : { installationRoles: [...new Set(installationRoles)] }),
    scopes: [...new Set(terms.scopes)],
  }
  const kept = { id, tenant, user, kind, ...names, agent, createdAt: now, expiresAt, revokedAt: undefined }
  const text = `pvk_${id}_${secret}_${checksum(id, secret)}`
  return { ok: true, text, key: { ...kept, hash: digest(secret, kept) } }
}

/** Undefined for what was never a key, at the cost of one look: length, syntax, checksum. */
export function readCredential(text: string): Credential | undefined {
  if (typeof text !== 'string' || text.length !== textLength) return undefined
  const [, id, secret, sum] = syntax.exec(text) ?? []
  if (id === undefined || secret === undefined) return undefined
  return checksum(id, secret) === sum ? { id, secret } : undefined
}

/** In constant time: how much of a wrong secret was right cannot be measured. */
export function opens(secret: string, key: StoredKey): boolean {
  const [made, kept] = [Buffer.from(digest(secret, key), 'hex'), Buffer.from(key.hash, 'hex')]
  return kept.length === made.length && timingSafeEqual(made, kept)
}

/** A plain SHA-256 will do: the secret has 256 random bits, so there is nothing to guess that a slow hash would slow down. */
function digest(secret: string, key: Omit<StoredKey, 'hash'>): string {
  const {
    id,
    tenant,
    user,
    kind,
    roles,
    installationRoles = [],
    scopes,
    agent = null,
    createdAt,
    expiresAt = null,
  } = key
  const terms = ['proviso/key/1', secret, id, tenant, user, kind, roles, scopes, agent, createdAt, expiresAt]
  // The list is longer where there are some, so a key never fits a record that has them and one that has not.
  return hashJson(installationRoles.length === 0 ? terms : [...terms, installationRoles])
}

/** Tells a mistyped key from a wrong one, and lets a scanner of sources know ours without asking. It protects nothing. */
function checksum(id: string, secret: string): string {
  return hashFields('proviso/key-checksum/1', [id, secret]).slice(0, 8)
}

function randomText(length: number, entropy: Entropy): string {
  let text = ''
  while (text.length < length) {
    for (const byte of entropy.bytes(length - text.length)) {
      // Bytes beyond the last whole multiple of 58 would favour some characters.
      if (byte < 232) text += alphabet.charAt(byte % 58)
    }
  }
  return text
}

function problemsOf(terms: KeyTerms, now: EpochMs): readonly string[] {
  const { tenant, user, kind, roles, installationRoles = [], scopes, agent, expiresAt } = terms
  const problems: string[] = []
  if (!isName(tenant)) problems.push('A key belongs to a tenant.')
  if (!isName(user)) problems.push('A key belongs to a user.')
  if (!principalKinds.includes(kind)) problems.push(`A key is made for one of ${principalKinds.join(', ')}.`)
  if (kind === 'agent' && !isName(agent)) problems.push('The key of an agent names the agent.')
  if (kind !== 'agent' && agent !== undefined) problems.push('A key that names an agent is the key of an agent.')
  for (const [word, names] of [
    ['Roles', roles],
    ['Roles of the installation', installationRoles],
    ['Scopes', scopes],
  ] as const) {
    if (names.length > maxNames || !names.every(isName)) problems.push(`${word} are at most ${maxNames} names.`)
  }
  if (expiresAt !== undefined && !(expiresAt > now)) problems.push('The key would have ended already.')
  return problems
}

/** Names are compared and shown: none may be empty or endless, have spaces at its ends, or hold invisible characters. */
function isName(name: unknown): boolean {
  return (
    typeof name === 'string' &&
    name.length <= maxName &&
    name.trim() === name &&
    name !== '' &&
    !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)
  )
}

/** What is left out: the tenant `default`, a person, no roles, no scopes, no end. */
export type KeyChoices = Pick<KeyTerms, 'user'> & { readonly [Key in keyof KeyTerms]?: KeyTerms[Key] | undefined }

export interface IssuedKey {
  /** The credential. It is kept nowhere. */
  readonly text: string
  readonly key: StoredKey
}

/** Makes a key and keeps it: the text is for its owner, once; the store gets the digest. */
export async function issueKey(
  store: Pick<KeyStore, 'save'>,
  choices: KeyChoices,
  { clock = systemClock, entropy = systemEntropy }: { readonly clock?: Clock; readonly entropy?: Entropy } = {},
): Promise<IssuedKey> {
  const {
    tenant = 'default',
    user,
    kind = 'person',
    roles = [],
    installationRoles,
    scopes = [],
    agent,
    expiresAt,
  } = choices
  const terms = { tenant, user, kind, roles, installationRoles, scopes, agent, expiresAt }
  const created = createKey(terms, { clock, entropy })
  if (!created.ok) throw new Fault('bad_options', created.problems.join(' '), { details: created.problems })
  await store.save(created.key)
  return created
}
