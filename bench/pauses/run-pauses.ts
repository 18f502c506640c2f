// All runs of the measure: those with short times, a few processes asleep at a time, and those with the times that users get, all at once.
import { toolUrlOf } from '../../src/ledger/embedded/settings.ts'
import { postgres } from '../../src/ledger/index.ts'
import { hostOf, openProvisoOn } from '../faults/host.ts'
import { type Server, startServer } from '../faults/site.ts'
import { type Random, seededRandom } from '../fuzz/random.ts'
import { openEffects } from './effects.ts'
import { closePool, makeTools, type PauseKind, type Timing } from './kinds.ts'
import { type PauseRun, pauseOnce, type Scene } from './pause-run.ts'
import { type Sleeper, startSleeper, type Usual } from './sleeper.ts'
import { type PauseTally, tallyOf } from './tally-pauses.ts'
import type { Plant } from './watched-executor.ts'

export interface Pauses {
  readonly kinds: readonly PauseKind[]
  readonly runs: number
  /** So many of each kind besides, with the lease, the timeout and the horizon that users get. */
  readonly defaults: number
  /** How many processes sleep at the same time, of those with short times. */
  readonly width: number
  readonly seed: number
  /** What is wrong with the executors of the processes that sleep. */
  readonly planted: Plant | undefined
  readonly onRun?: (run: PauseRun) => void
}

export interface PausesFound {
  readonly tally: PauseTally
  /** Runs that came to no end. */
  readonly failures: readonly string[]
  readonly clean: boolean
}

/** Beyond lease and horizon, each under a second. */
export const shortTiming = { leaseMs: 600, timeoutMs: 600, horizonMs: 300 } as const satisfies Timing

interface Part {
  readonly timing: Timing
  readonly jobs: readonly PauseKind[]
  readonly width: number
  readonly sweepMs: number
  readonly pace: Pick<Scene, 'leastPauseMs' | 'mostPauseMs' | 'askEveryMs'>
}

/** What both parts write into. */
interface Course extends Pick<Scene, 'random' | 'nextOperation' | 'inTurn'> {
  readonly planted: Plant | undefined
  readonly learned: Map<PauseKind, Usual>
  add(run: PauseRun): void
  fail(why: string): void
}

export async function runPauses({ kinds, runs, defaults, width, seed, planted, onRun }: Pauses): Promise<PausesFound> {
  const short: Part = {
    timing: shortTiming,
    jobs: Array.from({ length: runs }, (_, index) => kinds[index % kinds.length] as PauseKind),
    width,
    sweepMs: 50,
    pace: { leastPauseMs: 950, mostPauseMs: 6_000, askEveryMs: 60 },
  }
  const usual: Part = {
    timing: {},
    jobs: kinds.flatMap((kind) => Array.from({ length: defaults }, () => kind)),
    // All at once: they sleep for two minutes.
    width: defaults * kinds.length,
    sweepMs: 1_000,
    pace: { leastPauseMs: 80_000, mostPauseMs: 240_000, askEveryMs: 1_000 },
  }
  const done: PauseRun[] = []
  const failures: string[] = []
  const learned = new Map<PauseKind, Usual>()
  const course: Course = {
    ...namesAndTurns(seededRandom(seed)),
    planted,
    learned,
    add(run) {
      done.push(run)
      onRun?.(run)
    },
    fail: (why) => void failures.push(why),
  }
  const server = await startServer()
  try {
    await Promise.all([short, usual].map((part) => runPart(server, part, course)))
  } finally {
    await server.stop()
  }
  const tally = tallyOf(done, kinds, learned)
  return { tally, failures, clean: tally.effects_twice === 0 && tally.none_lost && failures.length === 0 }
}

function namesAndTurns(random: Random): Pick<Course, 'random' | 'nextOperation' | 'inTurn'> {
  let operations = 0
  let last: Promise<unknown> = Promise.resolve()
  return {
    random,
    nextOperation: (kind) => `${kind.replace('_', '-')}-${++operations}`,
    inTurn(work) {
      const turn = last.then(work)
      last = turn.catch(nothing)
      return turn
    },
  }
}

async function runPart(server: Server, part: Part, course: Course): Promise<void> {
  const { timing, jobs, width, sweepMs, pace } = part
  const { random, nextOperation, inTurn } = course
  if (jobs.length === 0) return
  const site = await server.site()
  const effects = await openEffects(site)
  const begunAwake = new Set<string>()
  const watch = { began: (op: string) => void begunAwake.add(op), looked: nothing, ended: nothing }
  const { leaseMs } = timing
  const ledger = await postgres(site.url, {
    toolUrl: toolUrlOf(site.url),
    connections: 10,
    ...(leaseMs && { leaseMs }),
  })
  const proviso = await openProvisoOn(ledger, { tools: makeTools(effects.places, timing, watch), sweepMs })
  const scene: Scene = { site, effects, host: hostOf(proviso), random, begunAwake, nextOperation, inTurn, ...pace }
  const left = [...jobs]
  const lane = async () => {
    let sleeper: Sleeper | undefined
    for (let kind = left.shift(); kind !== undefined; kind = left.shift()) {
      try {
        sleeper ??= await inTurn(() => startSleeper(effects.places, timing, course.planted))
        course.add(await pauseOnce(scene, sleeper, kind))
        for (const [of, usual] of sleeper.usual) course.learned.set(of, usual)
      } catch (error) {
        course.fail(`${kind}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
        await sleeper?.kill()
        sleeper = undefined
      }
    }
    await sleeper?.kill()
  }
  await Promise.all(Array.from({ length: Math.min(width, jobs.length) }, lane))
  await proviso.close()
  await closePool(site.url)
  await effects.close()
  await site.close()
}

function nothing(): void {}
