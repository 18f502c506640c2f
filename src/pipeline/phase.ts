// The shape of every phase. A gate may gather evidence (its only I/O, recorded) and then decides, purely; an act does, and is recorded.
import type { Asked } from '../approval/question.ts'
import type { Answer, Reason } from '../contract/call/answer.ts'
import type { Call, CallGives, ErrorDetail } from '../contract/call/call.ts'
import type { PhaseName } from '../contract/call/fact.ts'
import type { TaxonomyClass } from '../contract/taxonomy.ts'
import type { Awaitable } from '../contract/tool/executor.ts'
import type { JsonValue } from '../json/value.ts'
import type { Deps } from './deps.ts'

export type Verdict =
  | { readonly kind: 'pass'; readonly gives?: CallGives }
  /** A recorded answer: replayed, not refused. */
  | { readonly kind: 'end'; readonly answer: Answer; readonly gives?: CallGives }
  | Stop
  /** A person has to decide. The loop stores the packet. */
  | Wait
  /** Something that earlier gates judged has changed: judge it again. */
  | { readonly kind: 'again'; readonly from: PhaseName; readonly gives: CallGives }

export interface Stop {
  readonly kind: 'stop'
  readonly class: TaxonomyClass
  readonly reason: Reason
  readonly errors: readonly ErrorDetail[]
  readonly retryAfterMs?: number
  readonly gives?: CallGives
}

export interface Wait {
  readonly kind: 'wait'
  readonly reason: 'approval_pending' | 'approval_expired'
  readonly asked: Asked
  readonly payloadHash: string
  /** The approval that no longer does. */
  readonly replaces: string | undefined
  /** The packet that waits already. */
  readonly waiting: string | undefined
}

export interface PhaseRow {
  readonly name: PhaseName
  /** What it does, in one line, for the table that `proviso gates` prints. */
  readonly does: string
  /** Every class and reason it can stop with; a test holds the code to it. */
  readonly stopsWith: readonly { readonly class: TaxonomyClass; readonly reasons: readonly Reason[] }[]
}

export interface Gate<E = void> extends PhaseRow {
  gather?(call: Call, deps: Deps): Awaitable<E>
  decide(call: Call, evidence: E): Verdict
  /** What of the evidence is recorded; by default all of it. Replay decides on this, so it must lead to the same verdict. */
  keep?(evidence: E, call: Call): E
}

export interface Act extends PhaseRow {
  act(call: Call, deps: Deps): Awaitable<Verdict>
  /** What the fact says beyond the verdict. */
  keep?(call: Call): JsonValue | undefined
}

/** Gates differ in their evidence; the loop hands each gate only what the same gate gathered. */
export type Phase = Gate<unknown> | Act

export const pass: Verdict = { kind: 'pass' }

export function stop(
  taxonomyClass: TaxonomyClass,
  reason: Reason,
  errors: readonly ErrorDetail[] | string,
  more?: { readonly retryAfterMs?: number; readonly gives?: CallGives },
): Stop {
  const list = Array.isArray(errors) ? errors : [{ field: '$', expected: '', actual: '', message: sentence(errors) }]
  return { kind: 'stop', class: taxonomyClass, reason, errors: list, ...more }
}

/** Messages often come from code of the host, which may say anything; only words are passed on. */
function sentence(text: unknown): string {
  return typeof text === 'string' && text !== '' ? text : 'No reason was given.'
}
