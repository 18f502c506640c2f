// Everything that a host gives and gets: the options that a Proviso is opened with, and what it can then be asked.
import type { ApprovalDesk, ApprovalView } from '../approval/approval-desk.ts'
import type { BudgetRequest } from '../approval/budget-request.ts'
import type { Grants } from '../approval/grants.ts'
import type { ResolutionInput } from '../approval/resolve-held.ts'
import type { Escalation } from '../contract/approval/approval.ts'
import type { Identity } from '../contract/approval/identity.ts'
import type { Answer } from '../contract/call/answer.ts'
import type { Proposal } from '../contract/call/call.ts'
import type { Fact } from '../contract/call/fact.ts'
import type { Hook } from '../contract/call/hook.ts'
import type { Release } from '../contract/release/release.ts'
import type { SagaDefinition } from '../contract/saga/saga.ts'
import type { CredentialResolver } from '../contract/tool/credential.ts'
import type { VerificationState } from '../contract/verification/verification.ts'
import type { DriftDesk } from '../drift/pins/drift-desk.ts'
import type { Releases } from '../drift/release/release-desk.ts'
import type { VersionChoice } from '../drift/versions/route.ts'
import type { Versions } from '../drift/versions/version-desk.ts'
import type { ProgramOptions } from '../execute/executors/process/program-users.ts'
import type { Clock } from '../json/clock.ts'
import type { Entropy } from '../json/id.ts'
import type { ReadLimits } from '../json/refusal.ts'
import type { JsonObject } from '../json/value.ts'
import type { CallQuery, CallRecord } from '../ledger/ports/calls.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import type { ResolutionOutcome } from '../ledger/ports/operations.ts'
import type { PinStore } from '../ledger/ports/pins.ts'
import type { BatchOptions } from '../pipeline/batch/batch-options.ts'
import type { BatchAnswer } from '../pipeline/batch/open-batches.ts'
import type { CallContext } from '../pipeline/call/call-context.ts'
import type { CallProgress, HostPolicy } from '../pipeline/deps.ts'
import type { Recovered } from '../pipeline/later/recover.ts'
import type { Principals } from '../pipeline/later/resume-calls.ts'
import type { Saga, Sagas } from '../pipeline/later/saga-desk.ts'
import type { Replay } from '../pipeline/record/replay.ts'
import type { ResultPage, StoredResult } from '../pipeline/record/stored-results.ts'
import type { LimitLeft } from '../policy/budgets/left.ts'
import type { BudgetOptions } from '../policy/budgets/limit.ts'
import type { CedarSet } from '../policy/cedar/cedar-sets.ts'
import type { Permissions } from '../policy/permission/permission-rule.ts'
import type { ShownSurface } from '../surface/format-surface.ts'
import type { NarrowOptions } from '../surface/narrow-surface.ts'
import type { ToolSource } from './tool-definition.ts'

export interface ProvisoOptions {
  /**
   * Where calls, slots and approvals live: a ledger, or the URL of a Postgres database; in memory where it is left out. What is written and
   * undefined or empty is refused: a variable of the environment that is not set is no ledger in memory.
   */
  readonly ledger?: Ledger | string | undefined
  readonly tools?: Iterable<ToolSource>
  /** Sagas that this process goes on with; `proviso.saga()` adds to them. */
  readonly sagas?: Iterable<SagaDefinition>
  /** The tenants that exist; any other is refused. Undefined: every tenant is taken as given. */
  readonly tenants?: Iterable<string>
  /** How many calls of each kind one run may make, and limits on calls and money besides. */
  readonly budgets?: BudgetOptions
  readonly hooks?: readonly Hook[]
  /** Where the secrets come from that tools ask for; several are asked in turn. */
  readonly credentials?: CredentialResolver | readonly CredentialResolver[]
  /** Whom programs run as where this process is root. */
  readonly programs?: ProgramOptions
  /** Who may call what, as data: rules of the organisation, the project, the user and the run, heard in this order. */
  readonly permissions?: Permissions
  /** Policies in code, and sets of policies in Cedar. */
  readonly policies?: readonly (HostPolicy | CedarSet)[]
  /** Of tools with several versions: which one is current, and which is tried out by some runs first. */
  readonly versions?: Readonly<Record<string, VersionChoice>>
  /** The release that every call belongs to, until another one is promoted. A part of it that is not registered here is refused now. */
  readonly release?: Release
  /** Tools that stay visible but may not be called, each with the reason. */
  readonly blocked?: Readonly<Record<string, string>>
  /** What single tenants are offered less of: schemas by tenant and tool, each proven narrower than the tool's own. */
  readonly narrow?: NarrowOptions
  /** What people have approved of the tools of others: a store, or a file such as proviso.pins.json; kept with the ledger unless given. */
  readonly pins?: PinStore | string
  readonly limits?: Partial<ReadLimits>
  /** How often in a row a model is sent back to mend its calls of one tool, where the tool says nothing: 3 by default. */
  readonly maxRepairs?: number
  /** How often operations are looked after whose processes are gone, on a durable ledger: every second by default. */
  readonly sweepMs?: number
  /** Told what was thrown that should not have been: a lost database, a bug. Answers say only that something was. */
  readonly onFault?: (fault: unknown) => void
  /** Told of the progress that hooks report. */
  readonly onProgress?: (progress: CallProgress) => void
  /** Tells whose credential it is that a decision comes with. Without it, keys that are kept with the ledger or in .proviso/keys.json. */
  readonly identity?: Identity
  /** Roles and scopes of a user as they are now, for calls that a decision runs again; undefined: there is no such user any more. */
  readonly principals?: Principals
  readonly clock?: Clock
  readonly entropy?: Entropy
}

