// What the trials came to, counted. A problem is never only a number: it keeps the operation and the point it was found at.

import type { HistoriesJudged } from './histories.ts'

export interface Judgement {
  readonly fired: number
  readonly lost: readonly string[]
  readonly stuck: readonly string[]
  readonly factsMissing: readonly string[]
  readonly falseAnswers: readonly string[]
  readonly recovered: boolean
  readonly held: boolean
  /** People who were asked, or still are, where no person had to be. */
  readonly heldNeedlessly: readonly string[]
}

export interface Counts {
  readonly points: number
  readonly runs: number
  readonly max_fired: number
  readonly double_effects: number
  readonly lost_acknowledged: number
  readonly stuck: number
  readonly facts_missing: number
  readonly false_answers: number
  readonly recovered: number
  readonly held: number
  readonly held_needlessly: number
  /** Points that were to be reached and were not: the run still counts, its point does not. */
  readonly unreached: number
}

/** What was recorded of operations, held to the model of the protocol. */
export interface HistoryCounts {
  readonly recorded: number
  readonly paths: number
  readonly not_paths: number
  /** Why some were not judged, and how many. */
  readonly left_out: Readonly<Record<string, number>>
}

export interface Tally {
  point(label: string): void
  unreached(label: string): void
  add(where: string, judgement: Judgement): void
  /** Something that has no operation of its own. */
  fail(where: string, what: string): void
  histories(judged: HistoriesJudged): void
  counts(): Counts
  historyCounts(): HistoryCounts
  readonly problems: readonly string[]
  readonly points: ReadonlySet<string>
  readonly missed: readonly string[]
}

export function createTally(): Tally {
  const points = new Set<string>()
  const problems: string[] = []
  const sums = { runs: 0, doubles: 0, lost: 0, stuck: 0, facts: 0, falsehoods: 0, recovered: 0, held: 0, needless: 0 }
  let maxFired = 0
  const unreached: string[] = []
  const histories = { recorded: 0, paths: 0, not_paths: 0, left_out: {} as Record<string, number> }
  const note = (where: string, what: string) => problems.push(`${where}: ${what}`)

  return {
    points,
    problems,
    missed: unreached,
    point: (label) => void points.add(label),
    unreached(label) {
      unreached.push(label)
    },
    fail(where, what) {
      sums.stuck++
      note(where, what)
    },
    add(where, judgement) {
      const { fired, lost, stuck, factsMissing, falseAnswers, heldNeedlessly } = judgement
      sums.runs++
      maxFired = Math.max(maxFired, fired)
      if (fired > 1) {
        sums.doubles++
        note(where, `double execution: the effect is there ${fired} times`)
      }
      for (const what of lost) note(where, `lost: ${what}`)
      for (const what of stuck) note(where, `stuck: ${what}`)
      for (const what of factsMissing) note(where, `lost fact: ${what}`)
      for (const what of falseAnswers) note(where, `false answer: ${what}`)
      for (const what of heldNeedlessly) note(where, `needless hold: ${what}`)
      sums.lost += lost.length
      sums.stuck += stuck.length
      sums.facts += factsMissing.length
      sums.falsehoods += falseAnswers.length
      sums.recovered += judgement.recovered ? 1 : 0
      sums.held += judgement.held ? 1 : 0
      sums.needless += heldNeedlessly.length > 0 ? 1 : 0
    },
    histories({ recorded, paths, notPaths, leftOut }) {
      const { left_out } = histories
      for (const [why, count] of Object.entries(leftOut)) left_out[why] = (left_out[why] ?? 0) + count
      histories.recorded += recorded
      histories.paths += paths
      histories.not_paths += notPaths.length
      for (const what of notPaths) note('histories', `no path of the model: ${what}`)
    },
    historyCounts: () => histories,
    counts: () => ({
      points: points.size,
      runs: sums.runs,
      max_fired: maxFired,
      double_effects: sums.doubles,
      lost_acknowledged: sums.lost,
      stuck: sums.stuck,
      facts_missing: sums.facts,
      false_answers: sums.falsehoods,
      recovered: sums.recovered,
      held: sums.held,
      held_needlessly: sums.needless,
      unreached: unreached.length,
    }),
  }
}
