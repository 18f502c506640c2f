// Rate windows and run budgets in memory. A window is fixed, not sliding: its count falls to zero when it ends.
import type { BudgetClaim } from '../../contract/settlement.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { Admission, AdmitRequest } from '../ledger.ts'

export interface Counters {
  /** Counts the call, or says why it may not run; refused calls are not counted. */
  claim(request: AdmitRequest, now: EpochMs): Admission | undefined
  giveBack(request: { readonly tenant: string; readonly budget: BudgetClaim | undefined }): void
}

export function createCounters(): Counters {
  const windows = new Map<string, { start: number; count: number }>()
  const spent = new Map<string, number>()

  return {
    claim(request, now) {
      const { rate, budget } = request
      const scope = scoped(request.tenant, rate.scope)
      let window = windows.get(scope)
      if (window === undefined || now >= window.start + rate.windowMs) {
        window = { start: Math.floor(now / rate.windowMs) * rate.windowMs, count: 0 }
        windows.set(scope, window)
      }
      if (window.count >= rate.max) return { kind: 'rate', retryAfterMs: window.start + rate.windowMs - now }
      if (budget !== undefined) {
        const key = budgetKey(request.tenant, budget)
        const used = spent.get(key) ?? 0
        if (used >= budget.max) return { kind: 'budget', budget: budget.kind, max: budget.max }
        spent.set(key, used + 1)
      }
      window.count++
      return undefined
    },
    giveBack({ tenant, budget }) {
      if (budget === undefined) return
      const key = budgetKey(tenant, budget)
      spent.set(key, Math.max(0, (spent.get(key) ?? 0) - 1))
    },
  }
}

// Lengths make the joined text unambiguous whatever the names contain.
const scoped = (tenant: string, name: string) => `${tenant.length}:${tenant}${name}`
const budgetKey = (tenant: string, budget: BudgetClaim) => scoped(tenant, scoped(budget.run, budget.kind))
