// Every public method, how a stranger asks it for a thing of ann's, and with whom it is shared by declaration. The keys are generated from
// the types: a method without a row does not compile, and a row without a method neither.
import type { Proviso, Saga, ShownSurface } from '../../src/index.ts'
import { type Dimension, mark, type ObjectKind, type Stranger, type World } from './world.ts'

type MethodsOf<T, At extends string> = {
  [Key in keyof T & string]: T[Key] extends (...given: never[]) => unknown
    ? `${At}${Key}`
    : T[Key] extends object
      ? MethodsOf<T[Key], `${At}${Key}.`>
      : never
}[keyof T & string]

/** `approvals.approve`, `calls.get` … with what `saga()` and `surface()` give. */
export type Method =
  | MethodsOf<Proviso, ''>
  | `saga().${MethodsOf<Saga, ''>}`
  | `surface().${MethodsOf<ShownSurface, ''> & 'format'}`

export type Reason = keyof typeof reasons

/** Why a cell is shared. Each is read by a person who asks who may see what. */
export const reasons = {
  host: 'Asked without a tenant, it is the host’s own view of all tenants. A host that serves several passes the tenant of its caller, and then only that tenant’s is given.',
  tenant:
    'A list or a look by id within one tenant is for the tools of its operators: users, agents and roles of a tenant are not told apart. A host that shows it to users filters by them.',
  setup: 'It works for all: it looks after what is due, opens, closes or registers, whatever the caller.',
  installation:
    'Versions, releases and pins belong to the installation and hold for every tenant. The method takes no caller; the host decides who may use it.',
  surface: 'A surface is a list of tools and not a right: what may be called is judged at the call.',
  decide:
    'Everybody of the tenant may say no: a rejection, a revocation and waking a saga that waits anyway let nothing happen.',
  role: 'A tool is for every caller with one of the roles that may see it; here the caller has it.',
  same_user: 'It is the same user, through another agent or with other roles: results and limits are a user’s own.',
} as const

export interface MethodRow {
  /** A stranger asks for the thing with this id. Undefined: the method is for no caller, and all its cells are shared. */
  readonly ask?: (world: World, stranger: Stranger, id: string) => unknown
  readonly shared: Shared
  /** Of single kinds of things, besides. */
  readonly sharedOf?: Partial<Readonly<Record<ObjectKind, Shared>>>
}

type Shared = Partial<Readonly<Record<Dimension, Reason>>>

/** A look that shows something, though not ann's mark. */
const seen = (shown: boolean) => (shown ? mark : '')

const forAll = (reason: Reason): MethodRow => ({
  shared: { tenant: reason, user: reason, agent: reason, role: reason },
})
const everyTool = { tool: { tenant: 'role', user: 'role', agent: 'role' } } as const
const inTenant = { user: 'tenant', agent: 'tenant', role: 'tenant' } as const

const propose = (tool: string, note: string) => ({ tool, arguments: { note }, callId: `${tool}-1` })

