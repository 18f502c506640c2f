// The prover's work budget: steps counted in code, never a clock, so that the same question has the same answer anywhere.
import type { Effort } from '../../schema/judge/effort.ts'

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

/** The judge's work is drawn from the budget, but the judge never stops in the middle of an answer. */
export function paidEffort(budget: Budget): Effort {
  let total = 0
  return {
    spend(steps) {
      total += steps
      budget.spend(steps * stepsPerJudged)
      return true
    },
    isSpent: () => false,
    renew: () => undefined,
    total: () => total,
  }
}

const stepsPerJudged = 0.02
