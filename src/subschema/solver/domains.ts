// The table of domains: one per JSON type, in the order in which examples are preferred.
import type { JsonValue } from '../../json/value.ts'
import type { JsonType } from '../../schema/json-type.ts'
import { openLists } from '../lists/lists.ts'
import { openNumbers } from '../numbers/numbers.ts'
import { openRecords } from '../objects/records.ts'
import { openTexts } from '../texts/texts.ts'
import type { Domain, ProverEngine } from './engine.ts'
import type { Literal, Scalar } from './formula.ts'
import { empty, valueFound } from './outcome.ts'

export const domains: Readonly<Record<JsonType, (engine: ProverEngine) => Domain>> = {
  null: () => openFinite([null]),
  boolean: () => openFinite([true, false]),
  number: openNumbers,
  string: openTexts,
  array: openLists,
  object: openRecords,
}

export const jsonTypes = Object.keys(domains) as readonly JsonType[]

/** Null and the booleans: a handful of values, looked at one by one. */
function openFinite(all: readonly JsonValue[]): Domain {
  let left = all
  const fits = (literal: Literal, value: JsonValue): boolean =>
    literal.kind === 'in' && literal.values.includes(value as Scalar) === literal.holds
  return {
    take(literal) {
      left = left.filter((value) => fits(literal, value))
    },
    refuses: (literal) => !left.some((value) => fits(literal, value)),
    several: () => ({ values: left, complete: true }),
    solve: () => (left[0] === undefined ? empty : valueFound(left[0])),
  }
}
