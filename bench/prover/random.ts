// Numbers that look random and are the same on every machine for the same seed (mulberry32).

export interface Random {
  /** A whole number from 0 to below the limit. */
  below(limit: number): number
  chance(share: number): boolean
  pick<T>(values: readonly T[]): T
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, chance: (share) => next() < share, pick: (values) => values[below(values.length)] as never }
}
