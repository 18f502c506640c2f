// Equality of JSON values by their own properties, and what follows from it for lists: membership, repeats, distinct values.
// Invariant: lists are searched in linear time. Scalars are their own key, the rest is known by its canonical text, and
// the two never meet in one set.
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

/** The positions of the first two items that are equal. */
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

export function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  const kept: JsonValue[] = []
  const scalars = new Set<JsonValue>()
  const texts = new Set<string>()
  for (const value of values) {
    const compound = typeof value === 'object' && value !== null
    const seen: Set<JsonValue> = compound ? texts : scalars
    const key = compound ? canonicalize(value) : value
    if (seen.has(key)) continue
    seen.add(key)
    kept.push(value)
  }
  return kept
}

const manyValues = 32
const sets = new WeakMap<readonly JsonValue[], ReadonlySet<JsonValue>>()

/** Membership in the list of an enum. */
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
