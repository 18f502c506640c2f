// What ann of acme has made: a thing of every kind, each with a mark that others must not see; and those who come for it.
import {
  type CallContext,
  defineTool,
  keyring,
  openProviso,
  type Proviso,
  partialResult,
  type Saga,
  type ShownSurface,
} from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'

/** Stands in everything that ann made. */
export const mark = 'MARK-OF-ANN'

export const dimensions = ['tenant', 'user', 'agent', 'role'] as const
export type Dimension = (typeof dimensions)[number]

export const objectKinds = [
  'call',
  'held call',
  'approval',
  'grant',
  'result',
  'saga',
  'run',
  'operation',
  'limit',
  'surface',
  'tool',
  'pin',
  'version',
] as const
export type ObjectKind = (typeof objectKinds)[number]

export interface World {
  readonly proviso: Proviso
  readonly ids: Readonly<Record<ObjectKind, string>>
  readonly packetHash: string
  readonly surface: ShownSurface
  readonly saga: Saga
  /** All of it that a stranger could change, as text. */
  state(): Promise<string>
}

/** One who differs from ann in one thing. */
export interface Stranger {
  readonly dimension: Dimension
  readonly context: CallContext
  readonly credential: string
  readonly tenant: string
}

const ann: CallContext = {
  tenant: 'acme',
  user: 'ann',
  agent: 'desk',
  roles: ['admin'],
  scopes: ['notes'],
  run: 'run-of-ann',
}

/** In a run of their own. */
const hers: CallContext = { ...ann, run: 'another run' }

const people = keyring()

export async function strangers(): Promise<readonly Stranger[]> {
  const all = ['approver', 'operator', 'compliance', 'admin']
  const key = (choices: Parameters<typeof people.issue>[0]) => people.issue(choices)
  return [
    {
      dimension: 'tenant',
      context: { ...hers, tenant: 'globex' },
      credential: await key({ tenant: 'globex', user: 'gus', roles: all }),
      tenant: 'globex',
    },
    {
      dimension: 'user',
      context: { ...hers, user: 'bob' },
      credential: await key({ tenant: 'acme', user: 'bob' }),
      tenant: 'acme',
    },
    {
      dimension: 'agent',
      context: { ...hers, agent: 'other' },
      credential: await key({ tenant: 'acme', user: 'ann', kind: 'agent', agent: 'other', roles: all }),
      tenant: 'acme',
    },
    {
      dimension: 'role',
      context: { ...hers, roles: ['guest'] },
      credential: await key({ tenant: 'acme', user: 'ann', roles: ['guest'] }),
      tenant: 'acme',
    },
  ]
}

const text = {
  type: 'object',
  properties: { note: { type: 'string', maxLength: 80 } },
  additionalProperties: false,
} as const

