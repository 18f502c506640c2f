// The ledger's port: where calls, facts, slots, approvals, budgets and escalations live. Every engine passes one suite (test/ledger/).
// A mutating call costs two commits, admit and record, and a reading before them unless it is taken for new. Each is one atomic step.
import type { Effect, RecordedAnswer } from '../contract/answer.ts'
import type { Approval, ApprovalRequest, ApprovalSubject, Decision, Escalation } from '../contract/approval.ts'
import type { ArgumentReading, Mutation } from '../contract/call.ts'
import type { Fact } from '../contract/fact.ts'
import type { HookOutput } from '../contract/hook.ts'
import type { KeyStore } from '../contract/identity.ts'
import type { Observation } from '../contract/observation.ts'
import type { SagaMark } from '../contract/saga.ts'
import type { CounterClaim, SettleRequest } from '../contract/settlement.ts'
import type { KeyFields, SlotRecord, SlotRef } from '../contract/slot.ts'
import type { StandingGrant } from '../contract/standing-grant.ts'
import type { SurfaceReason } from '../contract/surface.ts'
import type { TaxonomyClass } from '../contract/taxonomy.ts'
import type { CallTerms } from '../contract/terms.ts'
import type { Awaitable, ExactRows, ExactStatement } from '../contract/tool.ts'
import type { VerificationBody, VerificationReport, VerificationRequest } from '../contract/verification.ts'
import type { EpochMs } from '../json/clock.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { ApprovalQuery, GrantQuery } from './approval-query.ts'
import type { IssueToken } from './judge-decision.ts'
import type { PublicKey } from './log/public-key.ts'
import type { SigningKey } from './log/signing-key.ts'
import type { PinStore } from './pin-store.ts'
import type { SagaStore } from './saga-store.ts'
import type { TransparencyLog } from './transparency-log.ts'
import type { VersionStore } from './version-store.ts'

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
  /** What of its tool's binding an explanation needs; absent where no tool was found. */
  readonly terms?: CallTerms
  /** The arguments as they were read: canonical text, or the raw text where it could not be read. */
  readonly argumentText: string
  readonly source: 'text' | 'parsed'
  readonly startedAt: EpochMs
  readonly passes: number
  /** What the last pass came to; RUNNING from its admission to its end. */
  readonly status: TaxonomyClass | 'RUNNING'
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
  /** What the last answer said was wrong, and what it warned of. */
  readonly told: Pick<Observation['result_payload'], 'errors' | 'warnings'> | undefined
  /** What reading its effect back has come to; absent where nobody wants it read back. */
  readonly verification?: VerificationReport
}

/** What one pass of the pipeline leaves behind, or a part of it: written in one commit. */
export interface PassEntry {
  /** Names the write, where it may be tried again: the same name is the same write. */
  readonly id?: string
  readonly call: CallRecord
  /** Only facts that no earlier entry of this pass had. */
  readonly facts: readonly Fact[]
  /** Whether the call may be proposed again under its key; reads never are. */
  readonly findAgain: boolean
  /** The pass was only told of another that is under way: its facts are kept, and what is known of the call stays as it is. */
  readonly looksOn?: boolean
  /** The pass was never admitted: where another of its number has written meanwhile, what that one says of the call stays. */
  readonly yields?: boolean
  /** The answer may be given before this is durable. Engines that promise nothing durable ignore it. */
  readonly trails?: boolean
  /** What the attempt came to. */
  readonly settle?: SettleRequest
  /** What the phases after the settle made of the answer. */
  readonly amend?: { readonly slotKey: string; readonly generation: number; readonly answer: RecordedAnswer }
  /** This provider call id was answered from this generation, and always will be. */
  readonly seen?: { readonly slotKey: string; readonly generation: number; readonly providerCallId: string }
  readonly escalations?: readonly Escalation[]
  /** With a settle: has the effect read back later. Without: when it is read next. */
  readonly verify?: VerificationRequest
  /** The effect was read back within the call: nobody has to do it later. */
  readonly verified?: boolean
}

