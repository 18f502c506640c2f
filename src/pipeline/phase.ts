// The shape of every phase: the stage of a call that it takes, and what it may give it more. A gate may gather evidence (its only I/O,
// recorded) and then decides, purely; an act does, and is recorded.
import type { AskedQuestion } from '../approval/question.ts'
import type { Answer, Reason } from '../contract/call/answer.ts'
import type { ErrorDetail } from '../contract/call/call.ts'
import type { PhaseName } from '../contract/call/fact.ts'
import type { Call, OpenedCall } from '../contract/call/stages.ts'
import type { TaxonomyClass } from '../contract/taxonomy.ts'
import type { Awaitable } from '../contract/tool/executor.ts'
import type { JsonValue } from '../json/value.ts'
import type { Deps } from './deps.ts'

/** Fields of a stage that a phase gives: those that every pass of it gives, and those that it may give. */
export type Gives<Stage, Always extends keyof Stage, Sometimes extends keyof Stage = never> = Pick<Stage, Always> &
  Partial<Pick<Stage, Sometimes>>

type Nothing = Record<never, never>

/** Everything a phase can come to. What of `given` is required, only a pass has to give. */
export type Verdict<Given extends object = Nothing> =
  | Pass<Given>
  | End<Given>
  | StopGiving<Given>
  | Wait
  | Again<Given>
  | Known

type Pass<Given extends object> = (Nothing extends Given ? { readonly kind: 'pass' } : never) | PassWith<Given>

interface PassWith<Given extends object> {
  readonly kind: 'pass'
  readonly gives: Given
}

/** A recorded answer: replayed, not refused. */
interface End<Given extends object> {
  readonly kind: 'end'
  readonly answer: Answer
  readonly gives?: Partial<Given>
}

export interface Stop {
  readonly kind: 'stop'
  readonly class: TaxonomyClass
  readonly reason: Reason
  readonly errors: readonly ErrorDetail[]
  readonly retryAfterMs?: number
}

export interface StopGiving<Given extends object> extends Stop {
  readonly gives?: Partial<Given>
}

/** A person has to decide. The loop stores the packet. */
export interface Wait {
  readonly kind: 'wait'
  readonly reason: 'approval_pending' | 'approval_expired'
  readonly asked: AskedQuestion
  readonly payloadHash: string
  /** An earlier approval that is no longer enough. */
  readonly replaces: string | undefined
  /** The id of a packet that waits already. */
  readonly waiting: string | undefined
}

/** Something that earlier gates judged has changed: judge it again. */
interface Again<Given extends object> {
  readonly kind: 'again'
  readonly from: PhaseName
  readonly gives: Partial<Given>
}

/** The call was taken for new, and the ledger knows of it: nothing was done, and it is judged again on what is known. */
export interface Known {
  readonly kind: 'known'
}

export interface PhaseRow {
  readonly name: PhaseName
  /** What it does, in one line, for the table that `proviso gates` prints. */
  readonly does: string
  /** Every class and reason it can stop with; a test holds the code to it. */
  readonly stopsWith: readonly { readonly class: TaxonomyClass; readonly reasons: readonly Reason[] }[]
}

export interface Gate<Stage extends OpenedCall, Given extends object = Nothing, Evidence = void> extends PhaseRow {
  gather?(call: Stage, deps: Deps): Awaitable<Evidence>
  decide(call: Stage, evidence: Evidence): Verdict<Given>
  /** What of the evidence is recorded; by default all of it. Replay decides on this, so it must lead to the same verdict. */
  keep?(evidence: Evidence, call: Stage): Evidence
}

export interface Act<Stage extends OpenedCall, Given extends object = Nothing> extends PhaseRow {
  act(call: Stage, deps: Deps): Awaitable<Verdict<Given>>
  /** What the fact says beyond the verdict; asked when its verdict has been applied. */
  keep?(call: Call): JsonValue | undefined
}

/**
 * Phases of all stages, for the list and the loop. The order of the list is what lets a phase rely on its stage; the loop hands each gate
 * only what the same gate gathered.
 */
export type Phase = Gate<OpenedCall, object, unknown> | Act<OpenedCall, object>

/** One object for every pass that gives nothing. */
export const pass: { readonly kind: 'pass' } = Object.freeze({ kind: 'pass' })

/** The compiler checks its fields against what the phase may give; it would not check a plain literal. */
export const passWith = <Given extends object>(gives: NoInfer<Given>): PassWith<Given> => ({ kind: 'pass', gives })

export function stop<Given extends object = Nothing>(
  taxonomyClass: TaxonomyClass,
  reason: Reason,
  errors: readonly ErrorDetail[] | string,
  more?: { readonly retryAfterMs?: number; readonly gives?: NoInfer<Partial<Given>> },
): StopGiving<Given> {
  const list = Array.isArray(errors) ? errors : [{ field: '$', expected: '', actual: '', message: sentence(errors) }]
  return { kind: 'stop', class: taxonomyClass, reason, errors: list, ...more }
}

/** Messages often come from code of the host, which may say anything; only words are passed on. */
function sentence(text: unknown): string {
  return typeof text === 'string' && text !== '' ? text : 'No reason was given.'
}
