// `proviso keys`: credentials of people, agents and services. They are kept with the ledger where one is named, else in .proviso/keys.json
// below the working folder. The text of a key is printed once, when it is made.
import { dirname, resolve } from 'node:path'
import { type KeyStore, principalKinds, type StoredKey } from '../contract/approval/identity.ts'
import { defaultKeyFile, fileKeyStore } from '../identity/file-key-store.ts'
import { issueKey } from '../identity/key.ts'
import { type EpochMs, epochMs, systemClock, toIso } from '../json/clock.ts'
import {
  type CommandBody,
  type CommandIo,
  type CommandResult,
  done,
  jsonOption,
  misuse,
  runActions,
} from './command.ts'
import { hideFromGit, ledgerOptions, namedLedger } from './ledger/ledger-place.ts'
import { openLedger } from './ledger/open-ledger.ts'
import { lineText } from './plain-text.ts'
import { type Column, printList, printResult } from './print.ts'

export const keysCommand: CommandBody = {
  arguments: [
    { syntax: '<action>', about: 'create, list or revoke' },
    { syntax: '[key]', about: 'with revoke: id of the key' },
  ],
  options: [
    { flags: '--user <name>', about: 'with create: whose key it is' },
    { flags: '--kind <kind>', about: 'with create: person, agent or service (default: person); only people decide' },
    { flags: '--tenant <name>', about: 'tenant of the key (default: default); with list: only its keys' },
    { flags: '--role <name>', about: 'with create: a role, such as approver, operator or compliance', repeats: true },
    {
      flags: '--installation-role <name>',
      about: 'with create: a role for what all tenants share; operator approves pins',
      repeats: true,
    },
    { flags: '--scope <name>', about: 'with create: a scope', repeats: true },
    { flags: '--agent <name>', about: 'with create: the agent, for a key of kind agent' },
    { flags: '--expires <when>', about: 'with create: days, such as 90d, or an instant (default: never)' },
    ...ledgerOptions,
    jsonOption,
  ],
  examples: [
    'proviso keys create --user ann --role approver',
    'proviso keys create --user ann --installation-role operator',
    'proviso keys create --user ann --kind agent --agent billing-agent --expires 30d --json',
    'proviso keys list',
    'proviso keys revoke 4jB7mQpX2RwK',
  ],
  exits: [
    'made, listed or revoked',
    'with revoke: it was revoked before',
    'wrong usage, no such key, or no place for keys',
  ],
  run: runActions('keys', {
    create: { run: (io) => withKeyStore(io, (store, place) => createKey(store, place, io)) },
    list: { run: (io) => withKeyStore(io, (store) => listKeys(store, io)) },
    revoke: { takes: 'KEY', asks: 'which key', run: (io) => withKeyStore(io, (store) => revokeKey(store, io)) },
  }),
}

async function withKeyStore(
  io: CommandIo,
  use: (store: KeyStore, place: string) => Promise<CommandResult>,
): Promise<CommandResult> {
  if (namedLedger(io) === undefined) return use(hiddenKeyStore(resolve(io.folder, defaultKeyFile)), defaultKeyFile)
  const opened = await openLedger(io, { make: true, log: { sequence: false } })
  if (!opened.ok) return opened.result
  const { keys } = opened.value
  try {
    return keys === undefined ? misuse('This ledger keeps no keys.') : await use(keys, 'the ledger')
  } finally {
    await opened.value.close()
  }
}

function hiddenKeyStore(file: string): KeyStore {
  const store = fileKeyStore(file)
  return {
    ...store,
    async save(key) {
      await hideFromGit(dirname(file))
      await store.save(key)
    },
  }
}

