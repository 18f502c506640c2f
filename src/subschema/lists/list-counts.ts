// Arrays with counted claims (`contains`): every position takes one of the ways in which it can obey or disobey the
// counted claims, and the counts that can be reached are followed position by position.
import type { ProverEngine } from '../solver/engine.ts'
import type { SchemaClaim } from '../solver/formula.ts'
import { empty, type Gap, type SearchOutcome, unknown } from '../solver/outcome.ts'
import { type ArrayShape, fill } from './array-shape.ts'
import { assignDistinct } from './list-matching.ts'
import { assignRepeated } from './list-repeats.ts'

/** One way to fill a position: its claims, and which counts it adds to. */
interface Way {
  readonly claims: readonly SchemaClaim[]
  readonly adds: readonly boolean[]
}

/** A reachable vector of counts, and the ways that led there. */
interface Reached {
  readonly counts: readonly number[]
  readonly way?: Way
  readonly before?: Reached
}

const maxCounts = 6

export function solveCounted(engine: ProverEngine, shape: ArrayShape): SearchOutcome {
  if (shape.counts.length > maxCounts) {
    return unknown({ construct: 'contains', reason: `More than ${maxCounts} counted constraints meet on one array` })
  }
  const gaps: Gap[] = []
  const found = new Map<number, readonly Way[]>()
  const ways = (index: number): readonly Way[] => {
    const at = Math.min(index, shape.prefix)
    const known = found.get(at)
    if (known !== undefined) return known
    const fresh = waysAt(engine, shape, at, gaps)
    found.set(at, fresh)
    return fresh
  }
  const outcome = shape.unique === undefined ? follow(engine, shape, ways) : enumerate(engine, shape, ways, gaps)
  if (outcome.kind !== 'empty') return outcome
  return gaps[0] === undefined ? empty : unknown(gaps[0])
}

function waysAt(engine: ProverEngine, shape: ArrayShape, index: number, gaps: Gap[]): readonly Way[] {
  let ways: Way[] = [{ claims: shape.claimsAt(index), adds: [] }]
  for (const { from, claim } of shape.counts) {
    const split: Way[] = []
    for (const { claims, adds } of ways) {
      if (from > index) split.push({ claims, adds: [...adds, false] })
      else {
        for (const [signed, counted] of [
          [claim, true],
          [-claim, false],
        ] as const) {
          const next = { claims: [...claims, signed], adds: [...adds, counted] }
          const outcome = engine.solve(next.claims)
          if (outcome.kind === 'value') split.push(next)
          else if (outcome.kind === 'unknown') gaps.push(outcome.gap)
        }
      }
    }
    ways = split
  }
  return ways
}

/** Breadth first over lengths: which counts can be reached, each by one path. */
function follow(engine: ProverEngine, shape: ArrayShape, ways: (index: number) => readonly Way[]): SearchOutcome {
  let layer = new Map<string, Reached>([['', { counts: shape.counts.map(() => 0) }]])
  for (let length = 0; length <= shape.max; length++) {
    if (length >= shape.min) {
      for (const reached of layer.values()) {
        if (isEnough(reached.counts, shape)) return fill(engine, pathOf(reached))
      }
    }
    const next = new Map<string, Reached>()
    for (const before of layer.values()) {
      for (const way of ways(length)) {
        if (!engine.budget.spend()) return unknown(engine.outOfBudget())
        const counts = addUp(before.counts, way, shape)
        if (counts !== undefined) next.set(counts.join(' '), { counts, way, before })
      }
    }
    layer = next
  }
  return empty
}

/** Tries every path, for arrays whose items must (not) differ: there two paths with equal counts are not the same. */
function enumerate(
  engine: ProverEngine,
  shape: ArrayShape,
  ways: (index: number) => readonly Way[],
  gaps: Gap[],
): SearchOutcome {
  return extend({ counts: shape.counts.map(() => 0) }, 0, 0)

  function extend(reached: Reached, length: number, from: number): SearchOutcome {
    if (!engine.budget.spend(4)) return unknown(engine.outOfBudget())
    if (length >= shape.min && isEnough(reached.counts, shape)) {
      const positions = pathOf(reached)
      const outcome =
        shape.unique === true
          ? assignDistinct(engine, positions)
          : assignRepeated(engine, positions, positions.length, positions.length)
      if (outcome.kind === 'value') return outcome
      if (outcome.kind === 'unknown') gaps.push(outcome.gap)
    }
    if (length >= shape.max) return empty
    const options = ways(length)
    // Positions of the tail are alike: their ways are taken in one order only.
    for (let option = length > shape.prefix ? from : 0; option < options.length; option++) {
      const way = options[option] as Way
      const counts = addUp(reached.counts, way, shape)
      if (counts === undefined) continue
      const outcome = extend({ counts, way, before: reached }, length + 1, option)
      if (outcome.kind !== 'empty') return outcome
    }
    return empty
  }
}

function isEnough(counts: readonly number[], shape: ArrayShape): boolean {
  return shape.counts.every(({ min }, index) => (counts[index] as number) >= min)
}

/** The counts after one more position; undefined beyond a maximum. Without a maximum a count stops at its minimum. */
function addUp(counts: readonly number[], way: Way, shape: ArrayShape): readonly number[] | undefined {
  const sums: number[] = []
  for (const [index, { min, max }] of shape.counts.entries()) {
    const sum = (counts[index] as number) + (way.adds[index] === true ? 1 : 0)
    if (sum > max) return undefined
    sums.push(max === Number.POSITIVE_INFINITY ? Math.min(sum, min) : sum)
  }
  return sums
}

function pathOf(reached: Reached): readonly (readonly SchemaClaim[])[] {
  const positions: (readonly SchemaClaim[])[] = []
  for (let here: Reached | undefined = reached; here?.way !== undefined; here = here.before) {
    positions.push(here.way.claims)
  }
  return positions.reverse()
}
