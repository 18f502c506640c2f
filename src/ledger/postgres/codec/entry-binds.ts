// What the facts of an entry vouch for: the bytes of the call and of the answer that are written beside them.

import { type Binds, digestOf, slotDigest } from '../../log/binds.ts'
import type { PassEntry } from '../../ports/operations.ts'

/**
 * The call stands first: the database takes it out again where its record is not written. A group without facts is written, too: what it
 * binds is not in any other.
 *
 * @param ofSlot The slot's digest, where it is known.
 */
export function bindsOf(entry: PassEntry, callText: string, answerText: string, ofSlot?: string): Binds {
  const { settle, amend } = entry
  const call = callText === '' ? {} : { call: digestOf(callText) }
  const isSettled = settle?.slotKey !== undefined && settle.answer !== undefined
  const { slotKey, generation } = (isSettled ? settle : amend) ?? {}
  if (slotKey === undefined || generation === undefined) return call
  const answer = digestOf(answerText)
  return {
    ...call,
    slot: ofSlot ?? slotDigest(slotKey, generation),
    ...(amend === undefined ? { answer } : { amended: answer }),
  }
}
