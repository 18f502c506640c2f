// Processes that stood still inside an executor: their lease ran out, or the time of the call did, and no timer has told them yet. Nothing of
// what they were about to do is to be seen, on real servers and a real database.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Executor } from '../../src/contract/tool/executor.ts'
import {
  type Answer,
  type CallContext,
  type Clock,
  defineTool,
  openProviso,
  type Proviso,
  ToolError,
  type ToolSource,
} from '../../src/index.ts'
import { type EpochMs, systemClock } from '../../src/json/clock.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { sql } from '../../src/public/executors.ts'
import { answerJson, localServer } from '../execute/local-server.ts'
import { type World, type WorldRow, worldRows } from '../execute/worlds.ts'
import { asTools, type Databases, startDatabases } from '../ledger/databases.ts'
import { approveAs, people } from '../people.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.end())

interface Jump {
  readonly wall?: number
  readonly monotonic?: number
}

/** The machine's clock, of which a part of the time can be skipped: a reader of it has stood still for so long. */
function skippingClock() {
  let wall = 0
  let monotonic = 0
  return {
    now: () => (systemClock.now() + wall) as EpochMs,
    monotonic: () => systemClock.monotonic() + monotonic,
    skip(jump: Jump) {
      wall += jump.wall ?? 0
      monotonic += jump.monotonic ?? 0
    },
  } satisfies Clock & { skip(jump: Jump): void }
}

/** Longer than the lease of 15 s and the timeout of 30 s. */
const long = { wall: 40_000, monotonic: 40_000 }

const context: CallContext = { tenant: 'acme', user: 'ada', run: 'run-1' }

interface Desk {
  readonly proviso: Proviso
  readonly url: string
  /** The ledger's clock moves the lease, the other one the time of the attempt. */
  readonly clocks: Readonly<Record<'lease' | 'time', ReturnType<typeof skippingClock>>>
  /** Begins an executor that is owned, and comes to its work only when the clock has skipped. */
  standStill(whose: 'lease' | 'time', jump?: Jump): void
  close(): Promise<void>
}

/** `make` is told how an executor is made to stand still at its beginning. */
async function openDesk(
  make: (standing: (executor: Executor) => Executor) => readonly ToolSource[],
  prepare?: (url: string) => Promise<unknown>,
): Promise<Desk> {
  const clocks = { lease: skippingClock(), time: skippingClock() }
  let next: (() => void) | undefined
  const standing = (executor: Executor): Executor => ({
    ...executor,
    run(args, own) {
      expect([own.mayAct(), own.signal.aborted]).toEqual([true, false])
      next?.()
      next = undefined
      return executor.run(args, own)
    },
  })
  const url = await databases.fresh()
  await prepare?.(url)
  const ledger = await postgres(url, { ...asTools(url), clock: clocks.lease })
  const proviso = await openProviso({
    ledger,
    clock: clocks.time,
    identity: people,
    tools: make(standing),
    // Without a sandbox, programs of root need a user of their tenant.
    ...(process.geteuid?.() === 0 ? { programs: { users: { acme: 200_001 } } } : {}),
    // Recovery is for other tests.
    sweepMs: 3_600_000,
    credentials: { id: 'test', resolve: ({ ref }) => ({ kind: 'found', value: secrets.get(ref) ?? '' }) },
  })
  return {
    proviso,
    url,
    clocks,
    standStill: (whose, jump = long) => {
      next = () => clocks[whose].skip(jump)
    },
    close: () => proviso.close(),
  }
}

const secrets = new Map<string, string>()

async function call({ proviso }: Desk, args: object, callId: string): Promise<Answer> {
  const proposal = { tool: 'act_v1', arguments: args, callId }
  const answer = await proviso.call(proposal, context)
  if (answer.effect !== 'pending') return answer
  await approveAs(proviso, answer.approval?.id ?? '', 'bob')
  return proviso.call(proposal, context)
}

const told = ({ effect, observation, feedback, response }: Answer) => [
  effect,
  observation.status.taxonomy_class,
  JSON.stringify({ observation, feedback }).includes('lost touch with the ledger'),
  response.retryable,
]

const base = { name: 'act_v1', description: 'Acts once.', trusted: true } as const

function inputOf(args: object) {
  const properties = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { type: typeof value }]))
  return { type: 'object', properties, required: Object.keys(args), additionalProperties: false }
}

function toolFor(world: World, standing: (one: Executor) => Executor) {
  const { executor, effect, ports, args, credentials = new Map() } = world
  for (const [name, secret] of credentials) secrets.set(name, secret)
  return defineTool({
    ...base,
    effect,
    input: inputOf(args),
    egress: executor.connects === true || executor.kind === 'email' ? 'private_network_only' : 'none',
    connections: { loopback: true, ports },
    credentials: Object.fromEntries([...credentials.keys()].map((name) => [name, { ref: name }])),
    executor: standing(executor),
  })
}

