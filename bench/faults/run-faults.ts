// Runs the scenarios one after the other and adds up what they came to. Stopped early, it reports what there is by then.
import { createChildPool } from './child-pool.ts'
import type { PlantName } from './plants.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { startServer } from './site.ts'
import type { SweepProgress } from './sweep-progress.ts'
import { type Counts, createTally, type HistoryCounts, type Tally } from './tally.ts'

export interface FaultsOptions {
  readonly quick?: boolean
  readonly plant?: PlantName
  /** The name of the scenario that is run, or part of the names of several; all of them by default. */
  readonly only?: string
  readonly width?: number
  readonly progress?: SweepProgress
  /** Aborted when the person at the terminal has seen enough. */
  readonly signal?: AbortSignal
}

/** What one scenario came to. */
export interface Swept {
  readonly name: string
  readonly counts: Counts
  readonly histories: HistoryCounts
  readonly points: readonly string[]
  readonly problems: readonly string[]
  readonly missed: readonly string[]
  readonly seconds: number
  /** False where it was stopped before its end. */
  readonly isWhole: boolean
}

export interface FaultsResult extends Counts {
  /** Whether it was stopped: then it has not tried all it was to try. */
  readonly stopped: boolean
  /** Of these points and runs, those of sagas. */
  readonly saga_points: number
  readonly saga_runs: number
  /** Of each operation what its processes asked the ledger and were answered: a path of the model of `bench/protocol`, or a finding. */
  readonly histories: HistoryCounts
  readonly scenarios: Readonly<Record<string, Counts & { readonly seconds: number }>>
  readonly skipped: readonly string[]
  readonly problems: readonly string[]
  /** Points that were to be reached and were not. */
  readonly missed: readonly string[]
}

const listed = 40

export async function runFaults(options: FaultsOptions): Promise<FaultsResult> {
  const { quick = false, plant, only = '', width = 12, signal } = options
  const named = scenarios.filter(({ name }) => name === only)
  const chosen = named.length > 0 ? named : scenarios.filter(({ name }) => name.includes(only))
  const server = await startServer()
  const pool = createChildPool(Math.min(width, 8))
  const skipped: string[] = []
  const done: Swept[] = []
  const isStopped = () => signal?.aborted === true
  const stopped = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
  try {
    for (const { name, run } of chosen) {
      if (isStopped()) break
      const tally = createTally()
      const startedAt = performance.now()
      const progress = (total: number) => options.progress?.begin(name, total) ?? (() => undefined)
      const skip = (why: string) => void skipped.push(why)
      const running = attempt(name, tally, () => run({ pool, tally, server, quick, plant, width, progress, skip }))
      await Promise.race([running, stopped])
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10
      const swept = sweptOf(name, tally, seconds, !isStopped())
      done.push(swept)
      options.progress?.end(swept)
    }
  } finally {
    pool.end()
    await server.stop()
  }
  const ofSagas = total(done.filter(({ name }) => name.startsWith('a saga')))
  return {
    ...total(done),
    stopped: isStopped(),
    saga_points: ofSagas.points,
    saga_runs: ofSagas.runs,
    histories: historiesOf(done),
    scenarios: Object.fromEntries(done.map(({ name, counts, seconds }) => [name, { ...counts, seconds }])),
    skipped,
    missed: done.flatMap(({ missed }) => missed).slice(0, listed),
    problems: done.flatMap(({ problems }) => problems).slice(0, listed),
  }
}

/** A scenario that cannot be finished is a finding, not the end of the others. */
async function attempt(name: Scenario['name'], tally: Tally, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    tally.fail(name, error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

/** As it is now: what is under way when it is stopped fails for that reason alone. */
const sweptOf = (name: string, tally: Tally, seconds: number, isWhole: boolean): Swept => ({
  name,
  counts: tally.counts(),
  histories: tally.historyCounts(),
  points: [...tally.points],
  problems: [...tally.problems],
  missed: [...tally.missed],
  seconds,
  isWhole,
})

function historiesOf(swept: readonly Swept[]): HistoryCounts {
  const all = swept.map(({ histories }) => histories)
  const sum = (pick: (counts: HistoryCounts) => number) => all.reduce((so, counts) => so + pick(counts), 0)
  const left_out: Record<string, number> = {}
  for (const counts of all)
    for (const [why, count] of Object.entries(counts.left_out)) left_out[why] = (left_out[why] ?? 0) + count
  return {
    recorded: sum(({ recorded }) => recorded),
    paths: sum(({ paths }) => paths),
    not_paths: sum(({ not_paths }) => not_paths),
    left_out,
  }
}

function total(swept: readonly Swept[]): Counts {
  const all = swept.map(({ counts }) => counts)
  const sum = (pick: (counts: Counts) => number) => all.reduce((so, counts) => so + pick(counts), 0)
  return {
    points: new Set(swept.flatMap(({ points }) => points)).size,
    runs: sum(({ runs }) => runs),
    max_fired: Math.max(0, ...all.map(({ max_fired }) => max_fired)),
    double_effects: sum(({ double_effects }) => double_effects),
    lost_acknowledged: sum(({ lost_acknowledged }) => lost_acknowledged),
    stuck: sum(({ stuck }) => stuck),
    facts_missing: sum(({ facts_missing }) => facts_missing),
    false_answers: sum(({ false_answers }) => false_answers),
    recovered: sum(({ recovered }) => recovered),
    held: sum(({ held }) => held),
    held_needlessly: sum(({ held_needlessly }) => held_needlessly),
    unreached: sum(({ unreached }) => unreached),
  }
}

/** Of all that was recorded, so much may be left without a judgement. */
const mostLeftOut = 0.02

/** Whether nothing happened that must not happen. */
export function isClean(result: Counts & { readonly histories: HistoryCounts }): boolean {
  const { max_fired, lost_acknowledged, stuck, facts_missing, false_answers, held_needlessly, histories } = result
  const found = lost_acknowledged + stuck + facts_missing + false_answers + held_needlessly
  return max_fired <= 1 && found === 0 && areAllPaths(histories)
}

/** Histories were recorded, each that was judged is a path of the model, and almost all were judged. */
function areAllPaths({ recorded, paths, not_paths, left_out }: HistoryCounts): boolean {
  const leftOut = Object.values(left_out).reduce((so, count) => so + count, 0)
  return paths > 0 && not_paths === 0 && leftOut <= mostLeftOut * recorded
}
