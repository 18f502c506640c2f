// Small changes of a value, for finding its neighbours; whether a neighbour obeys is for the validator to say.
import { isObject, type JsonValue } from '../../json/value.ts'
import type { Seeded } from './seeded.ts'

export function varyValue(value: JsonValue, others: readonly JsonValue[], seeded: Seeded): JsonValue {
  if (typeof value === 'number') return value + seeded.pick([1, -1, 0.5, 10, -10, 0.1])
  if (typeof value === 'string') return varyText(value, seeded)
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return varyList(value, others, seeded)
  if (isObject(value)) return varyObject(value, others, seeded)
  return seeded.pick<JsonValue>([0, '', false, [], {}])
}

function varyText(text: string, seeded: Seeded): string {
  const at = seeded.below(text.length + 1)
  const sign = seeded.pick(['a', 'b', 'x', '0', '7', '-', ' ', 'é'])
  return seeded.below(3) === 0 ? text.slice(0, at) + text.slice(at + 1) : text.slice(0, at) + sign + text.slice(at)
}

function varyList(items: readonly JsonValue[], others: readonly JsonValue[], seeded: Seeded): JsonValue {
  const at = seeded.below(items.length + 1)
  const choice = seeded.below(3)
  if (choice === 0 || items.length === 0) {
    const parts = others.flatMap((other) => (Array.isArray(other) ? other : [])) as readonly JsonValue[]
    return items.toSpliced(at, 0, parts[seeded.below(Math.max(1, parts.length))] ?? null)
  }
  const index = Math.min(at, items.length - 1)
  if (choice === 1) return items.toSpliced(index, 1)
  return items.with(index, varyValue(items[index] as JsonValue, others, seeded))
}

function varyObject(
  object: { readonly [key: string]: JsonValue },
  others: readonly JsonValue[],
  seeded: Seeded,
): JsonValue {
  const donors = others.filter((other) => isObject(other))
  const donor = donors[seeded.below(Math.max(1, donors.length))] ?? {}
  const names = Object.keys(object)
  const choice = seeded.below(3)
  const name = names[seeded.below(Math.max(1, names.length))]
  if (choice === 0 || name === undefined) {
    const entries = Object.entries(donor)
    const entry = entries[seeded.below(Math.max(1, entries.length))]
    return entry === undefined ? object : { ...object, [entry[0]]: entry[1] }
  }
  if (choice === 1) return Object.fromEntries(Object.entries(object).filter(([own]) => own !== name))
  return { ...object, [name]: varyValue(object[name] as JsonValue, others, seeded) }
}
