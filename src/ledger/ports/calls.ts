// Calls and their records, read by people and by pipelines. Passes of the pipeline write them (operations.ts).

import type { Escalation } from '../../contract/approval/approval.ts'
import type { Effect } from '../../contract/call/answer.ts'
import type { ArgumentReading, Mutation } from '../../contract/call/call.ts'
import type { Fact } from '../../contract/call/fact.ts'
import type { HookOutput } from '../../contract/call/hook.ts'
import type { Observation } from '../../contract/call/observation.ts'
import type { SagaMark } from '../../contract/saga/saga.ts'
import type { TaxonomyClass } from '../../contract/taxonomy.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { SurfaceReason } from '../../contract/tool/surface.ts'
import type { CallTerms } from '../../contract/tool/terms.ts'
import type { VerificationReport } from '../../contract/verification/verification.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'

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
  /** The step of a saga that it was made for. */
  readonly saga?: SagaMark
  readonly version: string
  readonly contractHash: string
  /** The part of its tool's binding that an explanation needs; absent where no tool was found. */
  readonly terms?: CallTerms
  /** The arguments as they were read: canonical text, or the raw text where it could not be read. */
  readonly argumentText: string
  readonly source: 'text' | 'parsed'
  readonly startedAt: EpochMs
  readonly passes: number
  /** The result of the last pass; RUNNING from its admission to its end. */
  readonly status: TaxonomyClass | 'RUNNING'
  readonly effect: Effect
  readonly latencyMs: number
  /** The verdicts of hooks and their changes of the input, reused by every later pass. */
  readonly hookOutputs: readonly HookOutput[] | undefined
  readonly permissionInput: JsonObject | undefined
  readonly callInput: JsonObject | undefined
  /** Every change to the input, by whom and to which fields; hashes, no values. */
  readonly mutations: readonly Mutation[]
  /** Whether the caller named the tenant, rather than the default being taken. */
  readonly tenantNamed: boolean
  /** Why the arguments could not be read, where they could not. */
  readonly refusal: Extract<ArgumentReading, { ok: false }>['refusal'] | undefined
  /** The status of the tool on the surface, where it was not loaded. */
  readonly surfaceEntry:
    | { readonly status: 'deferred' | 'blocked'; readonly reason: SurfaceReason; readonly note: string }
    | undefined
  /** The errors and warnings of the last answer. */
  readonly told: Pick<Observation['result_payload'], 'errors' | 'warnings'> | undefined
  /** The result of reading its effect back; absent where it is not read back. */
  readonly verification?: VerificationReport
}

export interface CallQuery {
  readonly tenant?: string
  readonly run?: string
  readonly tool?: string
  readonly status?: CallRecord['status']
  readonly effect?: Effect
  /** Only calls whose operation is held. */
  readonly held?: boolean
  /** Only calls made after this one. */
  readonly after?: string
  /** Only calls made before this one, which was the last of the page before. */
  readonly before?: string
  readonly limit?: number
}

/** Reads take the tenant they are for. The host's own tools leave it out and see everything. */
export interface Calls {
  get(id: string, tenant?: string): Awaitable<CallRecord | undefined>
  list(query: CallQuery): Awaitable<readonly CallRecord[]>
  facts(callId: string, tenant?: string): Awaitable<readonly Fact[]>
  /** Open questions to people, oldest first. */
  escalations(tenant?: string): Awaitable<readonly Escalation[]>
  /** Keeps contracts, so that calls can be explained where their tools are not known. */
  saveContracts(contracts: ReadonlyMap<string, JsonObject>): Awaitable<void>
  contract(hash: string): Awaitable<JsonObject | undefined>
}
