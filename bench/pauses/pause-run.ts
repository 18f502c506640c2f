// One run: a process is stopped at some moment of a call and sleeps for longer than its lease, while another one looks for what became
// of it and asks for the same; then it wakes and goes on. Afterwards the world is asked how often the effect is there.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host, Told } from '../faults/host.ts'
import { heard, perform, settled } from '../faults/perform.ts'
import type { Site } from '../faults/site.ts'
import { until } from '../faults/until.ts'
import type { Random } from '../fuzz/random.ts'
import type { Effects } from './effects.ts'
import { type PauseKind, toolName } from './kinds.ts'
import type { Moment, Trace } from './paused-process.ts'
import { type Sleeper, type Usual, usualOf } from './sleeper.ts'

export interface Scene {
  readonly site: Site
  readonly effects: Effects
  /** The process that stays awake: it recovers, approves, and asks again. */
  readonly host: Host
  readonly random: Random
  /** The least that a pause lasts: beyond lease and horizon. */
  readonly leastPauseMs: number
  /** How long the one that is awake has to do it, before its owner is continued in any case. */
  readonly mostPauseMs: number
  /** Between two times that the one that is awake asks. */
  readonly askEveryMs: number
  /** What was begun by the one that is awake. */
  readonly begunAwake: ReadonlySet<string>
  nextOperation(kind: PauseKind): string
  /** One after the other, of all scenes. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

export interface PauseRun {
  readonly kind: PauseKind
  readonly op: string
  readonly moment: Moment
  /** Undefined: the call was over before its moment came. */
  readonly pausedMs: number | undefined
  /** It was stopped after the executor had begun and before it ended. */
  readonly stoppedInExecutor: boolean
  readonly fired: number
  /** The one that stayed awake began it as well: it had found nothing of it. */
  readonly madeAgain: boolean
  readonly inWindow: boolean
  readonly looks: number
  readonly refusals: number
  readonly problems: readonly string[]
}

/** So many calls of a kind tell how long it takes, in this process, after the first, which loads what it needs. */
const trials = 3
/** On a busy machine some may take longer than they may. */
const mostTrials = 10
/** A settled operation is asked for again until it is said to have happened, at most so often. */
const finalAsks = 5
const settleMs = 30_000
const stopsWithinMs = 60_000

export async function pauseOnce(scene: Scene, sleeper: Sleeper, kind: PauseKind): Promise<PauseRun> {
  const { host, effects, random, site } = scene
  const usual = sleeper.usual.get(kind) ?? (await scene.inTurn(() => learn(scene, sleeper, kind)))
  const moment: Moment = random.chance(0.75)
    ? { after: 'executor', delayMs: early(random) * usual.executorMs }
    : { after: 'call', delayMs: share(random) * usual.callMs }
  const op = scene.nextOperation(kind)
  effects.prepare(kind, op)
  const order = { id: op }
  const tool = toolName(kind)
  let stoppedAt: number | undefined
  let answered = false
  const performing = perform(
    { call: (call) => sleeper.call(call, stoppedAt === undefined ? moment : undefined) },
    { tool, order, callId: `${op}-owner` },
    host.proviso,
  ).finally(() => {
    answered = true
  })
  await until(async () => answered || sleeper.isStopped, stopsWithinMs)
  const awake: Told[] = []
  if (!answered) {
    stoppedAt = performance.now()
    awake.push(...(await askWhileItSleeps(scene, kind, op)))
  }
  // Also one that was told to sleep, and came to it late.
  const waking = setInterval(() => sleeper.wake(), 50)
  const told = heard(await performing)
  const trace = await sleeper.look()
  clearInterval(waking)
  await settled(site, op, settleMs)
  const last = await askUntilItHappened(scene, kind, op)
  const fired = await countOnceQuiet(effects, kind, op)
  return {
    kind,
    op,
    moment,
    pausedMs: trace.stop === undefined ? undefined : trace.stop.wokenAt - trace.stop.stoppedAt,
    stoppedInExecutor: isWithin(trace),
    fired,
    madeAgain: scene.begunAwake.has(op),
    inWindow: fired === 2 && wasInWindow(trace),
    looks: trace.looks.length,
    refusals: trace.refusals,
    problems: problemsOf({ op, fired, told: [...told, ...awake, ...last], last: last.at(-1), trace }),
  }
}

