// What an answer means to a saga: the step is done, it failed with or without effect, or that is not known yet. A gate may refuse a call
// before its slot is read, and says then that nothing was done; an earlier call of the same step may have done it, so the slot is asked.
import type { Answer } from '../../contract/call/answer.ts'
import { resultRecord } from '../../contract/call/result-record.ts'
import type { SlotRecord } from '../../contract/call/slot.ts'
import type { TaxonomyClass } from '../../contract/taxonomy.ts'
import { copyResult } from '../../json/copy.ts'
import type { JsonValue } from '../../json/value.ts'

interface Told {
  readonly call: string
  readonly class: TaxonomyClass
  readonly reason: string
  readonly message: string
}

/** The result, or where it is kept. */
interface Kept {
  readonly result: JsonValue
  readonly ref: string | null
}

export type StepEnd =
  | (Told & Kept & { readonly kind: 'done'; readonly effect: 'happened' | 'none' })
  | (Told &
      Kept & {
        readonly kind: 'failed'
        readonly effect: 'happened' | 'none'
        readonly retryable: boolean
        readonly retryAfterMs: number | undefined
      })
  | (Told & {
      readonly kind: 'waiting'
      readonly for: 'approval' | 'effect'
      readonly approval: string | null
      readonly retryAfterMs: number | undefined
    })

export function readStepEnd(answer: Answer): StepEnd {
  const { observation, effect, response, retryAfterMs } = answer
  const [error] = observation.result_payload.errors
  const told: Told = {
    call: observation.tool_identity.call_id,
    class: observation.status.taxonomy_class,
    reason: error?.code ?? 'ok',
    message: error?.message ?? '',
  }
  // Whoever comes after does not know of it yet: the slot is open, and the same call is given what became of it.
  if (told.reason === 'not_recorded') return { ...told, kind: 'waiting', for: 'effect', approval: null, retryAfterMs }
  switch (effect) {
    case 'pending':
      return { ...told, kind: 'waiting', for: 'approval', approval: answer.approval?.id ?? null, retryAfterMs }
    case 'unknown':
      return { ...told, kind: 'waiting', for: 'effect', approval: null, retryAfterMs }
    case 'happened':
    case 'none': {
      const kept = keptOf(answer)
      // Remembered only as having been: it was done, and nobody can tell any more what it returned.
      const expired = told.reason === 'operation_expired' && effect === 'happened'
      if (told.class === 'SUCCESS' || expired) return { ...told, kind: 'done', effect, ...kept }
      return { ...told, kind: 'failed', effect, ...kept, retryable: response.retryable, retryAfterMs }
    }
  }
}

/** As the record of the call has it, so that a replayed answer gives the same. */
function keptOf({ value, result }: Pick<Answer, 'value' | 'result'>): Kept {
  const [ref] = result?.refs ?? []
  if (ref !== undefined || value === undefined || result?.kept === false) return { result: null, ref: ref ?? null }
  const copy = copyResult(value)
  return { result: copy.ok ? copy.value : null, ref: null }
}

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
  return readStepEnd(result === undefined ? slot.answer : { ...slot.answer, result })
}
