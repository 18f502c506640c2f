// How much work one explanation may take, counted in steps and not by a clock, so that the same call always ends alike.
// Invariant: once it is spent, nothing further is found, and nothing that is worked out later is kept or reported.
import type { JsonValue } from '../../json/value.ts'

export interface Effort {
  /** Takes so many steps off, of some 0.1 µs each; false when that was more than what is left. */
  spend(steps: number): boolean
  isSpent(): boolean
  /** Begins again with so many steps. */
  renew(steps: number): void
  /** All steps spent so far, for tests and measurements. */
  total(): number
}

export function createEffort(steps: number): Effort {
  let left = steps
  let before = 0
  let granted = steps
  return {
    spend(count) {
      if (left < 0) return false
      left -= count
      return left >= 0
    },
    isSpent: () => left < 0,
    renew(count) {
      before += granted - left
      granted = count
      left = count
    },
    total: () => before + granted - left,
  }
}

/** For callers that bound the work themselves: an answer that was given up would look like a refusal. */
export function endlessEffort(): Effort {
  return createEffort(Number.POSITIVE_INFINITY)
}

const charactersPerStep = 64

/** How large a value is, as the steps that reading all of it takes. Kept per object, so that asking again costs nothing. */
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

/** What was worked out once is kept: looks up a key, and fills the gap on the first visit. */
export function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined || map.has(key)) return known as V
  const made = make()
  map.set(key, made)
  return made
}
