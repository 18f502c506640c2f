// The stages of a call. One object of one shape passes through all of them; each type names what a call of that stage has. Gates take
// it and give it more, by their verdicts; only the loop in pipeline/run.ts moves it from one stage to the next (docs/adr/0034).
//
//   Opened    a proposal in its context, and what earlier passes left
//   Resolved  its tool is found, and its arguments are one JSON object
//   Judged    its arguments are valid; what the executor would get, and what others may see of it, stands
//   Admitted  the ledger has let it start
//   Ended     it has its answer; of everything before, it has what it came to
import type { EpochMs, Moment } from '../../json/clock.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { FieldError } from '../../schema/field-error.ts'
import type { Approval, Escalation } from '../approval/approval.ts'
import type { ReleaseClaim } from '../release/release.ts'
import type { SagaMark } from '../saga/saga.ts'
import type { TaxonomyClass } from '../taxonomy.ts'
import type { Surface } from '../tool/surface.ts'
import type { Tool } from '../tool/tool.ts'
import type { VerificationReport } from '../verification/verification.ts'
import type { Answer, Effect, Reason } from './answer.ts'
import type {
  ArgumentReading,
  Ask,
  ErrorDetail,
  Mutation,
  Outcome,
  Principal,
  Proposal,
  RepairNote,
  StartLog,
} from './call.ts'
import type { CallLocks, LockGrant, Seat } from './call-locks.ts'
import type { CounterClaim } from './claim.ts'
import type { Fact } from './fact.ts'
import type { HookOutput } from './hook.ts'
import type { ResultParts, ResultPlan } from './result.ts'
import type { AttemptEnd } from './settlement.ts'
import type { SlotRecord, SlotRef } from './slot.ts'

export interface OpenedCall {
  readonly id: string
  /** How often the pipeline has been run for this id, this time included. */
  readonly pass: number
  readonly startedAt: EpochMs
  /** When this pass was opened here; undefined for a call that another process opened. */
  readonly openedAt: Moment | undefined
  /** How long the whole of this pass may take, pauses included. */
  readonly deadlineMs: number | undefined
  readonly tenant: string
  /** Whether the caller named the tenant, rather than the default being taken. */
  readonly tenantNamed: boolean
  readonly tenantKnown: boolean
  readonly principal: Principal
  readonly workflow: string | undefined
  readonly run: string | undefined
  readonly turn: string | undefined
  readonly traceId: string
  readonly operationId: string | undefined
  /** The step of a saga that the call is made for; only the engine of sagas sets it. */
  readonly saga: SagaMark | undefined
  readonly resumeOnDecision: boolean
  /** The release that the caller says it was built from. */
  readonly claim: ReleaseClaim | undefined
  /** The caller says that what drives the run is not to be trusted. */
  readonly untrusted: boolean
  /** What of the context cannot be meant, as a sentence. */
  readonly badContext: string | undefined
  readonly proposal: Proposal
  readonly source: 'text' | 'parsed'
  readonly reading: ArgumentReading
  /** SHA-256 of what the model meant; empty where its arguments could not be read. */
  readonly inputHash: string
  /** The arguments without what a provider's dialect made the model write, where there was such; the reading is as emitted. */
  readonly undone: JsonObject | undefined
  readonly surface: Surface
  readonly signal: AbortSignal | undefined
  /** Its locks; released at its end by the code that opened the call. */
  readonly locks: CallLocks | undefined
  /** Set once the locks of the call are taken, with the monotonic time of that. */
  readonly held: (LockGrant & { readonly since: number }) | undefined
  /** Its place among the calls of its batch. */
  readonly seat: Seat | undefined

  /** What the run carried when the call was looked up. */
  readonly runLabels: readonly string[] | undefined
  /** Nothing was looked up: the call is judged as a new one, and its admission finds out whether it is. */
  readonly unseen: boolean
  /** The slot's record as it was read together with the call, where nothing can have waited since. */
  readonly lookedUp:
    | {
        readonly key: string
        readonly record: SlotRecord | undefined
        readonly at: EpochMs
        readonly contradicted?: boolean
      }
    | undefined
  /** The request of an earlier start is sent again: that this one did nothing says nothing about the first. */
  readonly resent: boolean
  /** What hooks said, once per call id. */
  readonly hookOutputs: readonly HookOutput[] | undefined
  /** What people and policies judge; before the arguments are resolved, what a hook made of them in an earlier pass. */
  readonly permissionInput: JsonObject | undefined
  /** What a schema library made of the input, where that is plain JSON: a later pass uses it again. */
  readonly keptCallInput: JsonObject | undefined
  /** What earlier passes of the call had come to; it stands unless the tool is run again. */
  readonly verifiedBefore: VerificationReport | undefined

