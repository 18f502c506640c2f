// The ledger's port: where calls, facts, slots, approvals, budgets and escalations live. Every engine passes one suite (test/ledger/).
// admit and settle are the two writes of a mutating call; each is one atomic step.
import type { Effect, RecordedAnswer } from '../contract/answer.ts'
import type { Approval, ApprovalSubject, Decision, Escalation } from '../contract/approval.ts'
import type { ArgumentReading, Mutation } from '../contract/call.ts'
import type { BudgetKind } from '../contract/effects.ts'
import type { Fact } from '../contract/fact.ts'
import type { HookOutput } from '../contract/hook.ts'
import type { KeyFields, SlotRecord, SlotRef, SlotStatus } from '../contract/slot.ts'
import type { SurfaceReason } from '../contract/surface.ts'
import type { TaxonomyClass } from '../contract/taxonomy.ts'
import type { Awaitable } from '../contract/tool.ts'
import type { EpochMs } from '../json/clock.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'

/** What finds a call again when it is proposed once more. */
export interface CallKey {
  readonly tenant: string
  readonly run: string | undefined
  readonly providerCallId: string | undefined
  readonly tool: string
  readonly inputHash: string
}

export interface CallRecord {
  readonly id: string
  readonly key: CallKey
  readonly workflow: string | undefined
  readonly traceId: string
  readonly principal: {
    readonly user: string | undefined
    readonly roles: readonly string[]
    readonly scopes: readonly string[]
    readonly agent: string | undefined
  }
  readonly operationId: string | undefined
  readonly version: string
  readonly contractHash: string
  /** The arguments as they were read: canonical text, or the raw text where it could not be read. */
  readonly argumentText: string
  readonly source: 'text' | 'parsed'
  readonly startedAt: EpochMs
  readonly passes: number
  /** What the last pass came to. */
  readonly status: TaxonomyClass
  readonly effect: Effect
  readonly latencyMs: number
  /** What hooks said and made of the input, reused by every later pass. */
  readonly hookOutputs: readonly HookOutput[] | undefined
  readonly permissionInput: JsonObject | undefined
  readonly callInput: JsonObject | undefined
  /** Every change to the input, by whom and to which fields; hashes, no values. */
  readonly mutations: readonly Mutation[]
  /** Whether the caller named the tenant, rather than the default being taken. */
  readonly tenantNamed: boolean
  /** Why the arguments could not be read, where they could not. */
  readonly refusal: Extract<ArgumentReading, { ok: false }>['refusal'] | undefined
  /** How the tool stood on the surface, where it was not loaded. */
  readonly surfaceEntry:
    | { readonly status: 'deferred' | 'blocked'; readonly reason: SurfaceReason; readonly note: string }
    | undefined
  /** The last answer, for calls that change something or ask a person. */
  readonly answer: RecordedAnswer | undefined
}

/** One pass of the pipeline over a call: written as a group. */
export interface PassEntry {
  readonly call: CallRecord
  readonly facts: readonly Fact[]
  /** Whether the call may be proposed again under its key; reads never are. */
  readonly findAgain: boolean
}

export interface RateWindow {
  readonly scope: string
  readonly windowMs: number
  readonly max: number
}

export interface BudgetClaim {
  readonly run: string
  readonly kind: BudgetKind
  readonly max: number
}

export interface AdmitRequest {
  readonly callId: string
  readonly tenant: string
  readonly slot: SlotRef | undefined
  /** What the key of the generation is made of that this admission opens; a retry keeps the key it has. */
  readonly keyFields: KeyFields
  readonly approval: { readonly id: string; readonly payloadHash: string } | undefined
  readonly rate: RateWindow
  readonly budget: BudgetClaim | undefined
}

export type Admission =
  | {
      readonly kind: 'admitted'
      readonly generation: number
      readonly attempt: number
      /** How often the executor was started before, over all attempts. */
      readonly starts: number
      readonly idempotencyKey: string | undefined
    }
  | { readonly kind: 'slot'; readonly record: SlotRecord }
  | { readonly kind: 'approval' }
  | { readonly kind: 'budget'; readonly budget: BudgetKind; readonly max: number }
  | { readonly kind: 'rate'; readonly retryAfterMs: number }

export interface SettleRequest {
  readonly callId: string
  readonly tenant: string
  readonly slotKey: string | undefined
  readonly generation: number
  readonly attempt: number
  /** How often the executor was started within this attempt. */
  readonly tries: number
  readonly status: Exclude<SlotStatus, 'EXPIRED'>
  readonly effect: SlotRecord['effect']
  readonly held: boolean
  readonly answer: RecordedAnswer | undefined
  readonly ttlMs: number | undefined
  readonly approvalId: string | undefined
  readonly budget: BudgetClaim | undefined
}

/** `late`: another settle came first; the caller records the fact and touches nothing. */
export type Settlement = 'settled' | 'late'

export interface CallQuery {
  readonly tenant?: string
  readonly run?: string
  readonly tool?: string
  readonly limit?: number
}

export interface Ledger {
  /** Ephemeral: a crash empties it. Registration refuses what must not be lost. */
  readonly durability: 'ephemeral' | 'durable'

  findCall(key: CallKey): Awaitable<CallRecord | undefined>
  record(entry: PassEntry): Awaitable<void>
  appendFact(fact: Fact): Awaitable<void>
  call(id: string): Awaitable<CallRecord | undefined>
  calls(query: CallQuery): Awaitable<readonly CallRecord[]>
  facts(callId: string): Awaitable<readonly Fact[]>

  /** The generation that has seen this provider call id, else the newest. */
  slot(tenant: string, key: string, providerCallId: string | undefined): Awaitable<SlotRecord | undefined>
  /** Notes that a provider call id was answered from this generation, so that it always will be. */
  seeSlot(tenant: string, key: string, generation: number, providerCallId: string): Awaitable<void>
  admit(request: AdmitRequest): Awaitable<Admission>
  settle(request: SettleRequest): Awaitable<Settlement>
  /** Replaces the answer of a settled generation by what the phases after the settle made of it. */
  amend(tenant: string, key: string, generation: number, answer: RecordedAnswer): Awaitable<void>

  /** Opens an approval, or returns the one that is already open for the same subject; undefined when a run has `maxOpen` waiting. */
  openApproval(approval: Approval, maxOpen: number): Awaitable<Approval | undefined>
  findApproval(subject: ApprovalSubject): Awaitable<Approval | undefined>
  approval(id: string): Awaitable<Approval | undefined>
  approvals(tenant?: string): Awaitable<readonly Approval[]>
  decide(id: string, decision: Decision): Awaitable<Approval | undefined>

  escalate(escalation: Escalation): Awaitable<void>
  escalations(tenant?: string): Awaitable<readonly Escalation[]>

  discover(tenant: string, run: string, tools: readonly string[]): Awaitable<void>
  discovered(tenant: string, run: string): Awaitable<ReadonlySet<string>>

  saveResult(tenant: string, callId: string, value: JsonValue): Awaitable<string>
  result(tenant: string, ref: string): Awaitable<JsonValue | undefined>

  close(): Awaitable<void>
}
