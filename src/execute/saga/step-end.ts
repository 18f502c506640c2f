// What an answer means to a saga: the step is done, it failed with or without effect, or that is not known yet. A gate may refuse a call
// before its slot is read, and says then that nothing was done; an earlier call of the same step may have done it, so the slot is asked.
import type { Answer } from '../../contract/call/answer.ts'
import { resultRecord } from '../../contract/call/result-record.ts'
import type { SlotRecord } from '../../contract/call/slot.ts'
import type { TaxonomyClass } from '../../contract/taxonomy.ts'
import { copyResult } from '../../json/copy.ts'
import type { JsonValue } from '../../json/value.ts'

interface StepReport {
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
  | (StepReport & Kept & { readonly kind: 'done'; readonly effect: 'happened' | 'none' })
  | (StepReport &
      Kept & {
        readonly kind: 'failed'
        readonly effect: 'happened' | 'none'
        readonly retryable: boolean
        readonly retryAfterMs: number | undefined
      })
  | (StepReport & {
      readonly kind: 'waiting'
      readonly for: 'approval' | 'effect'
      readonly approval: string | null
      readonly retryAfterMs: number | undefined
    })

export function readStepEnd(answer: Answer): StepEnd {
  const { observation, effect, response, retryAfterMs } = answer
  const [error] = observation.result_payload.errors
  const report: StepReport = {
    call: observation.tool_identity.call_id,
    class: observation.status.taxonomy_class,
    reason: error?.code ?? 'ok',
    message: error?.message ?? '',
  }
  // Its end is not in the ledger yet: the slot is open, and the same call made again gets what became of it.
  if (report.reason === 'not_recorded')
    return { ...report, kind: 'waiting', for: 'effect', approval: null, retryAfterMs }
  switch (effect) {
    case 'pending':
      return { ...report, kind: 'waiting', for: 'approval', approval: answer.approval?.id ?? null, retryAfterMs }
    case 'unknown':
      return { ...report, kind: 'waiting', for: 'effect', approval: null, retryAfterMs }
    case 'happened':
    case 'none': {
      const kept = keptOf(answer)
      // The record says only that it was done; what it returned is not kept any more.
      const expired = report.reason === 'operation_expired' && effect === 'happened'
      if (report.class === 'SUCCESS' || expired) return { ...report, kind: 'done', effect, ...kept }
      return { ...report, kind: 'failed', effect, ...kept, retryable: response.retryable, retryAfterMs }
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

/** Whether the slot may know more than this end. */
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

/** The end by what the slot says, where the end itself says that nothing was done. */
export function knownEnd(end: StepEnd, slot: SlotRecord | undefined): StepEnd {
  if (end.kind !== 'failed' || slot === undefined) return end
  if (slot.status === 'PENDING' || slot.effect === 'unknown') {
    const { call, class: taxonomyClass, reason, message } = end
    const report = { call, class: taxonomyClass, reason, message }
    return { ...report, kind: 'waiting', for: 'effect', approval: null, retryAfterMs: undefined }
  }
  if (slot.effect === 'none') return end
  // As for a duplicate: it was done, and what it returned is not kept any more.
  if (slot.answer === undefined) return { ...happened, call: end.call }
  const result = resultRecord(slot.answer.observation)
  return readStepEnd(result === undefined ? slot.answer : { ...slot.answer, result })
}
