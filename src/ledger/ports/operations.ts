// Operations: the reading before a call is judged, its admission, the entries that its passes write, and the recovery of one whose owner
// is gone. A mutating call costs two commits, admit and record, and a reading before them unless it is taken for new. Each is one atomic step.

import type { Escalation } from '../../contract/approval/approval.ts'
import type { RecordedAnswer } from '../../contract/call/answer.ts'
import type { CounterClaim } from '../../contract/call/claim.ts'
import type { Fact } from '../../contract/call/fact.ts'
import type { SettleRequest } from '../../contract/call/settlement.ts'
import type { KeyFields, SlotRecord, SlotRef } from '../../contract/call/slot.ts'
import type { Awaitable, ExactRows, ExactStatement } from '../../contract/tool/executor.ts'
import type { VerificationRequest } from '../../contract/verification/verifier.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { SlotRefusal } from '../rules/slot.ts'
import type { CallKey, CallRecord } from './calls.ts'
import type { BudgetRefusal, RateWindow } from './limits.ts'

/** The entry that one pass of the pipeline writes, or a part of it: one commit. */
export interface PassEntry {
  /** Names the write, where it may be tried again: the same name is the same write. */
  readonly id?: string
  readonly call: CallRecord
  /** Only facts that no earlier entry of this pass had. */
  readonly facts: readonly Fact[]
  /** Whether the call may be proposed again under its key; reads never are. */
  readonly findAgain: boolean
  /** The pass only found another one under way: its facts are kept, and the record of the call stays as it is. */
  readonly looksOn?: boolean
  /** The pass was never admitted: where another pass of its number has written meanwhile, the record of that one stays. */
  readonly yields?: boolean
  /** The answer may be given before this is durable. Engines that promise nothing durable ignore it. */
  readonly trails?: boolean
  /** The end of the attempt. */
  readonly settle?: SettleRequest
  /** The answer as the phases after the settle have changed it. */
  readonly amend?: { readonly slotKey: string; readonly generation: number; readonly answer: RecordedAnswer }
  /** This provider call id was answered from this generation, and always will be. */
  readonly seen?: { readonly slotKey: string; readonly generation: number; readonly providerCallId: string }
  readonly escalations?: readonly Escalation[]
  /** With a settle: the effect is to be read back later. Without: when it is read next. */
  readonly verify?: VerificationRequest
  /** The effect was read back within the call, and is not read again later. */
  readonly verified?: boolean
}

/** What is read before the gates, in one round trip. */
export interface LookUp {
  readonly key: CallKey
  /** The slot, where it is known before the call is judged. */
  readonly slot: { readonly key: string; readonly providerCallId: string | undefined } | undefined
  /** Whether the labels of the run are wanted too. */
  readonly labels?: boolean
}

export interface LookedUp {
  readonly call: CallRecord | undefined
  readonly slot: SlotReading | undefined
  /** The labels of the run, where they were wanted. */
  readonly labels?: readonly string[]
}

/** A slot's record at a moment of the ledger's own clock. */
export interface SlotReading {
  readonly record: SlotRecord | undefined
  /** The record is not as its last fact has left it, or is gone though there was one: another hand has changed the ledger. */
  readonly contradicted?: boolean
  readonly at: EpochMs
}

