// Choices that look random and are the same for the same seed on every machine (mulberry32).

export interface Seeded {
  /** A whole number from 0 to below the limit. */
  below(limit: number): number
  /** One of the values; the list must not be empty. */
  pick<T>(values: readonly T[]): T
  chance(share: number): boolean
  shuffle<T>(values: readonly T[]): readonly T[]
}

export function createSeeded(seed: number): Seeded {
  let state = seed >>> 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return {
    below,
    pick: (values) => values[below(values.length)] as never,
    chance: (share) => below(1000) < share * 1000,
    shuffle(values) {
      const mixed = [...values]
      for (let last = mixed.length - 1; last > 0; last--) {
        const other = below(last + 1)
        const kept = mixed[last] as (typeof mixed)[0]
        mixed[last] = mixed[other] as (typeof mixed)[0]
        mixed[other] = kept
      }
      return mixed
    },
  }
}
