// May a call go on, given the newest record of its slot? One table for recall (before the gates) and for admission (inside the ledger's
// step), so that both come to the same verdict on the same record.
import type { SlotKind, SlotRecord, SlotRef, SlotStatus } from '../../contract/call/slot.ts'
import type { EpochMs } from '../../json/clock.ts'
import { decide, type RuleTable } from './table.ts'

export const slotStatuses = [
  'PENDING',
  'COMPLETED',
  'FAILED_RETRYABLE',
  'FAILED_FINAL',
  'COMPENSATED',
  'EXPIRED',
] as const satisfies readonly SlotStatus[]
export const slotEffects = ['none', 'happened', 'unknown'] as const satisfies readonly SlotRecord['effect'][]
const slotKinds = ['caller', 'pointer', 'implicit', 'call'] as const satisfies readonly SlotKind[]
const yesOrNo = [true, false] as const

export type SlotCase = {
  /** The record was written by this very admission, which is sent again because its answer was lost on the way. */
  readonly same_admission: boolean
  /** Nothing was looked up: the call was taken for new. */
  readonly unseen: boolean
  readonly kind: SlotKind
  readonly status: SlotStatus
  readonly effect: SlotRecord['effect']
  readonly held: boolean
  /** A later call of the run happened on the same resource. */
  readonly overtaken: boolean
  /** This provider call id was answered from this generation before, or there is none. */
  readonly seen: boolean
  /** The arguments are those of the record. */
  readonly equal: boolean
  /** The time for which it is remembered is over. */
  readonly over: boolean
}

export type SlotVerdict =
  | 'again'
  | 'known'
  | 'generation'
  | 'mismatch'
  | 'held'
  | 'busy'
  | 'retry'
  | 'expired'
  | 'replay'

/** A slot opens a new generation only where that cannot repeat an effect that is still there; a caller's own operation never does. */
export const slotRule: RuleTable<SlotCase, SlotVerdict> = {
  name: 'slot_verdict',
  over: {
    same_admission: yesOrNo,
    unseen: yesOrNo,
    kind: slotKinds,
    status: slotStatuses,
    effect: slotEffects,
    held: yesOrNo,
    overtaken: yesOrNo,
    seen: yesOrNo,
    equal: yesOrNo,
    over: yesOrNo,
  },
  rows: [
    { id: 'sent_again', when: { same_admission: true, status: 'PENDING', held: false }, verdict: 'again' },
    { id: 'not_looked_up', when: { unseen: true }, verdict: 'known' },
    {
      id: 'failure_starts_over',
      when: { seen: false, kind: ['pointer', 'implicit'], status: 'FAILED_FINAL', effect: 'none' },
      verdict: 'generation',
    },
    { id: 'undone_starts_over', when: { seen: false, kind: 'implicit', status: 'COMPENSATED' }, verdict: 'generation' },
    {
      id: 'overtaken_starts_over',
      when: { seen: false, kind: 'implicit', status: 'COMPLETED', overtaken: true },
      verdict: 'generation',
    },
    { id: 'other_arguments', when: { equal: false }, verdict: 'mismatch' },
    { id: 'held', when: { status: 'PENDING', held: true }, verdict: 'held' },
    { id: 'under_way', when: { status: 'PENDING' }, verdict: 'busy' },
    { id: 'may_be_tried_again', when: { status: 'FAILED_RETRYABLE' }, verdict: 'retry' },
    { id: 'forgotten', when: { status: 'EXPIRED' }, verdict: 'expired' },
    { id: 'time_is_over', when: { over: true }, verdict: 'expired' },
    { id: 'has_ended', when: {}, verdict: 'replay' },
  ],
}

type Judged<V extends SlotVerdict = Exclude<SlotVerdict, 'again' | 'known'>> = V extends SlotVerdict
  ? { readonly kind: V; readonly record: SlotRecord }
  : never

export type SlotJudgement = { readonly kind: 'absent' } | Judged

