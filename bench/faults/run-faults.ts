// Runs the scenarios one after the other and adds up what they came to.
import { createChildPool } from './child-pool.ts'
import type { PlantName } from './plants.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { startServer } from './site.ts'
import { type Counts, createTally, type Tally } from './tally.ts'

export interface FaultsOptions {
  readonly quick?: boolean
  readonly plant?: PlantName
  /** Part of the names of the scenarios that are run; all of them by default. */
  readonly only?: string
  readonly width?: number
  progress?(scenario: string, total: number): () => void
  onDone?(scenario: string, counts: Counts, seconds: number): void
}

export interface FaultsResult extends Counts {
  /** Of these points and runs, those of sagas. */
  readonly saga_points: number
  readonly saga_runs: number
  readonly scenarios: Readonly<Record<string, Counts & { readonly seconds: number }>>
  readonly skipped: readonly string[]
  readonly problems: readonly string[]
  /** Points that were to be reached and were not. */
  readonly missed: readonly string[]
}

const listed = 40

export async function runFaults(options: FaultsOptions): Promise<FaultsResult> {
  const { quick = false, plant, only = '', width = 12 } = options
  const chosen = scenarios.filter(({ name }) => name.includes(only))
  const server = await startServer()
  const pool = createChildPool(Math.min(width, 8))
  const skipped: string[] = []
  const done: { readonly name: string; readonly tally: Tally; readonly seconds: number }[] = []
  try {
    for (const { name, run } of chosen) {
      const tally = createTally()
      const startedAt = performance.now()
      const progress = (total: number) => options.progress?.(name, total) ?? (() => undefined)
      const skip = (why: string) => void skipped.push(why)
      await attempt(name, tally, () => run({ pool, tally, server, quick, plant, width, progress, skip }))
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10
      done.push({ name, tally, seconds })
      options.onDone?.(name, tally.counts(), seconds)
    }
  } finally {
    pool.end()
    await server.stop()
  }
  const ofSagas = total(done.filter(({ name }) => name.startsWith('a saga')).map(({ tally }) => tally))
  return {
    ...total(done.map(({ tally }) => tally)),
    saga_points: ofSagas.points,
    saga_runs: ofSagas.runs,
    scenarios: Object.fromEntries(done.map(({ name, tally, seconds }) => [name, { ...tally.counts(), seconds }])),
    skipped,
    missed: done.flatMap(({ tally }) => tally.missed).slice(0, listed),
    problems: done.flatMap(({ tally }) => tally.problems).slice(0, listed),
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

function total(tallies: readonly Tally[]): Counts {
  const all = tallies.map((tally) => tally.counts())
  const sum = (pick: (counts: Counts) => number) => all.reduce((so, counts) => so + pick(counts), 0)
  return {
    points: new Set(tallies.flatMap(({ points }) => [...points])).size,
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

/** Whether nothing happened that must not happen. */
export function isClean(result: Counts): boolean {
  const { max_fired, lost_acknowledged, stuck, facts_missing, false_answers, held_needlessly } = result
  return max_fired <= 1 && lost_acknowledged + stuck + facts_missing + false_answers + held_needlessly === 0
}
