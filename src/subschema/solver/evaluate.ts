// Tests a formula on a value of its type, which ends a search as soon as an example fits.

import { isObject, type JsonValue } from '../../json/value.ts'
import { hasUniqueItems } from '../../schema/equality.ts'
import { fitsNumber } from '../numbers/numbers.ts'
import { fitsText } from '../texts/texts.ts'
import type { ProverEngine } from './engine.ts'
import { type Formula, type Literal, singleName } from './formula.ts'

/** The cost of looking at one formula. */
export const stepsPerFormula = 0.01

/** Always exact: work is counted, but never given up. `known` keeps the answers about this value. */
export function holdsFor(
  engine: ProverEngine,
  formula: Formula,
  value: JsonValue,
  known: Map<number, boolean> = new Map(),
): boolean {
  if (formula.kind === 'constant') return formula.value
  const earlier = formula.kind === 'literal' ? undefined : known.get(formula.id)
  if (earlier !== undefined) return earlier
  engine.budget.spend(stepsPerFormula)
  if (formula.kind === 'literal') return literalHolds(engine, formula.literal, value)
  const holds = (part: Formula): boolean => holdsFor(engine, part, value, known)
  const answer = formula.kind === 'and' ? formula.parts.every(holds) : formula.parts.some(holds)
  known.set(formula.id, answer)
  return answer
}

function literalHolds(engine: ProverEngine, literal: Literal, value: JsonValue): boolean {
  if (literal.kind === 'whole') return engine.accepts(literal.claim, value)
  if (typeof value === 'string') return fitsText(literal, value)
  if (typeof value === 'number') return fitsNumber(literal, value)
  if (typeof value === 'boolean') return literal.kind === 'in' && literal.values.includes(value) === literal.holds
  if (isObject(value)) return holdsForObject(engine, literal, value)
  return value !== null && holdsForList(engine, literal, value as readonly JsonValue[])
}

function holdsForList(engine: ProverEngine, literal: Literal, items: readonly JsonValue[]): boolean {
  switch (literal.kind) {
    case 'size':
      return items.length >= literal.min && items.length <= literal.max
    case 'unique':
      engine.budget.spend(items.length * stepsPerFormula)
      return hasUniqueItems(items) === literal.holds
    case 'at':
      return literal.index >= items.length || engine.accepts(literal.claim, items[literal.index] as JsonValue)
    case 'count': {
      engine.budget.spend(items.length * stepsPerFormula)
      const counted = items.slice(literal.from).filter((item) => engine.accepts(literal.claim, item)).length
      return counted >= literal.min && counted <= literal.max
    }
    default:
      return false
  }
}

function holdsForObject(engine: ProverEngine, literal: Literal, value: { readonly [key: string]: JsonValue }): boolean {
  switch (literal.kind) {
    case 'size': {
      const { length } = Object.keys(value)
      return length >= literal.min && length <= literal.max
    }
    case 'all':
    case 'some': {
      const own = namesAmong(engine, literal.keys, value)
      const obeys = (name: string): boolean => engine.accepts(literal.claim, value[name] as JsonValue)
      return literal.kind === 'all' ? own.every(obeys) : own.some(obeys)
    }
    default:
      return false
  }
}

function namesAmong(engine: ProverEngine, keys: Formula, value: object): readonly string[] {
  const single = singleName(keys)
  if (single !== undefined) return Object.hasOwn(value, single) ? [single] : []
  const names = Object.keys(value)
  engine.budget.spend(names.length * stepsPerFormula)
  return names.filter((name) => engine.holdsForText(keys, name))
}
