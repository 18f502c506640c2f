// Equality of JSON values by their own properties, and the search for equal items in linear time.
import { canonicalize } from '../json/canonical.ts'
import { isObject, type JsonValue } from '../json/value.ts'

/** Own properties only: names such as `valueOf` are data, and a missing prototype makes no difference. */
export function equalJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let index = 0; index < a.length; index++) if (!equalJson(a[index], b[index])) return false
    return true
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  for (const name of names) {
    if (!Object.hasOwn(b, name) || !equalJson(a[name] as JsonValue, b[name] as JsonValue)) return false
  }
  return true
}

/** Scalars are told apart by themselves, the rest by canonical text; the two never meet in one set. */
export function hasUniqueItems(items: readonly JsonValue[]): boolean {
  if (items.length < 2) return true
  const scalars = new Set<JsonValue>()
  const texts = new Set<string>()
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as JsonValue
    if (typeof item === 'object' && item !== null) texts.add(canonicalize(item))
    else scalars.add(item)
    if (scalars.size + texts.size <= index) return false
  }
  return true
}
