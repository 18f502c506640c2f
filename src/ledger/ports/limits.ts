// Counters of rates, of budgets and of grants. An admission claims from them in its own step (operations.ts).
import type { CounterClaim } from '../../contract/call/claim.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { EpochMs } from '../../json/clock.ts'

export interface RateWindow {
  readonly scope: string
  readonly windowMs: number
  readonly max: number
}

/** A claim that does not fit. */
export interface BudgetRefusal {
  readonly kind: 'budget'
  readonly claim: CounterClaim
  /** How much of the counter was used before. */
  readonly used: number
  /** How much may be used in all, raises included. */
  readonly max: number
  /** When its window ends, by the ledger's clock, and how long that is from now. */
  readonly resets: { readonly at: EpochMs; readonly afterMs: number } | undefined
}

export interface CounterRef {
  readonly name: string
  readonly windowMs: number | undefined
}

/** The state of a counter in its present window. */
export interface Balance {
  readonly used: number
  /** What people have added to its limit. */
  readonly raised: number
  readonly resetsAt: EpochMs | undefined
}

/** More of a limit, for its present window, or for good where it has none. */
export interface Raise extends CounterRef {
  /** Names the raise: issued again, it is the same one. */
  readonly id: string
  readonly tenant: string
  readonly amount: number
  readonly by: string
  readonly why: string
}

export interface Limits {
  /** The states of these counters, in the same order. What processes have leased for reads counts as used. */
  balances(tenant: string, counters: readonly CounterRef[]): Awaitable<readonly Balance[]>
  /** Raises a limit, and records by whom and why. */
  raise(raise: Raise): Awaitable<Balance>
}
