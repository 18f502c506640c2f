// Null and the booleans: a handful of values, looked at one by one.
import type { JsonValue } from '../../json/value.ts'
import type { Domain } from '../solver/engine.ts'
import type { Literal, Scalar } from '../solver/literal.ts'
import { empty, found } from '../solver/outcome.ts'

export function openFinite(all: readonly JsonValue[]): Domain {
  let left = all
  const fits = (literal: Literal, value: JsonValue): boolean =>
    literal.kind === 'in' && literal.values.includes(value as Scalar) === literal.holds
  const take = (literal: Literal): void => {
    left = left.filter((value) => fits(literal, value))
  }
  return {
    admit(literal) {
      take(literal)
      return left.length > 0
    },
    take,
    refuses: (literal) => !left.some((value) => fits(literal, value)),
    several: () => ({ values: left, complete: true }),
    solve: () => (left[0] === undefined ? empty : found(left[0])),
  }
}
