// What a call takes of its grant: one of the count, and what it moves of the total, in the unit of the argument. Both are counters of the
// ledger, taken in admit together with everything else or not at all, and given back where nothing happened.
import type { CounterClaim } from '../../contract/call/claim.ts'
import type { CounterRef } from '../../ledger/ports/limits.ts'
import { inMillionths, readAmount } from '../../policy/budgets/money.ts'
import type { Grant } from './grant.ts'

export interface GrantCounters {
  readonly count: CounterRef
  readonly total: CounterRef
}

export function grantCounters(id: string): GrantCounters {
  return {
    count: { name: `grant:${id}:count`, windowMs: undefined },
    total: { name: `grant:${id}:total`, windowMs: undefined },
  }
}

/** Undefined where an amount cannot be counted exactly: then the grant does not cover the call. */
export function grantClaims(
  id: string,
  { limits, amount: pointer }: Pick<Grant, 'limits' | 'amount'>,
  moved: number | undefined,
): readonly CounterClaim[] | undefined {
  const { count, total } = grantCounters(id)
  const rest = { returns: true, limit: id, currency: undefined } as const
  const calls = { ...count, amount: 1, max: limits.count, what: 'calls under this standing approval', ...rest }
  if (pointer === undefined) return [calls]
  const [amount, max] = [moved, limits.totalAmount].map(millionths)
  if (amount === undefined || max === undefined || amount < 0) return undefined
  return [calls, { ...total, amount, max, what: 'millionths moved under this standing approval', ...rest }]
}

export function millionths(value: number | undefined): number | undefined {
  const decimal = readAmount(value)
  return decimal === undefined ? undefined : inMillionths(decimal)
}
