// Whether the end of an attempt fits what its slot says by now, and what follows from that. Only the attempt that is pending can be
// settled, or one that was given up as without effect and turns out to have happened.
import type { SettleRequest } from '../../contract/settlement.ts'
import type { SlotRecord } from '../../contract/slot.ts'
import type { Settlement } from '../ports/operations.ts'
import { slotEffects } from './slot.ts'
import { decide, type Rule } from './table.ts'

export type SettleCase = {
  readonly pending: boolean
  /** The attempt that ends, beside the newest of its generation. */
  readonly attempt: 'earlier' | 'same' | 'later'
  /** What the record says of the effect. */
  readonly stands: SlotRecord['effect']
  /** What the end says of it. */
  readonly says: SlotRecord['effect']
  /** It speaks for the start that the record stands on, or for no start in particular. */
  readonly own: boolean
  /** A later generation has an effect, or may have. */
  readonly started_over: boolean
}

export type Fit = 'settled' | 'settled_without_effect' | 'revived' | 'revived_twice' | 'duplicate' | 'late'

const yesOrNo = [true, false] as const

export const settleRule: Rule<SettleCase, Fit> = {
  name: 'settle_fit',
  over: {
    pending: yesOrNo,
    attempt: ['earlier', 'same', 'later'],
    stands: slotEffects,
    says: slotEffects,
    own: yesOrNo,
    started_over: yesOrNo,
  },
  rows: [
    {
      id: 'has_or_may_have',
      when: { pending: true, attempt: 'same', says: ['happened', 'unknown'] },
      verdict: 'settled',
    },
    // That it did nothing is said by each start for itself alone.
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
  /** Whether the record becomes what the end says. */
  readonly writes: boolean
  /** What becomes of what the attempt has taken from counters: given back, or taken again because it happened after all. */
  readonly counts: 'back' | 'again' | undefined
  /** Whether people are asked, because the effect may be there twice. */
  readonly asks: boolean
  readonly answer: Settlement
}

export const consequences: Readonly<Record<Fit, Consequence>> = {
  settled: { writes: true, counts: undefined, asks: false, answer: 'settled' },
  settled_without_effect: { writes: true, counts: 'back', asks: false, answer: 'settled' },
  revived: { writes: true, counts: 'again', asks: false, answer: 'settled' },
  revived_twice: { writes: true, counts: 'again', asks: true, answer: 'late' },
  duplicate: { writes: false, counts: 'again', asks: true, answer: 'late' },
  late: { writes: false, counts: undefined, asks: false, answer: 'late' },
}

/** @param later The generations that were opened after the record's. */
export function fitOf(
  record: SlotRecord,
  { attempt, effect, nonce }: Pick<SettleRequest, 'attempt' | 'effect' | 'nonce'>,
  later: readonly SlotRecord[],
): Fit {
  return decide(settleRule, {
    pending: record.status === 'PENDING',
    attempt: attempt === record.attempt ? 'same' : attempt < record.attempt ? 'earlier' : 'later',
    stands: record.effect,
    says: effect,
    own: nonce === '' || nonce === record.nonce,
    started_over: later.some((generation) => generation.effect !== 'none'),
  })
}
