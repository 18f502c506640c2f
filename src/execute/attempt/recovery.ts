// What can be done about an attempt whose owner is gone, and so what is promised about how often an operation takes effect. A lease that
// ran out releases nothing: only a transaction that was rolled back, a provider that honours the key, or a reading of the world can tell;
// otherwise the operation is held for a person.
import type { RecoveryWay } from '../../contract/call/fact.ts'
import type { AttemptEnd } from '../../contract/call/settlement.ts'
import type { SlotRecord } from '../../contract/call/slot.ts'
import { effectRow } from '../../contract/effects.ts'
import type { Executor, Verification } from '../../contract/tool/executor.ts'
import type { CallTerms, Promised } from '../../contract/tool/terms.ts'
import type { Binding, Tool } from '../../contract/tool/tool.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { Owner } from '../../ledger/ports/operations.ts'
import { restartLeaseMs } from '../../ledger/rules/recovery-times.ts'

/** The part of a tool that says how a lost attempt of it can be recovered. */
export interface RecoverableTool {
  readonly contract: { readonly runtime: { readonly timeout_ms: number } }
  readonly binding: Pick<Binding, 'recovery'> & {
    readonly executor: Pick<Executor, 'commits'>
    readonly verifier: object | undefined
  }
}

export interface Abandoned {
  readonly slot: Pick<SlotRecord, 'createdAt' | 'idempotencyKey'>
  /** Undefined where this process does not have the tool. */
  readonly tool: RecoverableTool | undefined
  /** The latest moment at which the executor may still have been started. */
  readonly lastStart: EpochMs
  readonly at: EpochMs
}

export type RecoveryPlan =
  /** The transaction was not committed, or its record would say so. */
  | { readonly kind: 'undone'; readonly how: RecoveryWay }
  | {
      readonly kind: 'send_again'
      readonly how: RecoveryWay
      /** Only so long after the first admission. */
      readonly withinMs: number
    }
  /** Presence counts at once; absence only from then on. */
  | {
      readonly kind: 'read_back'
      readonly how: RecoveryWay
      readonly absenceCountsAt: EpochMs
      /** For so long after it was sent, a request may still arrive. */
      readonly horizonMs: number
    }
  | { readonly kind: 'hold'; readonly how: RecoveryWay }

/** This much of the provider's window must be left, for the request to arrive in. */
const windowMarginMs = 1_000

/** For how long after the first admission a request may be sent again: started late and sent in its last moment, it still arrives in time. */
export const sendAgainMs = (providerWindowMs: number, timeoutMs: number): number =>
  providerWindowMs - restartLeaseMs(timeoutMs) - windowMarginMs

export function planRecovery({ slot, tool, lastStart, at }: Abandoned): RecoveryPlan {
  if (tool === undefined) return { kind: 'hold', how: 'no_contract' }
  const { executor, recovery, verifier } = tool.binding
  if (executor.commits === 'ledger') return { kind: 'undone', how: 'transaction' }
  const { timeout_ms } = tool.contract.runtime
  if (recovery.providerWindowMs !== undefined) {
    // Counted from the first admission: the provider cannot have been given the key earlier.
    const withinMs = sendAgainMs(recovery.providerWindowMs, timeout_ms)
    if (at < slot.createdAt + withinMs) return { kind: 'send_again', how: 'provider_key', withinMs }
  }
  if (verifier !== undefined) {
    const absenceCountsAt = (lastStart + timeout_ms + recovery.horizonMs) as EpochMs
    return { kind: 'read_back', how: 'verifier', absenceCountsAt, horizonMs: recovery.horizonMs }
  }
  return { kind: 'hold', how: recovery.providerWindowMs === undefined ? 'no_way' : 'provider_key' }
}

export interface RecoveryReading {
  /** What the reading gave; undefined where the world could not be read. */
  readonly word: Verification['status'] | undefined
  /** When it was read, by the ledger's clock. */
  readonly at: EpochMs
  readonly absenceCountsAt: EpochMs
  readonly horizonMs: number
  /** What was known of the owner before the world was read: what it does after that is not in the reading. */
  readonly owner: Owner
}

export type RecoveryVerdict =
  | { readonly kind: 'happened' }
  | { readonly kind: 'none' }
  /** It is read again after this time. */
  | { readonly kind: 'later'; readonly ms: number }
  | { readonly kind: 'hold' }

/** For how long a verifier that gives no status is asked again, and how often. */
const patienceMs = 600_000
const retryMs = 10_000

/** Where nothing tells whether the owner lives, absence counts this much later. */
export const unseenGraceMs = 60_000

/** Presence counts at once. Absence counts once the owner can act no more, and its last request had the time to arrive. */
export function judgeReadBack({ word, at, absenceCountsAt, horizonMs, owner }: RecoveryReading): RecoveryVerdict {
  switch (word) {
    case 'verified':
      return { kind: 'happened' }
    case 'absent': {
      const countsAt = owner === 'unseen' ? absenceCountsAt + unseenGraceMs : absenceCountsAt
      if (at < countsAt) return { kind: 'later', ms: countsAt - at }
      // It was alive up to now: a request that it sent a moment ago may still be on its way.
      if (owner === 'fenced') return { kind: 'later', ms: horizonMs }
      if (owner !== 'alive') return { kind: 'none' }
      // It cannot be cut off, and may act whenever it wakes.
      return at < countsAt + patienceMs ? { kind: 'later', ms: retryMs } : { kind: 'hold' }
    }
    case undefined:
      // A verifier that cannot be asked today may answer tomorrow; a person need not be asked before the horizon has passed.
      return at < absenceCountsAt + patienceMs ? { kind: 'later', ms: retryMs } : { kind: 'hold' }
    case 'partial':
    case 'failed':
      return { kind: 'hold' }
  }
}

/** A request that was sent again and did nothing says nothing of the request before it. */
export const effectOfStart = <Effect extends string>(effect: Effect, isResent: boolean): Effect | 'unknown' =>
  isResent && effect === 'none' ? 'unknown' : effect

/** The end of an attempt whose effect is not known: left to recovery, or held for a person, who is asked. */
export const unknownEnd = (becomesKnown: boolean): { readonly end: AttemptEnd; readonly asks: boolean } => ({
  end: { status: 'PENDING', effect: 'unknown', held: !becomesKnown },
  asks: !becomesKnown,
})

/** Whether recovery can find out what happened: then no person needs to be asked. */
export function canBeRecovered(abandoned: Abandoned): boolean {
  return planRecovery(abandoned).kind !== 'hold'
}

/** What is promised about how often an operation takes effect: in the order of `planRecovery`. */
export function promiseOf({ binding }: Pick<Tool, 'binding'>): Promised {
  const { executor, recovery, verifier } = binding
  if (executor.commits === 'ledger') return { kind: 'exactly_once' }
  const horizon = verifier === undefined ? {} : { horizonMs: recovery.horizonMs }
  if (recovery.providerWindowMs !== undefined)
    return { kind: 'once_within_window', windowMs: recovery.providerWindowMs, ...horizon }
  return { kind: verifier === undefined ? 'at_most_once' : 'once_beyond_horizon', ...horizon }
}

/** The same for every call of a tool. */
const terms = new WeakMap<Tool, CallTerms>()

/** What a call keeps of its tool's binding. */
export function termsOf(tool: Tool): CallTerms {
  let own = terms.get(tool)
  if (own === undefined) {
    const { mutates } = effectRow(tool.contract.transactional.side_effect_class)
    own = { ...(mutates ? { promise: promiseOf(tool) } : {}), sensitive: tool.binding.sensitive }
    terms.set(tool, own)
  }
  return own
}
