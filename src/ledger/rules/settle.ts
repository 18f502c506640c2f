// Whether the end of an attempt fits what its slot says by now, and all that follows from that: engines ask here for each thing that they
// do. Only the attempt that is pending can be settled, or one that was given up as without effect and turns out to have happened.

import type { Escalation } from '../../contract/approval/approval.ts'
import type { AttemptEnd, SettleRequest } from '../../contract/call/settlement.ts'
import type { SlotRecord } from '../../contract/call/slot.ts'
import type { Settlement } from '../ports/operations.ts'
import { slotEffects } from './slot.ts'
import { decide, type RuleTable } from './table.ts'

export type SettleCase = {
  /** Sent again because its answer was lost on the way: all of it is written already. One that came late the first time comes late again. */
  readonly sent: 'first' | 'again' | 'again_late'
  /** The call has no operation; or its operation has no record; or there is one. */
  readonly slot: 'none' | 'absent' | 'there'
  readonly pending: boolean
  /** The attempt that ends, beside the newest of its generation. */
  readonly attempt: 'earlier' | 'same' | 'later'
  /** What the record says of the effect. */
  readonly stands: SlotRecord['effect']
  /** What the end says of it. */
  readonly says: SlotRecord['effect']
  /** It is about the start that the record counts, or about no start in particular. */
  readonly own: boolean
  /** A later generation has an effect, or may have. */
  readonly started_over: boolean
}

export type Fit =
  | 'settled'
  | 'settled_without_effect'
  | 'revived'
  | 'revived_twice'
  | 'duplicate'
  | 'late'
  | 'sent_again'

const yesOrNo = [true, false] as const

export const settleRule: RuleTable<SettleCase, Fit> = {
  name: 'settle_fit',
  over: {
    sent: ['first', 'again', 'again_late'],
    slot: ['none', 'absent', 'there'],
    pending: yesOrNo,
    attempt: ['earlier', 'same', 'later'],
    stands: slotEffects,
    says: slotEffects,
    own: yesOrNo,
    started_over: yesOrNo,
  },
  rows: [
    { id: 'written_before', when: { sent: 'again' }, verdict: 'sent_again' },
    { id: 'came_late_before', when: { sent: 'again_late' }, verdict: 'late' },
    // A read has no operation: nothing can have come before its end.
    { id: 'did_nothing_without_operation', when: { slot: 'none', says: 'none' }, verdict: 'settled_without_effect' },
    { id: 'ended_without_operation', when: { slot: 'none' }, verdict: 'settled' },
    { id: 'no_record', when: { slot: 'absent' }, verdict: 'late' },
    { id: 'has_happened', when: { pending: true, attempt: 'same', says: 'happened' }, verdict: 'settled' },
    // "No effect" and "unknown" are said of one start alone: a later start is still at work.
    {
      id: 'may_have_happened',
      when: { pending: true, attempt: 'same', says: 'unknown', own: true },
      verdict: 'settled',
    },
    {
      id: 'did_nothing',
      when: { pending: true, attempt: 'same', says: 'none', own: true },
      verdict: 'settled_without_effect',
    },
    {
      id: 'given_up_and_started_over',
      when: {
        pending: false,
        attempt: ['earlier', 'same'],
        stands: 'none',
        says: 'happened',
        started_over: true,
      },
      verdict: 'revived_twice',
    },
    {
      id: 'given_up_and_happened',
      when: { pending: false, attempt: ['earlier', 'same'], stands: 'none', says: 'happened' },
      verdict: 'revived',
    },
    {
      id: 'another_attempt_stands',
      when: { attempt: ['earlier', 'later'], stands: ['happened', 'unknown'], says: 'happened' },
      verdict: 'duplicate',
    },
    { id: 'came_late', when: {}, verdict: 'late' },
  ],
}