/** How long a call of this kind takes in this process. Undisturbed, or the moments are far from where the work is: so one at a time. */
async function learn(scene: Scene, sleeper: Sleeper, kind: PauseKind): Promise<Usual> {
  const traces: Trace[] = []
  for (let trial = 0; traces.length < trials; trial++) {
    const op = scene.nextOperation(kind)
    scene.effects.prepare(kind, op)
    const call = { tool: toolName(kind), order: { id: op }, callId: `${op}-trial` }
    const told = heard(await perform({ call: (asked) => sleeper.call(asked) }, call, scene.host.proviso))
    const last = told.at(-1)
    const trace = await sleeper.look()
    if (last?.effect === 'happened') traces.push(trace)
    else if (trial >= mostTrials)
      throw new Error(`A ${kind} call that nothing disturbs ends with ${JSON.stringify(last)}.`)
  }
  const usual = usualOf(traces.slice(1))
  sleeper.usual.set(kind, usual)
  return usual
}

async function askWhileItSleeps(scene: Scene, kind: PauseKind, op: string): Promise<readonly Told[]> {
  const { host, random, leastPauseMs, mostPauseMs, askEveryMs } = scene
  const from = performance.now()
  const slept = () => performance.now() - from
  const span = mostPauseMs - leastPauseMs
  // Most owners wake after it was done without them; the others while it is being found out, or done.
  const wakesAt = random.chance(0.75) ? mostPauseMs : leastPauseMs + (share(random) * span) / 4
  const told: Told[] = []
  for (let asked = 0; slept() < wakesAt; asked++) {
    const call = { tool: toolName(kind), order: { id: op }, callId: `${op}-awake-${asked}` }
    told.push(...heard(await perform(host, call, host.proviso)))
    if (told.at(-1)?.effect === 'happened') break
    await sleep(Math.min(askEveryMs, Math.max(0, wakesAt - slept())))
  }
  await sleep(Math.max(0, leastPauseMs - slept()) + share(random) * 300)
  return told
}

async function askUntilItHappened({ host }: Scene, kind: PauseKind, op: string): Promise<readonly Told[]> {
  const told: Told[] = []
  for (let asked = 0; asked < finalAsks; asked++) {
    const call = { tool: toolName(kind), order: { id: op }, callId: `${op}-last-${asked}` }
    told.push(...heard(await perform(host, call, host.proviso)))
    if (told.at(-1)?.effect === 'happened') break
    await sleep(200)
  }
  return told
}

/** What was on its way when its process ended the attempt may still arrive. */
async function countOnceQuiet(effects: Effects, kind: PauseKind, op: string): Promise<number> {
  let before = await effects.fired(kind, op)
  for (;;) {
    await sleep(100)
    const after = await effects.fired(kind, op)
    if (after === before) return after
    before = after
  }
}

function isWithin({ stop, beganAt, endedAt }: Trace): boolean {
  if (stop === undefined || beganAt === undefined || beganAt > stop.stoppedAt) return false
  return endedAt === undefined || endedAt > stop.stoppedAt
}

/** No executor works for longer than this between its last look and its write: one that was stopped later had looked too early. */
const windowMs = 50

/** It was stopped between its last look and its write: it had been given yes, and did not look again when it woke. */
export function wasInWindow({ looks, stop, endedAt }: Trace): boolean {
  if (stop === undefined) return false
  const before = looks.some((at) => at <= stop.stoppedAt && at >= stop.stoppedAt - windowMs)
  const after = looks.some((at) => at >= stop.wokenAt && at <= (endedAt ?? Number.POSITIVE_INFINITY))
  return before && !after
}

function problemsOf(seen: {
  readonly op: string
  readonly fired: number
  readonly told: readonly Told[]
  readonly last: Told | undefined
  readonly trace: Trace
}): readonly string[] {
  const { op, fired, told, last, trace } = seen
  const problems: string[] = []
  if (fired === 0 && told.some(({ effect }) => effect === 'happened'))
    problems.push(`${op} was told to have happened, and the world does not have it`)
  if (last?.effect !== 'happened')
    problems.push(`${op} was asked for to the end, and ended as ${last?.effect} (${last?.reason})`)
  if (trace.stillRunning) problems.push(`the executor of ${op} did not end`)
  return problems
}

/** Most of an executor waits for an answer when its effect is made: half of the moments crowd towards its beginning. */
const early = (random: Random) => (random.chance(0.5) ? share(random) : share(random) ** 3)

const share = (random: Random) => random.int(1_000_000) / 1_000_000
