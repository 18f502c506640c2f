// What an answer means to a saga: the step is done, it failed with or without effect, or nobody can say yet.
import type { Answer } from '../../contract/call/answer.ts'
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

export function readAnswer(answer: Answer): StepEnd {
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