/** What is read before the gates, in one round trip. */
export interface LookUp {
  readonly key: CallKey
  /** The slot, where it can be told before the call is judged. */
  readonly slot: { readonly key: string; readonly providerCallId: string | undefined } | undefined
  /** Whether what the run carries is wanted as well. */
  readonly labels?: boolean
}

export interface LookedUp {
  readonly call: CallRecord | undefined
  readonly slot: SlotReading | undefined
  /** What the run carries, where that was wanted. */
  readonly labels?: readonly string[]
}

/** A slot's record as it stood at a moment of the ledger's own clock. */
export interface SlotReading {
  readonly record: SlotRecord | undefined
  readonly at: EpochMs
}

export interface RateWindow {
  readonly scope: string
  readonly windowMs: number
  readonly max: number
}

export interface AdmitRequest {
  readonly callId: string
  readonly tenant: string
  /** Names this admission: issued again after a cut connection, it is the same admission. */
  readonly nonce: string
  /** What the gates have recorded so far; durable with the admission, and kept with the slot until the attempt ends. */
  readonly entry: Pick<PassEntry, 'call' | 'facts' | 'findAgain'> | undefined
  /** How long one start of the executor may take. */
  readonly timeoutMs: number
  /** Nothing was looked up: admitted only where neither the call nor its operation is known. */
  readonly unseen: boolean
  /** The run was taken for one that carries no labels: admitted only where it carries none. */
  readonly unlabelled: boolean
  /** A paid or audited read: nothing may be taken from a block leased before. */
  readonly exact: boolean
  readonly slot: SlotRef | undefined
  /** The generation that the call was judged for. */
  readonly generation: number
  /** What the key of the generation is made of that this admission opens; a retry keeps the key it has. */
  readonly keyFields: KeyFields
  readonly approval: { readonly id: string; readonly payloadHash: string } | undefined
  /** A standing approval that covers the call; it must be neither revoked nor expired. Its count and total are claims. */
  readonly grant: { readonly id: string } | undefined
  readonly rate: RateWindow
  /** All of them or none; the first that does not fit refuses. No two of one call have the same name. */
  readonly claims: readonly CounterClaim[]
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
  /** Something is known of a call that was not looked up: look it up, and judge it on that. */
  | { readonly kind: 'known' }
  | { readonly kind: 'approval' }
  /** The grant was revoked or has ended. */
  | { readonly kind: 'grant' }
  | BudgetRefusal
  | { readonly kind: 'rate'; readonly retryAfterMs: number }

/** A claim that does not fit. */
export interface BudgetRefusal {
  readonly kind: 'budget'
  readonly claim: CounterClaim
  /** What of the counter was taken before. */
  readonly used: number
  /** What may be taken in all, raises included. */
  readonly max: number
  /** When its window ends, by the ledger's clock, and how long that is from now. */
  readonly resets: { readonly at: EpochMs; readonly afterMs: number } | undefined
}

export interface CounterRef {
  readonly name: string
  readonly windowMs: number | undefined
}

/** How a counter stands in its present window. */
export interface Balance {
  readonly used: number
  /** What people have added to its limit. */
  readonly raised: number
  readonly resetsAt: EpochMs | undefined
}

/** More of a limit, for its present window, or for good where it has none. */
export interface Raise extends CounterRef {
  /** Names the raise: issued again, it is the same one. */
  readonly id: string
  readonly tenant: string
  readonly amount: number
  readonly by: string
  readonly why: string
}

/**
 * `late`: another settle came first; the facts are recorded and the slot is left as it is, and so is what is known of the call, unless this
 * one says that it happened.
 */
export type Settlement = 'settled' | 'late'

/** What a person found out about a held operation. */
export interface Resolution {
  readonly tenant: string | undefined
  readonly callId: string
  readonly effect: 'happened' | 'none'
  readonly by: string
  readonly why: string
  /** How many different people have to say the same. */
  readonly quorum: number
}

export type Resolved =
  | { readonly kind: 'resolved'; readonly record: SlotRecord }
  /** Nothing was held; open questions about the call were answered, and the operation is left as it is. */
  | { readonly kind: 'answered'; readonly record: SlotRecord | undefined }
  /** What was said is kept; so many more people have to say the same. */
  | { readonly kind: 'stated'; readonly record: SlotRecord; readonly missing: number }
  | { readonly kind: 'not_held'; readonly record: SlotRecord | undefined }

/** The key that signs, and the public halves of all that ever did. */
export interface SigningKeys {
  readonly key: SigningKey
  readonly publicKeys: readonly PublicKey[]
}

/** An operation whose owner is gone, given to one process to find out about. */
export interface Claim {
  readonly slot: SlotRecord
  readonly call: CallRecord
  /** The latest moment at which the executor may still have been started. */
  readonly lastStart: EpochMs
  readonly at: EpochMs
}

/** A call whose effect is to be read back now, given to one process. */
export interface DueVerification {
  readonly call: CallRecord
  /** Names the claim: whoever has lost it changes nothing. */
  readonly claim: string
  readonly contractHash: string
  readonly slotKey: string | undefined
  readonly generation: number
  /** How often the sources were read before. */
  readonly reads: number
  readonly body: VerificationBody
  readonly at: EpochMs
}

/** Effects that are still to be read back. One row for each call, written with its settle and gone with its last reading. */
export interface Verifications {
  claim(query: ClaimQuery): Awaitable<readonly DueVerification[]>
  /** Reads it again later. False where the claim is lost. */
  postpone(due: DueVerification, ms: number): Awaitable<boolean>
  /** Writes what the last reading came to, once: false where the claim is lost, and then nothing is written. */
  finish(due: DueVerification, entry: PassEntry): Awaitable<boolean>
}

/** A claimed operation is started once more, under a name of its own. */
export interface Restart {
  readonly nonce: string
  readonly timeoutMs: number
  /** Only so long after the first admission. */
  readonly withinMs: number
}

export interface ClaimQuery {
  /** Contracts whose tools this process has; an operation of another contract is left to others, or held once `orphanMs` have passed. */
  readonly contracts: readonly string[]
  readonly limit: number
  /** For how long nobody else is given the same operations. */
  readonly forMs: number
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
  /** Only calls made before this one: the page that follows one that ended with it. */
  readonly before?: string
  readonly limit?: number
}

/** What an executor may use that commits together with its settle: exactly one effect, or none. */
export interface LedgerTransaction {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>
  exactly(statement: ExactStatement): Promise<ExactRows>
  /** Settles and commits; `late` where that cannot be, and then nothing is committed. Throws where nobody can tell. */
  commit(entry: PassEntry): Promise<Settlement>
  rollback(): Promise<void>
}

/** Reads take the tenant they are for. The host's own tools leave it out and see everything. */
export interface Ledger {
  /** Ephemeral: a crash empties it. Registration refuses what must not be lost. */
  readonly durability: 'ephemeral' | 'durable'
  /** What was recorded, in an order that cannot be changed afterwards unnoticed; absent where nothing is kept. */
  readonly log?: TransparencyLog
  readonly sagas: SagaStore
  /** Which versions of tools are in force, and which one a run began with. */
  readonly versions: VersionStore
  /** What people have approved of what others publish. */
  readonly pins: PinStore
  /** Opens a transaction in the ledger's own database; absent where it has none. */
  begin?(tenant: string): Promise<LedgerTransaction>

