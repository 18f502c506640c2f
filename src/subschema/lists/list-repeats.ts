// Arrays in which two items must be equal: one pair of positions that can hold the same value is enough.
// Positions that ask for the same are tried once, and positions with different tags not at all.
import type { JsonValue } from '../../json/value.ts'
import { indexByTags, type TagIndex } from '../keywords/tags.ts'
import type { ProverEngine } from '../solver/engine.ts'
import type { SchemaClaim } from '../solver/formula.ts'
import { empty, type Gap, type SearchOutcome, unknown, valueFound } from '../solver/outcome.ts'
import type { ArrayShape } from './array-shape.ts'

export function solveRepeated(engine: ProverEngine, shape: ArrayShape): SearchOutcome {
  const { min, max, prefix, claimsAt } = shape
  const length = Math.min(max, Math.max(min, prefix + 2))
  const positions = Array.from({ length }, (_, index) => claimsAt(index))
  return assignRepeated(engine, positions, min, prefix)
}

/** Positions that ask for the same. */
interface Kind {
  readonly claims: readonly SchemaClaim[]
  readonly first: number
  second?: number
}

/** Two equal items; positions from `prefix` on are alike, so two of them stand for all. */
export function assignRepeated(
  engine: ProverEngine,
  positions: readonly (readonly SchemaClaim[])[],
  min: number,
  prefix: number,
): SearchOutcome {
  const kinds = kindsOf(positions.slice(0, prefix + 2))
  if (!engine.budget.spend(positions.length * stepsPerPosition)) return unknown(engine.outOfBudget())
  let gap: Gap | undefined
  // Short arrays first: each pair only needs the items up to its later one.
  for (const { first, second } of kinds) {
    if (second === undefined) continue
    const outcome = fillAround(engine, positions, { min, earlier: first, later: second })
    if (outcome.kind === 'value') return outcome
    if (outcome.kind === 'unknown') gap ??= outcome.gap
  }
  const tagsOf = ({ claims }: Kind) => engine.tags.ofClaims(claims)
  const index: TagIndex<Kind> = indexByTags(kinds, tagsOf)
  for (const later of kinds) {
    for (const earlier of index.overlapping(tagsOf(later))) {
      if (earlier.first >= later.first) break
      if (!engine.budget.spend(stepsPerPair)) return unknown(engine.outOfBudget())
      const outcome = fillAround(engine, positions, { min, earlier: earlier.first, later: later.first })
      if (outcome.kind === 'value') return outcome
      if (outcome.kind === 'unknown') gap ??= outcome.gap
      if (gap?.construct === 'budget') return unknown(gap)
    }
  }
  return gap === undefined ? empty : unknown(gap)
}

const stepsPerPosition = 0.02
const stepsPerPair = 0.1

/** In the order of their first positions. */
function kindsOf(positions: readonly (readonly SchemaClaim[])[]): readonly Kind[] {
  const kinds = new Map<string, Kind>()
  for (const [index, claims] of positions.entries()) {
    const key = claims.join(' ')
    const known = kinds.get(key)
    if (known === undefined) kinds.set(key, { claims, first: index })
    else known.second ??= index
  }
  return [...kinds.values()]
}

function fillAround(
  engine: ProverEngine,
  positions: readonly (readonly SchemaClaim[])[],
  { min, earlier, later }: { readonly min: number; readonly earlier: number; readonly later: number },
): SearchOutcome {
  const pair = engine.solve([...(positions[earlier] ?? []), ...(positions[later] ?? [])])
  if (pair.kind !== 'value') return pair
  const values: JsonValue[] = []
  const length = Math.max(min, later + 1)
  if (!engine.budget.spend(length * stepsPerPosition)) return unknown(engine.outOfBudget())
  for (let index = 0; index < length; index++) {
    const outcome = index === earlier || index === later ? pair : engine.solve(positions[index] ?? [])
    if (outcome.kind !== 'value') return outcome
    values.push(outcome.value)
  }
  return valueFound(values)
}