export interface Proviso {
  call(proposal: Proposal, context?: CallContext): Promise<Answer>
  /** The calls of one model step, run together as far as their tools allow; one answer each, in the order of the proposals. */
  callAll(proposals: Iterable<Proposal>, context?: CallContext, options?: BatchOptions): Promise<readonly Answer[]>
  /** The same, started at once, with every answer as soon as it may be given. A caller that stops iterating has gone away. */
  stream(
    proposals: Iterable<Proposal>,
    context?: CallContext,
    options?: BatchOptions,
  ): AsyncIterableIterator<BatchAnswer>
  /** What this context may see. Pass it back in the context of calls, and later registrations will not widen it. */
  surface(context?: CallContext, tools?: Iterable<ToolSource>): Promise<ShownSurface>
  /** Judges tools that a surface will be made of later, now: throws the Fault that registration would. */
  prepare(tools: Iterable<ToolSource>): void
  /** Loads deferred tools into a run, by name or by words of their hint. The discovery is recorded. */
  discover(words: string, context: CallContext): Promise<readonly string[]>
  /** What people decide, and what they let through standing. */
  readonly approvals: ApprovalDesk & Grants
  /** Questions to people that are open. */
  readonly escalations: { list(tenant?: string): Promise<readonly Escalation[]> }
  /** How the limits stand that calls of this context are counted by. What processes have set aside for reads counts as used. */
  readonly budgets: {
    left(context?: CallContext): Promise<readonly LimitLeft[]>
    /** Asks people for more of a limit: a packet of its own. */
    request(request: BudgetRequest, context?: CallContext): Promise<ApprovalView>
  }
  /** Reads back the effects that are due to be read, now. Gives what became of each. */
  verify(): Promise<readonly VerificationState[]>
  /** Looks after operations whose processes are gone, now. Gives what became of each. */
  recover(): Promise<readonly Recovered[]>
  /** Ordered calls with compensations and a point of no return. Known to this process from here on: it goes on with those others left. */
  saga<Input extends object = JsonObject>(definition: SagaDefinition<Input>): Saga<Input>
  readonly sagas: Sagas
  /** Several versions of one tool: promoted, tried out, rolled back and compared. */
  readonly versions: Versions
  /** Model, prompt, contracts and package, promoted and rolled back together. */
  readonly releases: Releases
  /** Results that were kept out of an observation, by the reference it gives, for a reader who may have them. */
  readonly results: {
    get(ref: string, context?: CallContext): Promise<StoredResult>
    /** A part of its text, for a tool by which a model reads on; what such a tool returns is not stored once more. */
    page(
      ref: string,
      range: { readonly from?: number; readonly length?: number },
      context?: CallContext,
    ): Promise<ResultPage>
  }
  /** Tools that others publish: what they serve now against what a person approved. */
  readonly drift: DriftDesk
  readonly calls: {
    list(query?: CallQuery): Promise<readonly CallRecord[]>
    /** With a tenant, only what belongs to it; without, as the host's own tools see it. */
    get(id: string, tenant?: string): Promise<CallRecord | undefined>
    facts(id: string, tenant?: string): Promise<readonly Fact[]>
    /** Says what became of a held operation: it happened, or it did not and may be tried again. Recorded with who said so and why. */
    resolve(id: string, resolution: ResolutionInput): Promise<ResolutionOutcome & { readonly by: string }>
    /** Decides every gate of a recorded call again and reports where a verdict differs. */
    replay(id: string): Promise<readonly Replay[]>
  }
  close(): Promise<void>
}