/** Why a call is not admitted: the operation has its answer, or gets none now. */
export type SlotRefusal = Exclude<SlotVerdict, 'again' | 'known' | 'generation' | 'retry'>

/** So many provider call ids one generation remembers. Beyond that every id counts as seen, and no new generation is opened. */
export const maxSeenIds = 1_000

/** By recall: the record was looked up, and the call is not admitted yet. */
export function judgeSlot(record: SlotRecord | undefined, ref: SlotRef, now: EpochMs): SlotJudgement {
  if (record === undefined) return { kind: 'absent' }
  const verdict = slotVerdict(record, ref, now, { nonce: undefined, unseen: false })
  if (verdict === 'again' || verdict === 'known') throw new Error('Only an admission is sent again or taken for new.')
  return { kind: verdict, record } as Judged
}

/** By admission: the nonce under which it is made, and whether the call was looked up before. */
export function slotVerdict(
  record: SlotRecord,
  ref: SlotRef,
  now: EpochMs,
  { nonce, unseen }: { readonly nonce: string | undefined; readonly unseen: boolean },
): SlotVerdict {
  const { kind, status, effect, held, overtaken, providerCallIds, requestHash, expiresAt } = record
  const { providerCallId } = ref
  return decide(slotRule, {
    same_admission: nonce !== undefined && record.nonce === nonce,
    unseen,
    kind,
    status,
    effect,
    held,
    overtaken,
    seen:
      providerCallId === undefined || providerCallIds.length >= maxSeenIds || providerCallIds.includes(providerCallId),
    equal: requestHash === ref.requestHash,
    over: expiresAt !== undefined && expiresAt <= now,
  })
}

type Ended = Pick<SlotCase, 'status' | 'effect'>
const endedOver = { status: slotStatuses, effect: slotEffects }

/** Whether an operation can be closed for good, so that it is never done: one that may still have an effect stays open. */
export const closingRule: RuleTable<Ended, 'close' | 'closed' | 'open'> = {
  name: 'slot_closing',
  over: endedOver,
  rows: [
    { id: 'may_be_tried_again', when: { status: 'FAILED_RETRYABLE', effect: 'none' }, verdict: 'close' },
    { id: 'under_way', when: { status: 'PENDING' }, verdict: 'open' },
    { id: 'without_effect', when: { effect: 'none' }, verdict: 'closed' },
    { id: 'has_effect', when: {}, verdict: 'open' },
  ],
}

/** What an operation becomes whose answer is past its time. */
export const expiryRule: RuleTable<Ended, 'expires' | 'stays'> = {
  name: 'slot_expiry',
  over: endedOver,
  rows: [
    { id: 'ended_for_good', when: { status: ['COMPLETED', 'FAILED_FINAL', 'COMPENSATED'] }, verdict: 'expires' },
    { id: 'other', when: {}, verdict: 'stays' },
  ],
}

/** Whether the answer as later phases have changed it takes the place of the first. */
export const amendingRule: RuleTable<Ended, 'amended' | 'stays'> = {
  name: 'slot_amending',
  over: endedOver,
  rows: [
    { id: 'no_answer_yet_or_any_more', when: { status: ['PENDING', 'EXPIRED'] }, verdict: 'stays' },
    { id: 'ended', when: {}, verdict: 'amended' },
  ],
}

/** Whether an operation no longer describes its resource, once a later one of the run has changed that. */
export const overtakingRule: RuleTable<Ended, 'overtaken' | 'stays'> = {
  name: 'slot_overtaking',
  over: endedOver,
  rows: [
    { id: 'completed', when: { status: 'COMPLETED' }, verdict: 'overtaken' },
    { id: 'other', when: {}, verdict: 'stays' },
  ],
}

/** What an operation becomes whose effect a compensation has undone. */
export const undoingRule: RuleTable<Ended, 'undone' | 'stays'> = {
  name: 'slot_undoing',
  over: endedOver,
  rows: [
    { id: 'completed', when: { status: 'COMPLETED' }, verdict: 'undone' },
    { id: 'other', when: {}, verdict: 'stays' },
  ],
}
