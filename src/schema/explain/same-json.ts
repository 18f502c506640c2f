// Equality of JSON values, and the search for two equal items in linear time.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/value.ts'

function isCompound(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null
}

export function sameJson(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true
  return isCompound(one) && isCompound(other) && canonicalize(one) === canonicalize(other)
}

export function isOneOf(value: JsonValue, allowed: readonly JsonValue[]): boolean {
  if (!isCompound(value)) return allowed.includes(value)
  const text = canonicalize(value)
  return allowed.some((one) => isCompound(one) && canonicalize(one) === text)
}

/** The first pair of equal items. Scalars are their own key; objects and arrays are known by their canonical text. */
export function firstRepeat(items: readonly JsonValue[]): readonly [number, number] | undefined {
  const scalars = new Set<JsonValue>()
  const texts = new Set<string>()
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as JsonValue
    const compound = isCompound(item)
    const seen: Set<JsonValue> = compound ? texts : scalars
    const key = compound ? canonicalize(item) : item
    const size = seen.size
    seen.add(key)
    if (seen.size > size) continue
    return [
      compound ? items.findIndex((one) => isCompound(one) && canonicalize(one) === key) : items.indexOf(item),
      index,
    ]
  }
  return undefined
}
