// The call: a proposal in its context, as the phases see it. The loop alone changes it, by what a phase's verdict gives.
import type { EpochMs, Moment } from '../../json/clock.ts'
import type { CopyRefusal } from '../../json/copy.ts'
import type { Refusal } from '../../json/refusal.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { FieldError } from '../../schema/field-error.ts'
import type { Approval, Escalation } from '../approval/approval.ts'
import type { ApprovalPattern } from '../effects.ts'
import type { ReleaseClaim } from '../release/release.ts'
import type { SagaMark } from '../saga/saga.ts'
import type { TaxonomyClass } from '../taxonomy.ts'
import type { Surface } from '../tool/surface.ts'
import type { Tool } from '../tool/tool.ts'
import type { VerificationReport } from '../verification/verification.ts'
import type { Answer, Effect, Reason } from './answer.ts'
import type { CallLocks, LockGrant, Seat } from './call-locks.ts'
import type { CounterClaim } from './claim.ts'
import type { Fact } from './fact.ts'
import type { HookOutput } from './hook.ts'
import type { ResultParts, ResultPlan } from './result.ts'
import type { AttemptEnd } from './settlement.ts'
import type { SlotRecord, SlotRef } from './slot.ts'

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

/** Somebody who may object, and would have a person look first. */
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
      /** Without the secrets that the executor was handed, and without whatever looks like one. */
      readonly value: unknown
      readonly effect: Effect
      /** How many secrets were taken out. */
      readonly scrubbed: number
      /** Takes the same secrets out of what others make of the value. */
      readonly scrub: (value: unknown) => unknown
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

/** How a pass ended. */
export type Conclusion =
  | { readonly kind: 'success' }
  | {
      readonly kind: 'stop'
      readonly class: TaxonomyClass
      readonly reason: Reason
      readonly errors: readonly ErrorDetail[]
      readonly retryAfterMs?: number
    }
  | { readonly kind: 'wait'; readonly reason: 'approval_pending' | 'approval_expired'; readonly approval: Approval }
  | { readonly kind: 'end'; readonly answer: Answer }

export interface Call {
  readonly id: string
  /** How often the pipeline has been run for this id, this time included. */
  readonly pass: number
  readonly startedAt: EpochMs
  /** When this pass was opened here; undefined for a call that another process opened. */
  readonly openedAt?: Moment
  /** How long the whole of this pass may take, pauses included. */
  readonly deadlineMs?: number | undefined
  readonly tenant: string
  /** Whether the caller named the tenant, rather than the default being taken. */
  readonly tenantNamed: boolean
  readonly tenantKnown: boolean
  readonly principal: Principal
  readonly workflow: string | undefined
  readonly run: string | undefined
  readonly traceId: string
  readonly operationId: string | undefined
  /** The step of a saga that the call is made for; only the engine of sagas sets it. */
  readonly saga?: SagaMark | undefined
  readonly resumeOnDecision: boolean
  /** The release that the caller says it was built from. */
  readonly claim?: ReleaseClaim | undefined
  /** The caller says that whatever drives the run is not to be trusted. */
  readonly untrusted?: boolean
  /** What the run carried when the call was looked up. */
  readonly runLabels?: readonly string[]
  readonly proposal: Proposal
  readonly source: 'text' | 'parsed'
  readonly reading: ArgumentReading
  readonly surface: Surface
  readonly signal: AbortSignal | undefined

