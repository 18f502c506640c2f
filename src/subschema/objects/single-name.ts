// Keys that are exactly one name: most claims on properties are.
import type { Formula } from '../solver/formula.ts'

/** The name, if the keys are exactly one. */
export function singleName(keys: Formula): string | undefined {
  if (keys.kind !== 'literal' || keys.literal.kind !== 'in' || !keys.literal.holds) return undefined
  const { values } = keys.literal
  const [name] = values
  return values.length === 1 && typeof name === 'string' ? name : undefined
}