  lookUp(lookUp: LookUp): Awaitable<LookedUp>
  /** The generation that has seen this provider call id, else the newest. */
  slot(tenant: string, key: string, providerCallId: string | undefined): Awaitable<SlotReading>
  admit(request: AdmitRequest): Awaitable<Admission>
  /** Whether this process still owns an admitted attempt, and so may start its executor. */
  mayStart(nonce: string): boolean
  record(entry: PassEntry): Awaitable<Settlement>

  call(id: string, tenant?: string): Awaitable<CallRecord | undefined>
  calls(query: CallQuery): Awaitable<readonly CallRecord[]>
  facts(callId: string, tenant?: string): Awaitable<readonly Fact[]>

  /** Operations whose owners have not been heard of for as long as their lease. */
  claim(query: ClaimQuery): Awaitable<readonly Claim[]>
  /** Notes that the executor of a claimed operation is started once more; false where the operation has come to its end meanwhile. */
  restart(slot: SlotRecord, restart: Restart): Awaitable<boolean>
  /** Looks at a claimed operation again later. */
  postpone(slot: SlotRecord, ms: number): Awaitable<void>
  resolve(resolution: Resolution): Awaitable<Resolved>
  readonly verifications: Verifications

  /**
   * Opens an approval, or attaches the call to the one that is open for its operation and asks the same; one that asks something else is
   * superseded. Undefined when a run has `maxOpen` waiting.
   */
  openApproval(request: ApprovalRequest, maxOpen: number): Awaitable<Approval | undefined>
  /** The newest of the subject; before that, one of the same payload that was rejected in this run, whatever its operation. */
  findApproval(subject: ApprovalSubject, run: string | undefined): Awaitable<Approval | undefined>
  approval(id: string, tenant?: string): Awaitable<Approval | undefined>
  approvals(query?: ApprovalQuery): Awaitable<readonly Approval[]>
  /** The approval as it stands afterwards. With the last vote that was needed the token is issued and written in the same step. */
  decide(
    id: string,
    decision: Omit<Decision, 'at'>,
    issue: IssueToken,
    tenant?: string,
  ): Awaitable<Approval | undefined>
  /** Calls that asked to be run by their approval, were approved elsewhere, and still wait: a page at a time, in the order of their ids. */
  resumable(after?: string): Awaitable<readonly string[]>
  /** Standing approvals, oldest first. */
  grants(query: GrantQuery): Awaitable<readonly StandingGrant[]>
  /** The grant as it stands afterwards; one that was revoked before keeps its first revocation. */
  revokeGrant(
    id: string,
    revocation: { readonly by: string; readonly reason: string },
    tenant?: string,
  ): Awaitable<StandingGrant | undefined>
  /** What tokens are signed with, and every key whose tokens still count. */
  signingKeys(): Awaitable<SigningKeys>
  /** Keys of people and agents that are kept with the ledger; absent where it keeps none. */
  readonly keys?: KeyStore