  readonly tool?: Tool
  /** The arguments without what a provider's dialect made the model write, where there was such; the reading is as emitted. */
  readonly undone?: JsonObject
  /** What the model meant: the reading, or what undoing its dialect left of it. Slot and hash are of this. */
  readonly modelInput?: JsonObject
  readonly inputHash?: string | undefined
  readonly observableInput?: JsonObject
  readonly permissionInput?: JsonObject | undefined
  /** What the executor gets: permission_input, or what the schema library made of it. */
  readonly callInput?: unknown
  /** The same as plain JSON, for pointers; permission_input where it cannot be written as such. */
  readonly callJson?: JsonObject
  /** What a schema library made of the input in an earlier pass, where that is plain JSON. */
  readonly keptCallInput?: JsonObject
  /** SHA-256 of permission_input and call_input together: what an approval is bound to. */
  readonly payloadHash?: string
  /** What hooks said, once per call id. */
  readonly hookOutputs?: readonly HookOutput[] | undefined
  readonly mutations: readonly Mutation[]
  readonly fieldErrors?: readonly FieldError[]
  readonly slotRef?: SlotRef
  /** Nothing was looked up: the call is judged as one of which nothing is known, and its admission says whether that is so. */
  readonly unseen?: boolean
  /** The slot's record as it was read together with the call, where nothing can have waited since. */
  readonly lookedUp?:
    | { readonly key: string; readonly record: SlotRecord | undefined; readonly at: EpochMs }
    | undefined
  readonly slotRecord?: SlotRecord
  /** The ledger's time at which the slot was judged. */
  readonly judgedAt?: EpochMs
  readonly generation?: number
  readonly idempotencyKey?: string
  readonly state?: JsonObject | null
  /** Everybody who asked for a person, first come first: permission rules, the effect class, labels, policies, hooks. */
  readonly asks?: readonly Ask[]
  readonly approval?: Approval
  /** Its approval was found used by another pass, and the slot was read again since. */
  readonly overtaken?: boolean
  /** The standing approval that covers the call, and what the call takes from its count and its total. */
  readonly grant?: { readonly id: string; readonly claims: readonly CounterClaim[] } | undefined
  /** Set once the locks of the call are taken, with the monotonic time of that. */
  readonly held?: LockGrant & { readonly since: number }
  /** Its locks; released by whoever opened the call, however it ends. */
  readonly locks?: CallLocks
  /** Its place among the calls of its batch. */
  readonly seat?: Seat
  /** What of the context cannot be meant, as a sentence. */
  readonly badContext?: string | undefined
  /** The request of an earlier start is sent again: that this one did nothing says nothing about the first. */
  readonly resent?: boolean
  /** Names the admission. */
  readonly nonce?: string
  readonly attempt?: number
  /** How often the executor was started in earlier attempts. */
  readonly starts?: number
  /** How often the executor was started within this attempt. */
  readonly tries?: number
  readonly startLog?: StartLog
  readonly outcome?: Outcome
  /** The result as plain JSON, and as observation data. */
  readonly json?: JsonValue
  /** The result before anything was masked, for the tool's own verifier alone. */
  readonly whole?: JsonValue
  readonly data?: JsonObject | null
  /** The steps of work that was done in part. */
  readonly parts?: ResultParts | undefined
  /** What was found in a result that is not to be passed on unsaid. */
  readonly found?: { readonly cleaned: JsonObject | undefined; readonly suspected: readonly JsonObject[] } | undefined
  /** What is done with a result that is not simply shown. */
  readonly plan?: ResultPlan | undefined
  readonly resultBytes?: number
  /** The facts of this pass so far, and how many of them are written down. */
  readonly trail?: readonly Fact[]
  readonly recorded?: number
  /** How the attempt ended, until that is written. */
  readonly due?: AttemptEnd | undefined
  /** Questions to people that are written with the pass. */
  readonly escalations?: readonly Escalation[]
  /** What reading the effect back has come to so far; undefined where nobody wants it read back. */
  readonly verification?: VerificationReport
  /** What earlier passes of the call had come to; it stands unless the tool is run again. */
  readonly verifiedBefore?: VerificationReport
  /** What the slot was settled with; later phases may add to it. */
  readonly settled?: { readonly data: JsonObject | null; readonly warnings: readonly string[] }
  readonly value?: unknown
  readonly effect: Effect
  readonly warnings: readonly string[]
  readonly conclusion?: Conclusion
  readonly answer?: Answer
}

export type CallGives = Partial<Call>

export interface ErrorDetail {
  /** Where the reason of the refusal is not what a program should branch on. */
  readonly code?: string
  readonly field: string
  readonly expected: string
  readonly actual: string
  readonly message: string
}
