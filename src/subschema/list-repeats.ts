// Arrays whose items must all differ, or must not: a matching of positions with values, or one pair that can be equal.
import { canonicalize } from '../json/canonical.ts'
import type { JsonValue } from '../json/value.ts'
import type { Engine } from './engine.ts'
import type { ListShape } from './lists.ts'
import type { Claim } from './literal.ts'
import { empty, found, type Gap, type Outcome, unknown } from './outcome.ts'

export function solveDistinct(engine: Engine, { min, claimsAt }: ListShape): Outcome {
  return assignDistinct(
    engine,
    Array.from({ length: min }, (_, index) => claimsAt(index)),
  )
}

/** Different values for all positions, by augmenting paths; a position with as many values as positions always finds one. */
export function assignDistinct(engine: Engine, positions: readonly (readonly Claim[])[]): Outcome {
  let gap: Gap | undefined
  const choices: (readonly JsonValue[])[] = []
  for (const claims of positions) {
    const { values, complete, gap: why } = engine.distinct(claims, positions.length)
    if (!complete && values.length < positions.length) gap ??= why
    choices.push(values)
  }
  const owners = new Map<string, number>()
  const given = new Map<number, JsonValue>()
  for (let position = 0; position < positions.length; position++) {
    if (!augment(position, new Set())) return gap === undefined ? empty : unknown(gap)
  }
  return found(positions.map((_, position) => given.get(position) as JsonValue))

  function augment(position: number, visited: Set<string>): boolean {
    for (const value of choices[position] ?? []) {
      const key = canonicalize(value)
      if (visited.has(key)) continue
      visited.add(key)
      const owner = owners.get(key)
      if (owner === undefined || augment(owner, visited)) {
        owners.set(key, position)
        given.set(position, value)
        return true
      }
    }
    return false
  }
}

export function solveRepeated(engine: Engine, shape: ListShape): Outcome {
  const { min, max, prefix, claimsAt } = shape
  const length = Math.min(max, Math.max(min, prefix + 2))
  const positions = Array.from({ length }, (_, index) => claimsAt(index))
  return assignRepeated(engine, positions, min, prefix)
}

/** Two equal items; positions from `prefix` on are alike, so two of them stand for all. */
export function assignRepeated(
  engine: Engine,
  positions: readonly (readonly Claim[])[],
  min: number,
  prefix: number,
): Outcome {
  let gap: Gap | undefined
  for (let later = 1; later < Math.min(positions.length, prefix + 2); later++) {
    for (let earlier = 0; earlier < later; earlier++) {
      const outcome = fillAround(engine, positions, { min, earlier, later })
      if (outcome.kind === 'value') return outcome
      if (outcome.kind === 'unknown') gap ??= outcome.gap
    }
  }
  return gap === undefined ? empty : unknown(gap)
}

function fillAround(
  engine: Engine,
  positions: readonly (readonly Claim[])[],
  { min, earlier, later }: { readonly min: number; readonly earlier: number; readonly later: number },
): Outcome {
  const pair = engine.solve([...(positions[earlier] ?? []), ...(positions[later] ?? [])])
  if (pair.kind !== 'value') return pair
  const values: JsonValue[] = []
  for (let index = 0; index < Math.max(min, later + 1); index++) {
    const outcome = index === earlier || index === later ? pair : engine.solve(positions[index] ?? [])
    if (outcome.kind !== 'value') return outcome
    values.push(outcome.value)
  }
  return found(values)
}
