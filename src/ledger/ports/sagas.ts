// The store of sagas and their journals. Every write names the epoch and the length of the journal on which it was decided: a process that
// lost the saga meanwhile writes nothing. Slots change in the same step as the journal lines about them.

import type { Escalation } from '../../contract/approval/approval.ts'
import type { RecordedAnswer } from '../../contract/call/answer.ts'
import type { JournalEntry, SagaEntry, SagaRecord, SagaState } from '../../contract/saga/saga.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'

export interface SagaStart
  extends Pick<SagaRecord, 'id' | 'tenant' | 'name' | 'definition' | 'version' | 'plan' | 'input' | 'context'> {
  readonly entries: readonly SagaEntry[]
}

/** The operation of a step that must never run again: a call that still asks for it is given this answer. */
export interface ClosedSlot {
  readonly slotKey: string
  readonly operation: string
  readonly requestHash: string
  readonly callId: string
  readonly run: string
  readonly answer: RecordedAnswer
}

export interface SagaRef {
  readonly tenant: string
  readonly id: string
  readonly epoch: number
}

export interface SagaWrite extends SagaRef, Pick<SagaRecord, 'state' | 'direction'> {
  /** How many lines the journal had when this was decided. */
  readonly seq: number
  readonly entries: readonly SagaEntry[]
  /** After this time others may take it up; undefined: never. */
  readonly dueMs: number | undefined
  /** A slot to be closed without effect in the same step; where it is open or its effect happened, nothing is written. */
  readonly close?: ClosedSlot | undefined
  /** The slot of a step whose effect is undone now. */
  readonly undone?: string | undefined
  readonly escalations?: readonly Escalation[] | undefined
  /** Calls whose questions about this saga are answered now, and by whom. */
  readonly answered?: { readonly calls: readonly string[]; readonly by: string } | undefined
}

/** `lost`: another process owns the saga. `open`: the slot to be closed is not known to be without effect. */
export type SagaWritten = 'written' | 'lost' | 'open'

export interface SagaClaimQuery {
  /** Definitions that this process knows. */
  readonly definitions: readonly string[]
  /** After being due for so long, sagas of any other definition too; undefined: none of them. */
  readonly orphanMs?: number | undefined
  /** Only this one. */
  readonly only?: { readonly tenant: string; readonly id: string }
  readonly limit: number
  readonly forMs: number
}

export interface SagaQuery {
  readonly tenant?: string
  readonly name?: string
  readonly state?: SagaState
  readonly limit?: number
}

export interface SagaStore {
  /** For how long an owner counts as alive after it was last heard of. */
  readonly leaseMs: number
  /** Begins a saga, owned by the process that calls; or gives the one that was begun under this id before. */
  create(start: SagaStart, forMs: number): Awaitable<{ readonly created: boolean; readonly saga: SagaRecord }>
  append(write: SagaWrite): Awaitable<SagaWritten>
  /** Renews the lease; false where the saga has another owner by now. */
  renew(ref: SagaRef, forMs: number): Awaitable<boolean>
  /** Takes sagas that are due, each under an epoch of its own. */
  claim(query: SagaClaimQuery): Awaitable<readonly SagaRecord[]>
  /** Wakes a saga that waits: what it waits for may be there. */
  wake(tenant: string, id: string): Awaitable<void>
  get(id: string, tenant?: string): Awaitable<SagaRecord | undefined>
  /** Newest first. */
  list(query: SagaQuery): Awaitable<readonly SagaRecord[]>
  journal(id: string, tenant?: string): Awaitable<readonly JournalEntry[]>
}