export interface AdmitRequest {
  readonly callId: string
  readonly tenant: string
  /** Names this admission: issued again after a cut connection, it is the same admission. */
  readonly nonce: string
  /** The facts of the gates so far; durable with the admission, and kept with the slot until the attempt ends. */
  readonly entry: Pick<PassEntry, 'call' | 'facts' | 'findAgain'> | undefined
  /** Nothing was looked up: admitted only where neither the call nor its operation is known. */
  readonly unseen: boolean
  /** The run was taken for one that carries no labels: admitted only where it carries none. */
  readonly unlabelled: boolean
  /** A paid or audited read: nothing may be taken from a block leased before. */
  readonly exact: boolean
  readonly slot: SlotRef | undefined
  /** The generation that the call was judged for. */
  readonly generation: number
  /** The key of the generation that this admission opens is made of this; a retry keeps its key. */
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
  /** The record at that moment, by the ledger's clock. */
  | { readonly kind: 'slot'; readonly verdict: SlotRefusal; readonly record: SlotRecord }
  /** The record of the operation is not as its last fact has left it, or is gone. */
  | { readonly kind: 'contradicted'; readonly record: SlotRecord | undefined }
  /** The call was not looked up, and the ledger knows it or its operation: look it up, and judge it again. */
  | { readonly kind: 'known' }
  | { readonly kind: 'approval' }
  /** The grant was revoked or has ended. */
  | { readonly kind: 'grant' }
  | BudgetRefusal
  | { readonly kind: 'rate'; readonly retryAfterMs: number }

/**
 * `late`: another settle came first. The facts are recorded, and the slot stays as it is; so does the record of the call, unless this settle
 * says that the effect happened.
 */
export type Settlement = 'settled' | 'late'

export interface ClaimQuery {
  /** Contracts whose tools this process has; an operation of another contract is left to others, or held once `orphanMs` have passed. */
  readonly contracts: readonly string[]
  readonly limit: number
  /** For how long no other process gets the same operations. */
  readonly forMs: number
}

/** An operation whose owner is gone, given to one process, which finds out what happened. */
export interface Claim {
  /** When it was created; never later than this process first saw it, also where the ledger's clock was set back. */
  readonly slot: SlotRecord
  readonly call: CallRecord
  /** The latest moment at which the executor may still have been started. */
  readonly lastStart: EpochMs
  readonly at: EpochMs
}

/**
 * The process that has an attempt. `dead`: for some time it has done nothing for the attempt, because it had given the attempt up before it
 * was claimed, or was found cut off earlier. `fenced`: it has stopped just now, or since an unknown moment: its session in the database was
 * ended by the process that asks or is gone, it gave the attempt up, or another process recovers it by now. `alive`: its session could not
 * be ended. `unseen`: it is not known, as behind poolers that give no sessions.
 */
export type Owner = 'dead' | 'fenced' | 'alive' | 'unseen'

/** A claimed operation is started once more, under a name of its own. */
export interface Restart {
  readonly nonce: string
  readonly timeoutMs: number
  /** The start is refused when the first admission is longer ago than this. */
  readonly withinMs: number
}

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

export type ResolutionOutcome =
  | { readonly kind: 'resolved'; readonly record: SlotRecord }
  /** Nothing was held: open questions about the call were answered, and the operation stays as it is. */
  | { readonly kind: 'answered'; readonly record: SlotRecord | undefined }
  /** The word is recorded; so many more people have to say the same. */
  | { readonly kind: 'stated'; readonly record: SlotRecord; readonly missing: number }
  | { readonly kind: 'not_held'; readonly record: SlotRecord | undefined }

/** The admitted attempt that a transaction is for. */
export interface TransactionAttempt {
  readonly slotKey: string
  readonly generation: number
  readonly nonce: string
}

/** A transaction for an executor, committed together with the settle: exactly one effect, or none. */
export interface LedgerTransaction {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>
  exactly(statement: ExactStatement): Promise<ExactRows>
  /** The tool has sent its last statement. Throws what is left to be checked until the commit, such as a constraint that is deferred. */
  check(): Promise<void>
  /** Settles and commits. `late`: it is too late for that, and nothing is committed. Throws where the result is unknown. */
  commit(entry: PassEntry): Promise<Settlement>
  rollback(): Promise<void>
}

export interface Operations {
  lookUp(lookUp: LookUp): Awaitable<LookedUp>
  /** The generation that has seen this provider call id, else the newest. */
  slot(tenant: string, key: string, providerCallId: string | undefined): Awaitable<SlotReading>
  admit(request: AdmitRequest): Awaitable<Admission>
  /** Whether this process still owns an admitted attempt, and so may act for it. */
  mayAct(nonce: string): boolean
  record(entry: PassEntry): Awaitable<Settlement>
  /** Opens a transaction in the ledger's own database; absent where tools have no role there. Without an attempt it can only read. */
  begin?(tenant: string, attempt?: TransactionAttempt): Promise<LedgerTransaction>

  /** Operations whose owners have been silent for longer than their lease. */
  claim(query: ClaimQuery): Awaitable<readonly Claim[]>
  /** Notes that the executor of a claimed operation is started once more; false where the operation has ended meanwhile. */
  restart(slot: SlotRecord, restart: Restart): Awaitable<boolean>
  /** The state of the owner of a claimed operation; a living one is cut off, so that it can do nothing more for its attempts. */
  fence(slot: SlotRecord): Awaitable<Owner>
  /** Looks at a claimed operation again later. */
  postpone(slot: SlotRecord, ms: number): Awaitable<void>
  resolve(resolution: Resolution): Awaitable<ResolutionOutcome>
}
