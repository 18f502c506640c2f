// What a step came to, held against its slot. A gate may refuse a call before its slot is read, and says then that nothing was done; an
// earlier call of the same step may have done it all the same.
import { resultRecord } from '../../contract/call/result-record.ts'
import type { SlotRecord } from '../../contract/call/slot.ts'
import { readAnswer, type StepEnd } from './read-answer.ts'

/** Whether the slot could know better. */
export const saysNothingWasDone = (end: StepEnd): boolean => end.kind === 'failed' && end.effect === 'none'

const happened = {
  kind: 'done',
  effect: 'happened',
  class: 'SUCCESS',
  reason: 'ok',
  message: '',
  result: null,
  ref: null,
} as const

/** Of an end that says nothing was done. */
export function knownEnd(end: StepEnd, slot: SlotRecord | undefined): StepEnd {
  if (end.kind !== 'failed' || slot === undefined) return end
  if (slot.status === 'PENDING' || slot.effect === 'unknown') {
    const { call, class: taxonomyClass, reason, message } = end
    const told = { call, class: taxonomyClass, reason, message }
    return { ...told, kind: 'waiting', for: 'effect', approval: null, retryAfterMs: undefined }
  }
  if (slot.effect === 'none') return end
  // As a duplicate is told: it is there, and nobody can tell any more what it returned.
  if (slot.answer === undefined) return { ...happened, call: end.call }
  const result = resultRecord(slot.answer.observation)
  return readAnswer(result === undefined ? slot.answer : { ...slot.answer, result })
}