async function createKey(store: KeyStore, place: string, io: CommandIo): Promise<CommandResult> {
  const user = io.option('user')
  if (user === undefined) return misuse('Say whose key it is: --user NAME.')
  const kind = principalKinds.find((known) => known === (io.option('kind') ?? 'person'))
  if (kind === undefined) return misuse(`A key is made for one of ${principalKinds.join(', ')}: --kind KIND.`)
  const expiry = expiryOf(io.option('expires'))
  if (expiry === 'unreadable')
    return misuse('--expires takes a number of days, such as 90d, or an instant in ISO 8601.')
  const { text: secret, key } = await issueKey(store, {
    user,
    kind,
    tenant: io.option('tenant'),
    roles: io.optionList('role'),
    installationRoles: io.optionList('installationRole'),
    scopes: io.optionList('scope'),
    agent: io.option('agent'),
    expiresAt: expiry,
  })
  if (!io.json) io.note(`The key of ${lineText(key.user)}, kept in ${place} as a digest. It is shown this once:`)
  printResult(io, { ...wireKey(key, systemClock.now()), key: secret }, secret)
  if (!io.json) io.note(io.colours.dim('Put it into PROVISO_KEY, or into a file that only its owner may read.'))
  return done(true)
}

async function listKeys(store: KeyStore, io: CommandIo): Promise<CommandResult> {
  const now = systemClock.now()
  const keys = (await store.list(io.option('tenant'))).map((key) => wireKey(key, now))
  return printList(io, keys, {
    columns: keyColumns,
    wire: (key) => key,
    none: 'There are no keys. proviso keys create makes one.',
  })
}

async function revokeKey(store: KeyStore, io: CommandIo): Promise<CommandResult> {
  const [id = ''] = io.words
  const now = systemClock.now()
  const before = await store.find(id)
  const key = before === undefined ? undefined : await store.revoke(id, now)
  if (before === undefined || key === undefined)
    return misuse(`There is no key ${id.slice(0, 64)}.`, ['proviso keys list shows them by their ids.'])
  const fresh = before.revokedAt === undefined
  const sentence = fresh ? `Revoked: ${id} of ${lineText(key.user)}.` : `${id} was revoked before.`
  return printResult(io, { ...wireKey(key, now), revoked_now: fresh }, sentence, fresh)
}

function expiryOf(word: string | undefined): EpochMs | undefined | 'unreadable' {
  if (word === undefined) return undefined
  const [, days] = /^(\d{1,5})d$/.exec(word) ?? []
  if (days !== undefined) return epochMs(systemClock.now() + Number(days) * 86_400_000)
  const at = /^\d{4}-\d{2}-\d{2}/.test(word) ? Date.parse(word) : Number.NaN
  return Number.isFinite(at) ? epochMs(at) : 'unreadable'
}

function wireKey(key: StoredKey, now: EpochMs) {
  const { expiresAt, revokedAt } = key
  const isOver = expiresAt !== undefined && !(now < expiresAt)
  return {
    id: key.id,
    tenant: key.tenant,
    user: key.user,
    kind: key.kind,
    roles: key.roles,
    installation_roles: key.installationRoles ?? [],
    scopes: key.scopes,
    agent: key.agent ?? null,
    status: revokedAt !== undefined ? 'revoked' : isOver ? 'over' : 'valid',
    created_at: toIso(key.createdAt),
    expires_at: expiresAt === undefined ? null : toIso(expiresAt),
    revoked_at: revokedAt === undefined ? null : toIso(revokedAt),
  }
}

const keyColumns: readonly Column<ReturnType<typeof wireKey>>[] = [
  { title: 'key', text: ({ id }) => id },
  { title: 'tenant', text: ({ tenant }) => tenant },
  { title: 'user', text: ({ user }) => user },
  { title: 'kind', text: ({ kind }) => kind },
  {
    title: 'roles',
    text: ({ roles, installation_roles: shared }) =>
      [...roles, ...shared.map((role) => `${role} of the installation`)].join(',') || '-',
  },
  { title: 'scopes', text: ({ scopes }) => String(scopes) || '-' },
  { title: 'status', text: ({ status }) => status },
  { title: 'expires', text: ({ expires_at: end }) => end ?? 'never' },
]
