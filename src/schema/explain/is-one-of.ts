// Membership in the list of an enum.
import type { JsonValue } from '../../json/value.ts'
import { equalJson } from '../json-equality.ts'

export function isOneOf(value: JsonValue, allowed: readonly JsonValue[]): boolean {
  if (typeof value !== 'object' || value === null) return allowed.includes(value)
  return allowed.some((one) => equalJson(one, value))
}
