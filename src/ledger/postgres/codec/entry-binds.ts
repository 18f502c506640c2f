// What the facts of an entry vouch for: the hashes of the call and of the answer that are written beside them, each in a column.
import { digestOf, slotDigest } from '../../log/binds.ts'
import type { PassEntry } from '../../ports/operations.ts'

/** In hex; null for what the group does not bind. */
export interface BoundColumns {
  readonly binds_call: string | null
  readonly binds_slot: string | null
  readonly binds_answer: string | null
  readonly binds_amended: string | null
}

/**
 * A group without facts is written, too: what it binds is not in any other.
 *
 * @param ofSlot The slot's digest, where it is known.
 */
export function bindsOf(
  { settle, amend }: PassEntry,
  callText: string,
  answerText: string,
  ofSlot?: string,
): BoundColumns {
  const isSettled = settle?.slotKey !== undefined && settle.answer !== undefined
  const { slotKey, generation } = (isSettled ? settle : amend) ?? {}
  const isAnswered = slotKey !== undefined && generation !== undefined
  const answer = isAnswered ? digestOf(answerText) : null
  return {
    binds_call: callText === '' ? null : digestOf(callText),
    binds_slot: isAnswered ? (ofSlot ?? slotDigest(slotKey, generation)) : null,
    binds_answer: amend === undefined ? answer : null,
    binds_amended: amend === undefined ? null : answer,
  }
}