async function deskIn(row: WorldRow, work: (world: World, desk: Desk) => Promise<void>): Promise<void> {
  const world = await row.open(databases.empty)
  const desk = await openDesk((standing) => [toolFor(world, standing)])
  try {
    await work(world, desk)
  } finally {
    await desk.close()
    await world.close()
  }
}

describe.each(worldRows)('$name, of a process that stood still', (row) => {
  it('is not done where the lease ran out meanwhile, and is done once afterwards [paused-owner-does-nothing]', () =>
    deskIn(row, async (world, desk) => {
      desk.standStill('lease')
      expect(told(await call(desk, world.args, 'one'))).toEqual(['none', 'DEPENDENCY_UNAVAILABLE', true, true])
      expect(await world.seen()).toBe(0)
      expect((await call(desk, world.args, 'two')).effect).toBe('happened')
      expect((await call(desk, world.args, 'three')).effect).toBe('happened')
      expect(await world.seen()).toBe(1)
    }))

  it('is not done where its time is over, also where its timer has not fired [paused-owner-does-nothing]', () =>
    deskIn(row, async (world, desk) => {
      desk.standStill('time')
      expect(told(await call(desk, world.args, 'one'))).toEqual(['none', 'TIMEOUT', false, expect.anything()])
      expect(await world.seen()).toBe(0)
    }))
})

describe("in the ledger's own database", () => {
  const insert = "insert into desk.notes values ('entered')"
  const tables = (url: string) =>
    onDatabase(
      url,
      'create schema desk; create table desk.notes (note text); grant usage on schema desk to proviso_tools; grant insert, select on desk.notes to proviso_tools',
    )
  const notesAt = async (url: string) => (await onDatabase(url, 'select 1 from desk.notes')).rows.length
  const statements = [{ name: 'note', access: 'write', text: insert }] as const
  const named = {
    ...base,
    effect: 'MEDIUM_RISK_WRITE',
    input: inputOf({}),
    executor: sql({ database: 'ledger', statements }),
  } as const

  it.each(['lease', 'time'] as const)(
    'statements leave nothing behind (%s) [paused-owner-does-nothing]',
    async (whose) => {
      const desk = await openDesk((standing) => [defineTool({ ...named, executor: standing(named.executor) })], tables)
      desk.standStill(whose)
      expect((await call(desk, {}, 'one')).effect).toBe('none')
      expect(await notesAt(desk.url)).toBe(0)
      expect((await call(desk, {}, 'two')).effect).toBe('happened')
      expect(await notesAt(desk.url)).toBe(1)
      await desk.close()
    },
  )

  it('what a function has done already is undone where it stands still before its end [paused-owner-does-nothing]', async () => {
    let skip: (() => void) | undefined
    const tool = (how: 'before' | 'after') =>
      defineTool({
        ...named,
        name: `${how}_v1`,
        executor: undefined,
        commits: 'ledger',
        async execute(_args: object, { sql: query }) {
          if (how === 'before') skip?.()
          await query?.(insert)
          skip?.()
          return {}
        },
      })
    const desk = await openDesk(() => [tool('before'), tool('after')], tables)
    skip = () => desk.clocks.lease.skip(long)
    for (const name of ['before_v1', 'after_v1'])
      expect((await desk.proviso.call({ tool: name, arguments: {}, callId: 'one' }, context)).effect).toBe('none')
    expect(await notesAt(desk.url)).toBe(0)
    skip = undefined
    expect((await desk.proviso.call({ tool: 'after_v1', arguments: {}, callId: 'two' }, context)).effect).toBe(
      'happened',
    )
    expect(await notesAt(desk.url)).toBe(1)
    await desk.close()
  })
})

