// The nouns of a call: what was proposed, by whom, how its arguments were read, and what an executor came to. What is known of a call, and
// from when on, is in stages.ts.
import type { CopyRefusal } from '../../json/copy.ts'
import type { Refusal } from '../../json/refusal.ts'
import type { Steps } from '../../json/slices.ts'
import type { JsonValue } from '../../json/value.ts'
import type { ApprovalPattern } from '../effects.ts'
import type { TaxonomyClass } from '../taxonomy.ts'
import type { Effect, Reason } from './answer.ts'

/** What the model emitted. */
export interface Proposal {
  readonly tool: string
  /** The raw argument text; or the object an SDK has already parsed. Absent and null count as {}. */
  readonly arguments?: unknown
  /** The provider's id of this call. */
  readonly callId?: string
}

/** The strict reading of the arguments, from text or from a copied object. */
export type ArgumentReading =
  | { readonly ok: true; readonly value: JsonValue; readonly canonical: string }
  | { readonly ok: false; readonly refusal: Refusal | CopyRefusal }

export interface Principal {
  readonly user: string | undefined
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  readonly agent: string | undefined
}

/** A change to an input, made once per call id. */
export interface Mutation {
  readonly by: string
  readonly reason: string
  readonly fields: readonly string[]
  readonly fromHash: string
  readonly toHash: string
}

/** What a proposal is to the refusal before it. */
export type RepairLink = {
  /** The call that it repairs, or tries to. */
  readonly of: string
  /** It is this repair in a row. */
  readonly number: number
  /** Hashes of the payload that was refused, and of what was said about it. */
  readonly payload: string
  readonly errors: string
}

/** How a proposal stands in the repairs of its scope; written with its answer. */
export type RepairNote = {
  readonly repairs: RepairLink | null
  /** Of a refusal: hashes of its payload, of what is said about it, and of both together. */
  readonly refused: { readonly payload: string; readonly errors: string; readonly fingerprint: string } | null
}

/** A voice that may object, and wants a person to look first. */
export interface Ask {
  /** Who asks: `class/confirmation`, `cedar/large-charges`, `permission/organisation/night`, `hook/guard`. */
  readonly source: string
  readonly message: string
  /** Hash of the policies it comes from, where they are versioned. */
  readonly version?: string
  /** What the source demands of the approval; undefined leaves it to the tool. */
  readonly pattern?: ApprovalPattern
  readonly roles?: readonly string[]
  readonly quorum?: number
}

/** What an executor's attempt came to. */
export type Outcome =
  | {
      readonly kind: 'returned'
      /** Without the secrets that the executor was handed, and without what looks like one. */
      readonly value: unknown
      readonly effect: Effect
      /** Whether instances of foreign classes are in the value: then it is not shown, only what a check of the output makes of it. */
      readonly foreign: boolean
      /** How many secrets were taken out. */
      readonly scrubbed: number
      /** Takes the same secrets out of what others make of the value. */
      readonly scrub: (value: unknown) => Steps<unknown>
      /** What the executor says besides; without those secrets as well. */
      readonly warnings: readonly string[]
    }
  | {
      readonly kind: 'failed'
      readonly class: TaxonomyClass
      readonly reason: Reason
      readonly code: string
      readonly message: string
      readonly effect: Exclude<Effect, 'pending'>
      readonly retryAfterMs: number | undefined
    }

/** One start of the executor, as it is recorded. */
export interface StartRecord {
  readonly outcome: string
  readonly class?: TaxonomyClass
  readonly effect: Effect
  readonly ms: number
  /** How long the next start waited. */
  readonly paused_ms?: number
}

/** How an attempt came by its outcome, where that took more than one start or would have. */
export interface StartLog {
  readonly starts: readonly StartRecord[]
  /** Why a start that the contract would have allowed was not made: an effect stands, or may stand. */
  readonly blocked?: 'effect_happened' | 'effect_unknown'
  /** Why it was not tried again although nothing stands. */
  readonly gaveUp?:
    | 'not_retryable'
    | 'exhausted'
    | 'pause_too_long'
    | 'deadline'
    | 'canceled'
    | 'rate_limited'
    | 'budget_exhausted'
    | 'not_counted'
}

export interface ErrorDetail {
  /** Where the reason of the refusal is not what a program should branch on. */
  readonly code?: string
  readonly field: string
  readonly expected: string
  readonly actual: string
  readonly message: string
}
