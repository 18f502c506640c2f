// Seeded randomness: the same seed gives the same calls on every machine, so that a finding can be run again.
export interface Random {
  /** From 0 up to, but without, `below`. */
  int(below: number): number
  chance(share: number): boolean
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T
  /** Picks by weight. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T
}

/** SplitMix32: one word of state, even enough for choosing among mutations. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const word = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const share = (): number => word() / 0x1_0000_0000
  const int = (below: number): number => Math.floor(share() * below)
  return {
    int,
    chance: (likely) => share() < likely,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('Nothing to pick from')
      return list[int(list.length)] as (typeof list)[number]
    },
    weighted: (choices) => {
      const total = choices.reduce((sum, [weight]) => sum + weight, 0)
      let left = share() * total
      for (const [weight, choice] of choices) {
        left -= weight
        if (left < 0) return choice
      }
      throw new RangeError('Nothing to choose from')
    },
  }
}
