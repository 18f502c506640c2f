// The prover's work budget: steps counted in code, never a clock, so that the same question has the same answer anywhere.

export interface Budget {
  /** Counts work; false once the budget is used up. */
  spend(steps?: number): boolean
  readonly spent: number
}

export function createBudget(limit: number): Budget {
  let spent = 0
  return {
    spend(steps = 1) {
      spent += steps
      return spent <= limit
    },
    get spent() {
      return spent
    },
  }
}
