// Arrays whose items must all differ: a matching of positions with values, by augmenting paths.
// Invariant: `empty` only where the list of values is complete for every position that cannot be served.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/value.ts'
import type { ProverEngine } from '../solver/engine.ts'
import type { SchemaClaim } from '../solver/formula.ts'
import { empty, type Gap, type SearchOutcome, unknown, valueFound } from '../solver/outcome.ts'
import type { ArrayShape } from './array-shape.ts'

export function solveDistinct(engine: ProverEngine, { min, claimsAt }: ArrayShape): SearchOutcome {
  return assignDistinct(
    engine,
    Array.from({ length: min }, (_, index) => claimsAt(index)),
  )
}

/** Positions that ask for the same, and values they may have. */
interface Kind {
  readonly positions: number[]
  readonly values: readonly Choice[]
  readonly gap: Gap | undefined
}

interface Choice {
  readonly key: string
  readonly value: JsonValue
}

const stepsPerPosition = 0.02
const stepsPerChoice = 0.02

/** Different values for all positions. A position with as many values as there are positions is always served, so it comes last. */
export function assignDistinct(engine: ProverEngine, positions: readonly (readonly SchemaClaim[])[]): SearchOutcome {
  if (!engine.budget.spend(positions.length * stepsPerPosition)) return unknown(engine.outOfBudget())
  const kinds = kindsOf(engine, positions)
  const owners = new Map<string, number>()
  const assigned: Choice[] = []
  const scarce = kinds.filter(({ values }) => values.length < positions.length)
  const gap = scarce.find((kind) => kind.gap !== undefined)?.gap
  const short = scarce.filter((kind) => kind.values.length < kind.positions.length)
  if (short.some((kind) => kind.gap === undefined)) return empty
  if (short[0]?.gap !== undefined) return unknown(short[0].gap)
  const choices = new Map<number, readonly Choice[]>()
  for (const { positions: own, values } of scarce) for (const position of own) choices.set(position, values)
  for (const position of choices.keys()) {
    const answer = augment(position)
    if (answer === 'spent') return unknown(engine.outOfBudget())
    if (answer === 'stuck') return gap === undefined ? empty : unknown(gap)
  }
  for (const { positions: own, values } of kinds) {
    if (values.length < positions.length) continue
    let next = 0
    for (const position of own) {
      while (owners.has((values[next] as Choice).key)) next++
      give(position, values[next] as Choice)
    }
  }
  return valueFound(assigned.map(({ value }) => value))

  function give(position: number, choice: Choice): void {
    owners.set(choice.key, position)
    assigned[position] = choice
  }

  /** Breadth first over values that are taken, to one that is free; then each position on the way moves on by one. */
  function augment(start: number): 'done' | 'stuck' | 'spent' {
    const wantedBy = new Map<string, number>()
    const queue = [start]
    for (const position of queue) {
      for (const choice of choices.get(position) ?? []) {
        if (wantedBy.has(choice.key)) continue
        if (!engine.budget.spend(stepsPerChoice)) return 'spent'
        wantedBy.set(choice.key, position)
        const owner = owners.get(choice.key)
        if (owner !== undefined) {
          queue.push(owner)
          continue
        }
        hand(choice, position, wantedBy)
        return 'done'
      }
    }
    return 'stuck'
  }

  function hand(free: Choice, to: number, wantedBy: ReadonlyMap<string, number>): void {
    let [choice, position]: [Choice, number | undefined] = [free, to]
    while (position !== undefined) {
      const left: Choice | undefined = assigned[position]
      give(position, choice)
      if (left === undefined) return
      choice = left
      position = wantedBy.get(left.key)
    }
  }
}

function kindsOf(engine: ProverEngine, positions: readonly (readonly SchemaClaim[])[]): readonly Kind[] {
  const kinds = new Map<string, Kind>()
  for (const [index, claims] of positions.entries()) {
    const key = claims.join(' ')
    const known = kinds.get(key)
    if (known !== undefined) {
      known.positions.push(index)
      continue
    }
    const { values, complete, gap } = engine.distinct(claims, positions.length)
    const isShort = !complete && values.length < positions.length
    engine.budget.spend(values.length * stepsPerChoice)
    kinds.set(key, {
      positions: [index],
      values: values.map((value) => ({ key: canonicalize(value), value })),
      gap: isShort ? (gap ?? engine.outOfBudget()) : undefined,
    })
  }
  return [...kinds.values()]
}
