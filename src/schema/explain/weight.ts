// How large a value is, as the steps that reading all of it takes. Kept per object, so that asking again costs nothing.
import type { JsonValue } from '../../json/value.ts'

const charactersPerStep = 64

export type Weigh = (value: JsonValue) => number

export function createWeigh(): Weigh {
  const known = new Map<JsonValue, number>()
  return function weigh(value) {
    if (typeof value === 'string') return 1 + value.length / charactersPerStep
    if (typeof value !== 'object' || value === null) return 1
    const kept = known.get(value)
    if (kept !== undefined) return kept
    let weight = 1
    for (const name in value) {
      if (Object.hasOwn(value, name)) weight += 1 + weigh((value as Readonly<Record<string, JsonValue>>)[name] ?? null)
    }
    known.set(value, weight)
    return weight
  }
}