  /** What is known to have happened, at any moment. */
  readonly effect: Effect
  readonly warnings: readonly string[]
  readonly mutations: readonly Mutation[]
  readonly repair: RepairNote | undefined
  /** Questions to people that are written with the pass. */
  readonly escalations: readonly Escalation[] | undefined
  /** The facts of this pass so far, and how many of them are written down. */
  readonly trail: readonly Fact[]
  readonly recorded: number
}

export interface ResolvedCall extends OpenedCall {
  readonly tool: Tool
  /** What the model meant: the reading, or what undoing its dialect left of it. Slot and hash are of this. */
  readonly modelInput: JsonObject
  readonly permissionInput: JsonObject
  /** What is wrong with the arguments, until the gate refuses that it belongs to. */
  readonly fieldErrors: readonly FieldError[] | undefined
}

export interface JudgedCall extends ResolvedCall {
  readonly observableInput: JsonObject
  /** What the executor gets: permission_input, or what the schema library made of it. */
  readonly callInput: unknown
  /** The same as plain JSON, for pointers; permission_input where it cannot be written as such. */
  readonly callJson: JsonObject
  /** Undefined for a read: nothing it does could happen twice. */
  readonly slotRef: SlotRef | undefined
  readonly slotRecord: SlotRecord | undefined
  /** The ledger's facts say otherwise of the slot than its record: another hand has changed one of them. */
  readonly contradicted: boolean
  /** The ledger's time at which the slot was judged; of a read, the time of opening. */
  readonly judgedAt: EpochMs
  readonly generation: number
  /** All that asked for a person, first come first: permission rules, the effect class, labels, policies, hooks. */
  readonly asks: readonly Ask[] | undefined
  readonly state: JsonObject | null | undefined
  /** SHA-256 of permission_input and call_input together: what an approval is bound to. */
  readonly payloadHash: string | undefined
  readonly approval: Approval | undefined
  /** Its approval was found used by another pass, and the slot was read again since. */
  readonly overtaken: boolean
  /** The standing approval that covers the call, and what the call takes from its count and its total. */
  readonly grant: { readonly id: string; readonly claims: readonly CounterClaim[] } | undefined
}

export interface AdmittedCall extends JudgedCall {
  /** Names the admission; undefined for a read, which has no operation. */
  readonly nonce: string | undefined
  readonly idempotencyKey: string | undefined
  readonly attempt: number
  /** How often the executor was started in earlier attempts. */
  readonly starts: number
  /** How often the executor was started within this attempt. */
  readonly tries: number
  readonly startLog: StartLog | undefined
  readonly outcome: Outcome | undefined
  /** The result as plain JSON, and as observation data. */
  readonly json: JsonValue | undefined
  readonly data: JsonObject | null | undefined
  /** The result before anything was masked, for the tool's own verifier alone. */
  readonly whole: JsonValue | undefined
  readonly value: unknown
  readonly resultBytes: number | undefined
  /** The steps of work that was done in part. */
  readonly parts: ResultParts | undefined
  /** What the result carried that the model has to be warned of. */
  readonly found: { readonly cleaned: JsonObject | undefined; readonly suspected: readonly JsonObject[] } | undefined
  /** What is done with a result that is not simply shown. */
  readonly plan: ResultPlan | undefined
  /** How the attempt ended, until that is written. */
  readonly due: AttemptEnd | undefined
  /** What the slot was settled with; later phases may add to it. */
  readonly settled: { readonly data: JsonObject | null; readonly warnings: readonly string[] } | undefined
  /** What reading the effect back has come to so far; undefined where no reading is wanted. */
  readonly verification: VerificationReport | undefined
}

type Later = { readonly [Field in Exclude<keyof AdmittedCall, keyof OpenedCall>]?: AdmittedCall[Field] | undefined }

/** A call at any stage, for what is asked at several of them: what it has not come to is undefined. */
export interface Call extends OpenedCall, Later {}

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

export interface EndedCall extends Call {
  readonly conclusion: Conclusion
  readonly answer: Answer
}