  /** Open questions to people, oldest first. */
  escalations(tenant?: string): Awaitable<readonly Escalation[]>

  /** What a run carries, and all runs of its family with it: whatever one of them has seen, the others may have been told. */
  labels(tenant: string, run: string): Awaitable<readonly string[]>
  /** Adds to what a run and its family carry, after making it one family with its parent where one is named. Gives all it carries now. */
  addLabels(tenant: string, run: string, labels: readonly string[], parent?: string): Awaitable<readonly string[]>
  /** Counts that a run was denied a tool once more. */
  countDenial(tenant: string, run: string, tool: string): Awaitable<number>

  discover(tenant: string, run: string, tools: readonly string[]): Awaitable<void>
  discovered(tenant: string, run: string): Awaitable<ReadonlySet<string>>

  saveResult(tenant: string, callId: string, value: JsonValue): Awaitable<string>
  result(tenant: string, ref: string): Awaitable<JsonValue | undefined>

  /** Keeps contracts, so that calls can be explained where their tools are not known. */
  saveContracts(contracts: ReadonlyMap<string, JsonObject>): Awaitable<void>
  contract(hash: string): Awaitable<JsonObject | undefined>

  /** How counters stand, in the order in which they are asked for. What processes have leased for reads counts as used. */
  balances(tenant: string, counters: readonly CounterRef[]): Awaitable<readonly Balance[]>
  /** Raises a limit and keeps who did and why. */
  raise(raise: Raise): Awaitable<Balance>

  close(): Awaitable<void>
}
