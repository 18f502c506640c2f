// Membership in the list of an enum.
import type { JsonValue } from '../../json/value.ts'
import { equalJson } from '../json-equality.ts'

const manyValues = 32
const sets = new WeakMap<readonly JsonValue[], ReadonlySet<JsonValue>>()

export function isOneOf(value: JsonValue, allowed: readonly JsonValue[]): boolean {
  if (typeof value === 'object' && value !== null) return allowed.some((one) => equalJson(one, value))
  return allowed.length > manyValues ? setOf(allowed).has(value) : allowed.includes(value)
}

/** Kept as long as the list: an enum of thousands may be asked for every item of an array. */
function setOf(allowed: readonly JsonValue[]): ReadonlySet<JsonValue> {
  const known = sets.get(allowed)
  if (known !== undefined) return known
  const made = new Set(allowed)
  sets.set(allowed, made)
  return made
}