export interface Consequence {
  /** Whether the end is written into the record. */
  readonly writes: boolean
  /** Claims on counters: given back, or taken again because the effect happened after all. */
  readonly counts: 'back' | 'again' | undefined
  /** Whether people are asked, because the effect may be there twice. */
  readonly asks: boolean
  /** Whether it answers the open question to people about this attempt, once the attempt is no longer pending. */
  readonly answers: boolean
  /** Whether people are asked about this attempt, where the end asks for it. After a late end the answer is known already. */
  readonly asksOwn: boolean
  /** Whether the end's word on reading the effect back counts: that it is to be done later, or was done. */
  readonly readsBack: boolean
  /** Whether its approval may be used again, where the operation may be tried again. */
  readonly frees: boolean
  /**
   * Whether the transaction of a tool is committed with the end. Only where its attempt was pending up to now: after the attempt was given
   * up, callers may have been told that nothing was done, and the transaction can still be undone.
   */
  readonly commits: boolean
  readonly answer: Settlement
}

const nothing = {
  writes: false,
  counts: undefined,
  asks: false,
  answers: false,
  asksOwn: false,
  readsBack: false,
  frees: false,
  commits: false,
} as const

const settled = {
  ...nothing,
  writes: true,
  answers: true,
  asksOwn: true,
  readsBack: true,
  commits: true,
  answer: 'settled',
} as const

export const consequences: Readonly<Record<Fit, Consequence>> = {
  settled,
  settled_without_effect: { ...settled, counts: 'back', frees: true },
  revived: { ...settled, counts: 'again', commits: false },
  revived_twice: { ...nothing, writes: true, counts: 'again', asks: true, answers: true, answer: 'late' },
  duplicate: { ...nothing, counts: 'again', asks: true, answer: 'late' },
  late: { ...nothing, answer: 'late' },
  sent_again: { ...nothing, answer: 'settled' },
}

export const everyFit = Object.keys(consequences) as readonly Fit[]

export interface StatusConsequence {
  /** Whether the attempt is over; else its effect is not known yet. */
  readonly ends: boolean
  /** Whether the operation may be tried again, with what people have approved. */
  readonly frees: boolean
}

/** What follows from the status that an end brings, where the end is written. */
export const statusConsequences: Readonly<Record<AttemptEnd['status'], StatusConsequence>> = {
  PENDING: { ends: false, frees: false },
  COMPLETED: { ends: true, frees: false },
  FAILED_RETRYABLE: { ends: true, frees: true },
  FAILED_FINAL: { ends: true, frees: false },
  COMPENSATED: { ends: true, frees: false },
}

type Ending = Pick<SettleRequest, 'attempt' | 'effect' | 'nonce'>

/**
 * @param record Undefined where the operation has none.
 * @param later The generations that were opened after the record's.
 */
export function fitOf(
  record: SlotRecord | undefined,
  { attempt, effect, nonce }: Ending,
  later: readonly SlotRecord[],
  sent: SettleCase['sent'] = 'first',
): Fit {
  return decide(settleRule, {
    sent,
    slot: record === undefined ? 'absent' : 'there',
    pending: record?.status === 'PENDING',
    attempt:
      record === undefined || attempt === record.attempt ? 'same' : attempt < record.attempt ? 'earlier' : 'later',
    stands: record?.effect ?? 'none',
    says: effect,
    own: nonce === '' || nonce === record?.nonce,
    started_over: later.some((generation) => generation.effect !== 'none'),
  })
}

/** Of a call that has no operation: a read. */
export const fitWithoutSlot = ({ effect }: Pick<Ending, 'effect'>): Fit =>
  decide(settleRule, {
    sent: 'first',
    slot: 'none',
    pending: false,
    attempt: 'same',
    stands: 'none',
    says: effect,
    own: true,
    started_over: false,
  })

/**
 * The question to a person where two attempts of one operation say that they happened, which must never be. Without its time, which the
 * ledger's own clock says.
 */
export function duplicateOf(
  { tenant, callId, attempt }: Pick<SettleRequest, 'tenant' | 'callId' | 'attempt'>,
  id: string,
): Omit<Escalation, 'at'> {
  return {
    id,
    tenant,
    callId,
    kind: 'duplicate_side_effect',
    message: `Attempt ${attempt} happened after another attempt had taken its place: the effect may be there twice.`,
  }
}
