// What can be done about an attempt whose owner is gone. A lease that ran out releases nothing: only a rolled back transaction, a
// provider that honours the key, or a reading of the world can tell; otherwise the operation is held for a person.
import type { RecoveryWay } from '../contract/fact.ts'
import type { SlotRecord } from '../contract/slot.ts'
import type { Tool } from '../contract/tool.ts'
import type { EpochMs } from '../json/clock.ts'

export interface Abandoned {
  readonly slot: Pick<SlotRecord, 'createdAt' | 'idempotencyKey'>
  /** Undefined where this process does not have the tool. */
  readonly tool: Tool | undefined
  /** The latest moment at which the executor may still have been started. */
  readonly lastStart: EpochMs
  readonly at: EpochMs
}

export type RecoveryPlan =
  /** Whatever was done was not committed, or its record would say so. */
  | { readonly kind: 'undone'; readonly how: RecoveryWay }
  | { readonly kind: 'send_again'; readonly how: RecoveryWay }
  /** Presence counts at once; absence only from then on. */
  | { readonly kind: 'read_back'; readonly how: RecoveryWay; readonly absenceCountsAt: EpochMs }
  | { readonly kind: 'hold'; readonly how: RecoveryWay }

/** Before a request is sent again, this much of the provider's window must be left for it to arrive in. */
const windowMarginMs = 1_000

export function planRecovery({ slot, tool, lastStart, at }: Abandoned): RecoveryPlan {
  if (tool === undefined) return { kind: 'hold', how: 'no_contract' }
  const { executor, recovery, verifier } = tool.binding
  if (executor.commits === 'ledger') return { kind: 'undone', how: 'transaction' }
  const { timeout_ms } = tool.contract.runtime
  if (recovery.providerWindowMs !== undefined) {
    // Counted from the first admission: the provider cannot have been given the key earlier.
    const closesAt = slot.createdAt + recovery.providerWindowMs
    if (at + timeout_ms + windowMarginMs < closesAt) return { kind: 'send_again', how: 'provider_key' }
  }
  if (verifier !== undefined) {
    const absenceCountsAt = (lastStart + timeout_ms + recovery.horizonMs) as EpochMs
    return { kind: 'read_back', how: 'verifier', absenceCountsAt }
  }
  return { kind: 'hold', how: recovery.providerWindowMs === undefined ? 'no_way' : 'provider_key' }
}

/** Whether an unknown end can become known without a person, so that nobody is asked in vain. */
export function canBeRecovered(abandoned: Abandoned): boolean {
  return planRecovery(abandoned).kind !== 'hold'
}
