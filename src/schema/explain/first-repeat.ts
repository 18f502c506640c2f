// The first two equal items of an array, in linear time: scalars are their own key, the rest known by canonical text.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/value.ts'

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
    if (seen.size === size) return [indexOf(items, key, compound), index]
  }
  return undefined
}

function indexOf(items: readonly JsonValue[], key: JsonValue, compound: boolean): number {
  if (!compound) return items.indexOf(key)
  return items.findIndex((item) => isCompound(item) && canonicalize(item) === key)
}

function isCompound(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null
}