export const methods: Readonly<Record<Method, MethodRow>> = {
  call: {
    ask: ({ proviso, surface }, { context }, id) =>
      Promise.all([
        proviso.call({ tool: id, arguments: {} }, { ...context, surface }),
        proviso.call(propose('write', 'note'), { ...context, operationId: id }),
        proviso.call({ ...propose('write', 'note'), callId: id }, context),
      ]),
    shared: {},
    sharedOf: { ...everyTool, operation: { agent: 'same_user', role: 'same_user' } },
  },
  callAll: {
    ask: ({ proviso, surface }, { context }, id) =>
      Promise.all([
        proviso.callAll([{ tool: id, arguments: {} }], { ...context, surface }),
        proviso.callAll([propose('write', 'note')], { ...context, operationId: id }),
      ]),
    shared: {},
    sharedOf: { ...everyTool, operation: { agent: 'same_user', role: 'same_user' } },
  },
  stream: {
    ask: async ({ proviso, surface }, { context }, id) => {
      const answers = []
      for await (const one of proviso.stream([{ tool: id, arguments: {} }], { ...context, surface })) answers.push(one)
      return answers
    },
    shared: {},
    sharedOf: everyTool,
  },
  surface: { ask: ({ proviso }, { context }) => proviso.surface(context), shared: {} },
  prepare: forAll('setup'),
  discover: {
    ask: ({ proviso }, { context }, id) => proviso.discover('later', { ...context, run: id }),
    shared: {},
  },
  'approvals.list': { ask: ({ proviso }, { tenant }) => proviso.approvals.list({ tenant }), shared: inTenant },
  'approvals.get': { ask: ({ proviso }, { tenant }, id) => proviso.approvals.get(id, tenant), shared: inTenant },
  'approvals.approve': {
    ask: ({ proviso, packetHash }, { credential }, id) => proviso.approvals.approve(id, { credential, packetHash }),
    shared: {},
  },
  'approvals.reject': {
    ask: ({ proviso, packetHash }, { credential }, id) => proviso.approvals.reject(id, { credential, packetHash }),
    shared: { user: 'decide', role: 'decide' },
  },
  'approvals.grant': {
    ask: ({ proviso }, { credential }, id) =>
      proviso.approvals.grant(
        {
          tool: id,
          principal: 'ann',
          fields: { '/note': { any: true } },
          count: 1,
          expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
        },
        { credential },
      ),
    shared: {},
  },
  'approvals.grants': { ask: ({ proviso }, { tenant }) => proviso.approvals.grants({ tenant }), shared: inTenant },
  'approvals.revoke': {
    ask: ({ proviso }, { credential }, id) => proviso.approvals.revoke(id, { credential, reason: 'not mine' }),
    shared: { user: 'decide', role: 'decide' },
  },
  'escalations.list': {
    ask: async ({ proviso }, { tenant }) => seen((await proviso.escalations.list(tenant)).length > 0),
    shared: inTenant,
  },
  'budgets.left': {
    ask: async ({ proviso }, { context }, id) =>
      seen((await proviso.budgets.left(context)).some(({ limit, used }) => limit === id && used !== '0')),
    shared: { agent: 'same_user', role: 'same_user' },
  },
  'budgets.request': {
    ask: ({ proviso }, { context }, id) => proviso.budgets.request({ limit: id, amount: 1, why: 'more' }, context),
    shared: {},
  },
  verify: forAll('setup'),
  recover: forAll('setup'),
  saga: forAll('setup'),
  'sagas.list': { ask: ({ proviso }, { tenant }) => proviso.sagas.list({ tenant }), shared: inTenant },
  'sagas.get': { ask: ({ proviso }, { tenant }, id) => proviso.sagas.get(id, tenant), shared: inTenant },
  'sagas.journal': { ask: ({ proviso }, { tenant }, id) => proviso.sagas.journal(id, tenant), shared: inTenant },
  'sagas.resume': {
    ask: ({ proviso }, { credential }, id) => proviso.sagas.resume(id, { credential, why: 'mended', effect: 'none' }),
    shared: {},
  },
  'versions.list': forAll('installation'),
  'versions.history': forAll('installation'),
  'versions.promote': forAll('installation'),
  'versions.canary': forAll('installation'),
  'versions.rollback': forAll('installation'),
  'versions.compare': forAll('installation'),
  'releases.current': forAll('installation'),
  'releases.promote': forAll('installation'),
  'releases.rollback': forAll('installation'),
  'results.get': {
    ask: ({ proviso }, { context }, id) => proviso.results.get(id, context),
    shared: { agent: 'same_user', role: 'same_user' },
  },
  'results.page': {
    ask: ({ proviso }, { context }, id) => proviso.results.page(id, {}, context),
    shared: { agent: 'same_user', role: 'same_user' },
  },
  'drift.check': forAll('installation'),
  'drift.approve': {
    ask: ({ proviso }, { credential }, id) => proviso.drift.approve(id, [], { credential }),
    shared: {},
  },
  'drift.pins': forAll('installation'),
  'calls.list': { ask: ({ proviso }, { tenant }) => proviso.calls.list({ tenant }), shared: inTenant },
  'calls.get': { ask: ({ proviso }, { tenant }, id) => proviso.calls.get(id, tenant), shared: inTenant },
  'calls.facts': {
    ask: async ({ proviso }, { tenant }, id) => seen((await proviso.calls.facts(id, tenant)).length > 0),
    shared: inTenant,
  },
  'calls.resolve': {
    ask: ({ proviso }, { credential }, id) =>
      proviso.calls.resolve(id, { credential, effect: 'none', why: 'I looked' }),
    shared: {},
  },
  'calls.replay': forAll('host'),
  close: forAll('setup'),
  'saga().start': {
    ask: ({ saga }, { context }, id) => saga.start({ note: 'mine' } as never, { ...context, operationId: id }),
    shared: {},
  },
  'surface().format': forAll('surface'),
}
