// What phases may reach beyond the call itself. Nothing that this file imports knows of it: so the rooms of the pipeline point one way.
import type { Principal, RepairLink } from '../contract/call/call.ts'
import type { Hook, HookEventName } from '../contract/call/hook.ts'
import type { CredentialResolver } from '../contract/tool/credential.ts'
import type { Awaitable } from '../contract/tool/executor.ts'
import type { Tool } from '../contract/tool/tool.ts'
import type { Quarantine } from '../drift/pins/quarantine.ts'
import type { Chooser } from '../drift/versions/choose.ts'
import type { Locks } from '../execute/schedule/locks.ts'
import type { Clock, EpochMs } from '../json/clock.ts'
import type { Entropy } from '../json/id.ts'
import type { JsonObject } from '../json/value.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import type { LedgerTransaction } from '../ledger/ports/operations.ts'
import type { RepairCount } from '../ledger/ports/repairs.ts'
import type { RepairRefusal, RepairScope } from '../ledger/rules/repair.ts'
import type { Budgets } from '../policy/budgets/limit.ts'
import type { Policies } from '../policy/cedar/policy.ts'
import type { PermissionBook } from '../policy/permission/permission-book.ts'
import type { Voice } from '../policy/voices.ts'
import type { Narrowing } from '../surface/narrow-surface.ts'
import type { StoredResults } from './record/stored-results.ts'

/** A policy of the host, in code: speaks for, against, or for asking a person. */
export interface HostPolicy {
  readonly id: string
  judge(subject: PolicySubject): Awaitable<Omit<Voice, 'source'> | undefined>
}

export interface PolicySubject {
  readonly tool: Tool['contract']
  readonly arguments: JsonObject
  readonly tenant: string
  readonly principal: Principal
  readonly run: string | undefined
  /** What the run has seen: untrusted, confidential, regulated, secret. */
  readonly labels: readonly string[]
}

/** What the host is told of a call while it runs: by its tool, and by hooks. */
export type CallProgress = { readonly callId: string; readonly tool: string } & (
  | { readonly event: HookEventName; readonly hook: string; readonly text: string }
  | { readonly event: 'progress'; readonly text: string }
  | { readonly event: 'partial_result'; readonly value: unknown }
)

/** Counts of repairs; this process remembers the scopes that have any, so that valid calls cost nothing. */
export interface RepairBook {
  /** How often in a row a model is sent back, where its tool says nothing. */
  readonly maxRepairs: number
  refused(scope: RepairScope, refusal: RepairRefusal): Promise<RepairCount>
  /** A valid proposal; gives what it repaired, as far as this process knows. */
  repaired(scope: () => RepairScope, openedAt: EpochMs): RepairLink | undefined
  /** Resolves once all that was said is written. */
  idle(): Promise<void>
}

/** What this process remembers of runs: the labels they carry, and whose children they are. Both only ever grow. */
export interface RunLabels {
  of(tenant: string, run: string): ReadonlySet<string>
  add(tenant: string, run: string, labels: readonly string[]): void
  /** Whether this process has seen to it that the run is known as a child of that parent. */
  isChild(tenant: string, run: string, parent: string): boolean
  adopt(tenant: string, run: string, parent: string): void
}

export interface Deps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly entropy: Entropy
  readonly hooks: readonly Hook[]
  readonly permissions: PermissionBook
  readonly policies: readonly HostPolicy[]
  /** Policies of the organisation, one set after another. */
  readonly cedar: readonly Policies[]
  readonly runLabels: RunLabels
  /** Tools and surfaces as they are narrowed for a tenant. */
  readonly narrowing: Pick<Narrowing, 'tool' | 'surface'>
  readonly budgets: Budgets
  /** What models are sent back to mend, and how often. */
  readonly repairs: RepairBook
  readonly locks: Locks
  /** Which versions of tools are in force. */
  readonly versions: Pick<Chooser, 'misfit'>
  /** Results that are kept out of the model's sight. */
  readonly stored: StoredResults
  /** Where secrets come from, in the order in which they are asked. */
  readonly credentials: readonly CredentialResolver[]
  /** Tools of others that may not be called until a person has looked. */
  readonly quarantine: Quarantine
  readonly progress: (progress: CallProgress) => void
  /** Is given what was thrown and should not have been. Answers say only that something was. */
  readonly report: (fault: unknown) => void
  /** The users that programs run as where this process is root, by tenant. */
  readonly programUsers: ReadonlyMap<string, number>
  /** Transactions of the ledger's own database that executors are using, by admission. */
  readonly transactions: Map<string, LedgerTransaction>
}