export async function makeWorld(): Promise<World> {
  const ledger = memory()
  let writes = 0
  const tool = (name: string, execute: () => unknown, more: object = {}) =>
    defineTool({
      name,
      description: `Does ${name}.`,
      effect: 'MEDIUM_RISK_WRITE',
      input: text,
      trusted: true,
      ...more,
      execute: () => execute() as object,
    })
  const proviso = await openProviso({
    ledger,
    identity: people,
    tenants: ['acme', 'globex'],
    versions: { versioned: { current: '1.0.0' } },
    budgets: { limits: [{ id: 'user-day', kind: 'write', per: 'user', max: 50, windowSec: 86_400 }] },
    tools: [
      // Only what ann wrote bears her mark.
      tool('write', () => ({ wrote: writes++ === 0 ? mark : 'own' })),
      tool('lose', () => {
        throw new Error('gone')
      }),
      tool('pay', () => ({}), { effect: 'HIGH_RISK_EXTERNAL', verify: () => ({ status: 'verified' }) }),
      tool('read', () => ({ text: `${mark} ${'x'.repeat(5_000)}` }), {
        effect: 'READ_ONLY',
        maxInlineBytes: 1_000,
        classification: 'confidential',
      }),
      tool('secret', () => ({ of: mark }), { effect: 'READ_ONLY', roles: ['admin'] }),
      tool('later', () => ({ of: mark }), { effect: 'READ_ONLY', deferred: true, searchHint: 'later things' }),
      tool('versioned', () => ({}), { version: '1.0.0' }),
      tool('versioned', () => ({}), { version: '2.0.0' }),
      tool('part', () => partialResult({ completed: ['one'], failed: [] })),
    ],
  })
  const call = (name: string, note: string, more: CallContext = {}) =>
    proviso.call({ tool: name, arguments: { note }, callId: `${name}-1` }, { ...ann, ...more })
  const written = await call('write', 'note', { operationId: 'operation-of-ann' })
  const lost = await call('lose', mark)
  const paid = await call('pay', mark)
  const read = await call('read', mark)
  await proviso.discover('later', ann)
  const saga = proviso.saga({
    name: 'trip',
    pivot: 'pay',
    steps: [{ id: 'pay', tool: 'pay', arguments: { note: { $from: '/input/note' } } }],
  })
  const begun = await saga.start({ note: mark }, ann)
  const approver = await people.issue({ tenant: 'acme', user: 'paul', roles: ['approver', 'operator'] })
  const second = await people.issue({ tenant: 'acme', user: 'rita', roles: ['approver', 'operator'] })
  const operator = await people.issue({ tenant: 'acme', user: 'ines', installationRoles: ['operator'] })
  const wanted = {
    tool: 'pay',
    principal: 'ann',
    agent: 'desk',
    fields: { '/note': { const: mark } },
    count: 3,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const grant = await proviso.approvals.grant(wanted, { credential: approver })
  const keys = [second, await people.issue({ tenant: 'acme', user: 'sam', roles: ['approver', 'operator'] })]
  for (const credential of keys) await proviso.approvals.approve(grant.id, { credential, packetHash: grant.packetHash })
  await proviso.drift.approve('shop', [{ name: mark, inputSchema: { type: 'object' } }], { credential: operator })
  const ids: World['ids'] = {
    call: written.observation.tool_identity.call_id,
    'held call': lost.observation.tool_identity.call_id,
    approval: paid.approval?.id ?? '',
    grant: grant.id,
    result: read.result?.refs[0] ?? '',
    saga: begun.id,
    run: ann.run ?? '',
    operation: 'operation-of-ann',
    limit: 'user-day',
    surface: 'surface',
    tool: 'secret',
    pin: 'shop',
    version: 'versioned',
  }
  for (const [kind, id] of Object.entries(ids)) if (id === '') throw new Error(`The world has no ${kind}.`)
  return {
    proviso,
    ids,
    packetHash: paid.approval?.packetHash ?? '',
    surface: await proviso.surface(ann),
    saga,
    state: () => stateOf(ledger, ids),
  }
}

async function stateOf(ledger: Ledger, ids: World['ids']): Promise<string> {
  const { calls, approvals, runs, versions, pins, sagas, operations, limits } = ledger
  return JSON.stringify(
    await Promise.all([
      ...[ids.call, ids['held call']].map((id) => calls.get(id)),
      ...[ids.approval, ids.grant].map((id) => approvals.get(id)),
      approvals.grants({ tenant: 'acme' }),
      // What strangers are denied is asked about as well; it is theirs.
      Promise.resolve(calls.escalations('acme')).then((all) => all.filter(({ callId }) => callId === ids['held call'])),
      // Not when it looked last: it looks by itself.
      Promise.resolve(sagas.get(ids.saga, 'acme')).then((saga) => saga?.state),
      sagas.journal(ids.saga, 'acme'),
      runs.labels('acme', ids.run),
      [...(await runs.discovered('acme', ids.run))],
      versions.decisions(0),
      pins.list(),
      operations,
      limits,
    ]),
    (_, value: unknown) => (typeof value === 'function' ? undefined : value),
  )
}
