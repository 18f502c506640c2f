// Random histories of a ledger. A step is what arrives in one turn of the event loop: several admissions or several records share a
// statement on Postgres, and must come to what they come to one after the other.
import fc from 'fast-check'
import type { SlotKind } from '../../../src/contract/call/slot.ts'

/** Slots by number; the kind of an operation does not change. */
export const slotKinds: readonly SlotKind[] = ['implicit', 'implicit', 'pointer', 'caller', 'call']
export const providerIds: readonly (string | undefined)[] = ['p0', 'p1', 'p2', undefined]
export const approvalCount = 2

export interface AdmitOp {
  readonly slot: number
  /** Sends the last request for this slot once more. */
  readonly again: boolean
  readonly hash: string
  readonly provider: string | undefined
  readonly resource: string | undefined
  readonly run: string
  readonly approval: number | undefined
  readonly rateMax: number
  readonly callsMax: number
  /** What it takes of a sum that begins anew with each window; undefined: nothing. */
  readonly amount: number | undefined
  readonly sumMax: number
  readonly unseen: boolean
}

export const ends = {
  completed: { status: 'COMPLETED', effect: 'happened', held: false },
  declined: { status: 'FAILED_FINAL', effect: 'none', held: false },
  retryable: { status: 'FAILED_RETRYABLE', effect: 'none', held: false },
  held: { status: 'PENDING', effect: 'unknown', held: true },
  open: { status: 'PENDING', effect: 'unknown', held: false },
  compensated: { status: 'COMPENSATED', effect: 'happened', held: false },
  failedAfter: { status: 'FAILED_FINAL', effect: 'happened', held: false },
} as const

export type RecordOp =
  | {
      readonly kind: 'settle'
      readonly slot: number
      readonly end: keyof typeof ends
      readonly attemptsBack: number
      readonly generationsBack: number
      readonly ttlMs: number | undefined
      readonly tries: number
      readonly asks: boolean
    }
  | { readonly kind: 'seen'; readonly slot: number; readonly provider: string; readonly generationsBack: number }
  | { readonly kind: 'amend'; readonly slot: number; readonly generationsBack: number }

export type Step =
  | { readonly kind: 'admit'; readonly ops: readonly AdmitOp[] }
  | { readonly kind: 'record'; readonly ops: readonly RecordOp[] }
  | {
      readonly kind: 'resolve'
      readonly slot: number
      readonly effect: 'happened' | 'none'
      readonly stranger: boolean
    }
  | { readonly kind: 'ask'; readonly approval: number; readonly quorum: number; readonly ttlMs: number }
  | {
      readonly kind: 'decide'
      readonly approval: number
      readonly verdict: 'approved' | 'rejected'
      readonly by: string
    }
  | { readonly kind: 'raise'; readonly id: string; readonly sum: boolean; readonly amount: number }
  | { readonly kind: 'advance'; readonly ms: number }

// Weighted so that histories get somewhere: refusals, strangers and odd ends are the seasoning.
const slot = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4)
const rarely = fc.integer({ min: 0, max: 4 }).map((n) => n === 4)
/** Mostly the newest. */
const back = fc.constantFrom(0, 0, 0, 1)

const admitOp: fc.Arbitrary<AdmitOp> = fc.record({
  slot,
  again: rarely,
  hash: fc.constantFrom('aa', 'aa', 'aa', 'aa', 'aa', 'aa', 'bb'),
  provider: fc.constantFrom(...providerIds),
  resource: fc.constantFrom('r0', 'r0', 'r0', 'r1', undefined, undefined),
  run: fc.constantFrom('run-0', 'run-0', 'run-0', 'run-0', 'run-1'),
  approval: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1),
  // One that is wide is drawn from blocks, and its calls may be admitted by the shorter way.
  rateMax: fc.constantFrom(20, 20, 3, 1_000_000, 1_000_000),
  callsMax: fc.constantFrom(20, 20, 20, 20, 3),
  amount: fc.constantFrom(undefined, 1, 3, 7),
  sumMax: fc.constantFrom(100, 100, 100, 12),
  unseen: fc.constantFrom(false, false, true),
})

const settleOp: fc.Arbitrary<RecordOp> = fc.record({
  kind: fc.constant('settle'),
  slot,
  end: fc.constantFrom<keyof typeof ends>(
    'completed',
    'completed',
    'retryable',
    ...(Object.keys(ends) as (keyof typeof ends)[]),
  ),
  attemptsBack: back,
  generationsBack: back,
  ttlMs: fc.constantFrom(undefined, undefined, 1_500),
  tries: fc.nat(2),
  asks: fc.boolean(),
})

const seenOp: fc.Arbitrary<RecordOp> = fc.record({
  kind: fc.constant('seen'),
  slot,
  provider: fc.constantFrom('p0', 'p1', 'p2'),
  generationsBack: back,
})

const amendOp: fc.Arbitrary<RecordOp> = fc.record({ kind: fc.constant('amend'), slot, generationsBack: back })

/** Operations of one slot never share a turn: which of them comes first would be left to chance. */
const together = <T extends { readonly slot: number }>(op: fc.Arbitrary<T>) =>
  fc.uniqueArray(op, { minLength: 1, maxLength: 4, selector: (each) => each.slot })

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: together(admitOp).map((ops): Step => ({ kind: 'admit', ops })) },
  {
    weight: 6,
    arbitrary: together(
      fc.oneof({ weight: 6, arbitrary: settleOp }, { weight: 1, arbitrary: seenOp }, { weight: 1, arbitrary: amendOp }),
    ).map((ops): Step => ({ kind: 'record', ops })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resolve'),
      slot,
      effect: fc.constantFrom('happened', 'none'),
      stranger: rarely,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('ask'),
      approval: fc.nat(approvalCount - 1),
      quorum: fc.constantFrom(1, 1, 2),
      ttlMs: fc.constantFrom(60_000, 1_500),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('decide'),
      approval: fc.nat(approvalCount - 1),
      verdict: fc.constantFrom('approved', 'approved', 'approved', 'rejected'),
      by: fc.constantFrom('ann', 'bob'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('raise'),
      id: fc.constantFrom('first', 'second'),
      sum: fc.boolean(),
      amount: fc.constantFrom(1, 5),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(1, 500, 1_000, 1_500, 86_400_000).map((ms): Step => ({ kind: 'advance', ms })),
  },
)

export const histories: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 1, maxLength: 20, size: 'max' })
