// What a model is told when a call did not simply succeed, in as few tokens as it takes to act on it. Plain JSON, which a tool could
// return as well: a refusal is known by having been made here, not by how it looks.
import type { Answer, Effect, NextAction, TaxonomyClass } from '../index.ts'
import { taxonomy } from '../public/tables.ts'

/** Stands in the place of a tool's own result. The whole answer is on record under its call. */
export interface CallRefusal {
  readonly error: Exclude<TaxonomyClass, 'SUCCESS'>
  /** Did it happen? `pending`: a person is asked, nothing was done. */
  readonly effect: Effect
  readonly next_action: NextAction
  readonly message?: string
  readonly field_errors?: readonly { readonly field: string; readonly message: string }[]
  /** The model only repeats itself: `stopWhen: isHalted` ends its loop here. */
  readonly halt?: true
  /** What a person has to decide on: `proviso.approvals.approve(approval_id, { credential, packetHash })`. */
  readonly approval_id?: string
  readonly retry_after_ms?: number
  /** What the tool returned, where its effect is there although something is wrong with it. */
  readonly result?: unknown
}

const keys: ReadonlySet<string> = new Set([
  'error',
  'effect',
  'next_action',
  'message',
  'field_errors',
  'approval_id',
  'retry_after_ms',
  'halt',
  'result',
])
const effectWords: ReadonlySet<unknown> = new Set<Effect>(['none', 'happened', 'unknown', 'pending'])

/** Every refusal made in this process. */
const made = new WeakSet<object>()

/** Undefined for a success. */
export function callRefusal(answer: Answer, result: unknown): CallRefusal | undefined {
  const { error_code, next_action } = answer.response
  if (error_code === 'SUCCESS') return undefined
  const { errors } = answer.observation.result_payload
  const fields = errors.flatMap(({ field, message }) => (field === null ? [] : [{ field, message }]))
  const sentences = errors.flatMap(({ field, message }) => (field === null ? [message] : []))
  if (answer.effect === 'pending') sentences.push('Until then, tell the user and stop.')
  const refusal: CallRefusal = {
    error: error_code,
    effect: answer.effect,
    next_action,
    ...(sentences.length === 0 ? {} : { message: sentences.join(' ') }),
    ...(fields.length === 0 ? {} : { field_errors: fields }),
    ...(answer.approval === undefined ? {} : { approval_id: answer.approval.id }),
    ...(answer.retryAfterMs === undefined ? {} : { retry_after_ms: answer.retryAfterMs }),
    ...(answer.halt === undefined ? {} : { halt: answer.halt }),
    ...(answer.effect !== 'happened' || result === undefined ? {} : { result }),
  }
  made.add(refusal)
  return refusal
}

/**
 * Whether an output is a refusal of Proviso rather than the tool's own result. It knows the very objects that protected tools returned in
 * this process; a tool cannot return one of its own making. Of an output that was stored and read again, ask `isStoredRefusal`.
 */
export function isRefusal(output: unknown): output is CallRefusal {
  return typeof output === 'object' && output !== null && made.has(output)
}

/** A tool that hands on the refusal of another one has succeeded all the same: its result is a copy, which is a refusal no more. */
export function ownResult(value: unknown): unknown {
  return isRefusal(value) ? { ...value } : value
}

/**
 * Whether an output that was stored and read again looks like a refusal. A tool may return what looks the same: good enough to show a
 * conversation, not to decide whether something happened. That is on record under the call.
 */
export function isStoredRefusal(output: unknown): output is CallRefusal {
  if (typeof output !== 'object' || output === null) return false
  const { error, effect, next_action }: Partial<Record<keyof CallRefusal, unknown>> = output
  if (typeof error !== 'string' || error === 'SUCCESS' || !Object.hasOwn(taxonomy, error)) return false
  return effectWords.has(effect) && typeof next_action === 'string' && Object.keys(output).every((key) => keys.has(key))
}
