// How much work one explanation may take, counted in steps and not by a clock, so that the same call always ends alike.
// Invariant: once it is spent, nothing further is found, and nothing that was worked out from then on is kept or told.

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

/** For those who count their work themselves: an answer that was given up would pass for a refusal. */
export function endlessEffort(): Effort {
  return createEffort(Number.POSITIVE_INFINITY)
}