async function onDatabase(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

describe('a function of the host', () => {
  interface Look {
    readonly mayAct: boolean
    readonly aborted: boolean
  }
  /** A tool that stands still and then looks. */
  async function lookAfter(whose: 'lease' | 'time', jump: Jump, more: Partial<CallContext> = {}): Promise<Look> {
    const looks: Look[] = []
    const desk = await openDesk(() => [
      defineTool({
        ...base,
        effect: 'MEDIUM_RISK_WRITE',
        input: inputOf({}),
        execute(_args: object, { mayAct, signal }) {
          desk.clocks[whose].skip(jump)
          looks.push({ mayAct: mayAct(), aborted: signal.aborted })
          return {}
        },
      }),
    ])
    await desk.proviso.call({ tool: 'act_v1', arguments: {} }, { ...context, ...more })
    await desk.close()
    return looks[0] ?? { mayAct: true, aborted: true }
  }

  it.each([
    ['both clocks', { wall: 20_000, monotonic: 20_000 }],
    // A machine that slept: monotonic time stood still with it.
    ['wall time alone', { wall: 20_000 }],
    // Wall time was set back meanwhile.
    ['monotonic time alone', { wall: -3_600_000, monotonic: 20_000 }],
  ])('may not act when its lease ran out by %s [longer-clock-counts]', async (_which, jump) => {
    expect(await lookAfter('lease', jump)).toEqual({ mayAct: false, aborted: false })
  })

  it.each([
    ['both clocks', { wall: 31_000, monotonic: 31_000 }],
    ['wall time alone', { wall: 31_000 }],
    ['monotonic time alone', { wall: -3_600_000, monotonic: 31_000 }],
  ])('sees its signal aborted when its time is over by %s [longer-clock-counts]', async (_which, jump) => {
    expect(await lookAfter('time', jump)).toEqual({ mayAct: false, aborted: true })
  })

  it('is held to what the caller has left, too', async () => {
    expect(await lookAfter('time', { wall: 5_000 }, { deadlineMs: 4_000 })).toEqual({ mayAct: false, aborted: true })
    expect(await lookAfter('time', { wall: 2_000 }, { deadlineMs: 4_000 })).toEqual({ mayAct: true, aborted: false })
  })

  it('may act for as long as it is in time', async () => {
    expect(await lookAfter('lease', { wall: 14_000 })).toEqual({ mayAct: true, aborted: false })
    expect(await lookAfter('time', { wall: 29_000 })).toEqual({ mayAct: true, aborted: false })
  })

  it('is not asked to wait for a timer: its own work may keep it from firing [signal-compares-time]', async () => {
    let fired = false
    let heard = 0
    let seen: unknown
    const tool = defineTool({
      ...base,
      effect: 'MEDIUM_RISK_WRITE',
      input: inputOf({}),
      timeoutMs: 50,
      execute(_args: object, { mayAct, signal }) {
        setTimeout(() => (fired = true), 60)
        signal.addEventListener('abort', () => heard++)
        const before = [mayAct(), signal.aborted]
        const end = performance.now() + 120
        while (performance.now() < end);
        seen = { before, fired, aborted: signal.aborted, mayAct: mayAct(), heard, reason: String(signal.reason) }
        signal.throwIfAborted()
      },
    })
    const proviso = await openProviso({ tools: [tool] })
    const answer = await proviso.call({ tool: 'act_v1', arguments: {} }, context)
    expect(seen).toEqual({
      before: [true, false],
      fired: false,
      aborted: true,
      mayAct: false,
      heard: 1,
      reason: 'AbortError: Its time is up.',
    })
    expect([answer.effect, answer.observation.status.taxonomy_class]).toEqual(['unknown', 'TIMEOUT'])
    await proviso.close()
  })

  it('acts no more once it has returned, also by what it has left behind', async () => {
    let left: (() => boolean) | undefined
    const tool = defineTool({
      ...base,
      effect: 'MEDIUM_RISK_WRITE',
      input: inputOf({}),
      execute(_args: object, { mayAct }) {
        left = mayAct
        return {}
      },
    })
    const proviso = await openProviso({ tools: [tool] })
    expect((await proviso.call({ tool: 'act_v1', arguments: {} }, context)).effect).toBe('happened')
    expect(left?.()).toBe(false)
    await proviso.close()
  })

  it('is given a moment to put down what it holds once it has asked, and not longer', async () => {
    const clock = skippingClock()
    const tool = (name: string, leave: () => Promise<unknown>) =>
      defineTool({
        ...base,
        name,
        effect: 'MEDIUM_RISK_WRITE',
        input: inputOf({}),
        async execute(_args: object, { mayAct }) {
          clock.skip(long)
          if (!mayAct()) await leave()
          throw new ToolError('too_late', 'Nothing was done.', { effect: 'none' })
        },
      })
    const quick = tool('quick_v1', () => new Promise((resolve) => setTimeout(resolve, 30)))
    const never = tool('never_v1', () => new Promise(() => undefined))
    const proviso = await openProviso({ tools: [quick, never], clock })
    const effectOf = async (name: string) => (await proviso.call({ tool: name, arguments: {} }, context)).effect
    expect([await effectOf('quick_v1'), await effectOf('never_v1')]).toEqual(['none', 'unknown'])
    await proviso.close()
  })
})

describe('a process that is stopped while it connects', () => {
  const program = new URL('./stopped-owner.ts', import.meta.url).pathname

  it.each([
    ['for longer than its lease', 1_000, 30_000, 'DEPENDENCY_UNAVAILABLE'],
    ['for longer than its time', 15_000, 1_000, 'TIMEOUT'],
  ])('sends nothing when it wakes: %s [paused-owner-does-nothing]', async (_how, leaseMs, timeoutMs, why) => {
    const url = await databases.fresh()
    const { promise: isStopped, resolve: stopped } = Promise.withResolvers<void>()
    const onConnection = () => {
      // It goes on only when this side has shown who it is, and that comes after this.
      child.kill('SIGSTOP')
      stopped()
    }
    await using server = await localServer(answerJson({ ok: true }), { tls: true, onConnection })
    const given = [url, server.port, leaseMs, timeoutMs].map(String)
    const child = spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'pipe', 'inherit'] })
    await isStopped
    // The pause itself.
    await sleep(1_500)
    child.kill('SIGCONT')
    expect(JSON.parse(await text(child.stdout))).toEqual(['none', why])
    expect([server.connections, server.begun]).toEqual([1, 0])
  })
})
