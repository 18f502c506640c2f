// Every call of the ledger's port that the frozen verdicts make, and nothing else: where the port changes its shape, this file does.
import type { ApprovalRequest, Decision } from '../../../src/contract/approval/approval.ts'
import type { SlotRecord, SlotRef } from '../../../src/contract/call/slot.ts'
import type { EpochMs } from '../../../src/json/clock.ts'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import type { CounterRef, Raise } from '../../../src/ledger/ports/limits.ts'
import type { AdmitRequest, ClaimQuery, PassEntry, Resolution, Restart } from '../../../src/ledger/ports/operations.ts'
import type { SagaStart, SagaWrite } from '../../../src/ledger/ports/sagas.ts'
import type { DueVerification } from '../../../src/ledger/ports/verifications.ts'
import { judgeSlot } from '../../../src/ledger/rules/slot.ts'
import { issue } from '../requests.ts'

export type { Ledger }

/** What a call may do by the record that it has read; the gates ask it before the ledger decides. */
export const judge = (record: SlotRecord | undefined, ref: SlotRef, at: EpochMs) => judgeSlot(record, ref, at)

export const admit = async (ledger: Ledger, request: AdmitRequest) => ledger.operations.admit(request)
export const record = async (ledger: Ledger, entry: PassEntry) => ledger.operations.record(entry)
export const slotAt = async (ledger: Ledger, tenant: string, key: string, providerCallId: string | undefined) =>
  ledger.operations.slot(tenant, key, providerCallId)
export const resolve = async (ledger: Ledger, resolution: Resolution) => ledger.operations.resolve(resolution)

export const claim = async (ledger: Ledger, query: ClaimQuery) => ledger.operations.claim(query)
export const restart = async (ledger: Ledger, slot: SlotRecord, how: Restart) => ledger.operations.restart(slot, how)
export const postpone = async (ledger: Ledger, slot: SlotRecord, ms: number) => ledger.operations.postpone(slot, ms)

export const callOf = async (ledger: Ledger, id: string) => ledger.calls.get(id)
export const callByKey = async (ledger: Ledger, key: PassEntry['call']['key']) =>
  (await ledger.operations.lookUp({ key, slot: undefined })).call
export const factsOf = async (ledger: Ledger, callId: string) => ledger.calls.facts(callId)
export const escalationsOf = async (ledger: Ledger, tenant: string) => ledger.calls.escalations(tenant)

export const openApproval = async (ledger: Ledger, request: ApprovalRequest, maxOpen: number) =>
  ledger.approvals.open(request, maxOpen)
export const findApproval = async (ledger: Ledger, subject: ApprovalRequest['subject'], run: string | undefined) =>
  ledger.approvals.find(subject, run)
export const approvalOf = async (ledger: Ledger, id: string) => ledger.approvals.get(id)
export const decide = async (ledger: Ledger, id: string, decision: Omit<Decision, 'at'>, tenant?: string) =>
  ledger.approvals.decide(id, decision, issue, tenant)
export const grantsOf = async (ledger: Ledger, tenant: string, inForce: boolean) =>
  ledger.approvals.grants({ tenant, inForce })
export const revokeGrant = async (ledger: Ledger, id: string) =>
  ledger.approvals.revokeGrant(id, { by: 'boss', reason: 'no more' })

export const balanceOf = async (ledger: Ledger, tenant: string, counter: CounterRef) =>
  (await ledger.limits.balances(tenant, [counter]))[0]
export const raise = async (ledger: Ledger, how: Raise) => ledger.limits.raise(how)

export const addLabels = async (ledger: Ledger, tenant: string, run: string, labels: readonly string[]) =>
  ledger.runs.addLabels(tenant, run, labels)

export const claimVerifications = async (ledger: Ledger, query: ClaimQuery) => ledger.verifications.claim(query)
export const postponeVerification = async (ledger: Ledger, due: DueVerification, ms: number) =>
  ledger.verifications.postpone(due, ms)
export const finishVerification = async (ledger: Ledger, due: DueVerification, entry: PassEntry) =>
  ledger.verifications.finish(due, entry)

export const createSaga = async (ledger: Ledger, start: SagaStart) => ledger.sagas.create(start, 60_000)
export const appendToSaga = async (ledger: Ledger, write: SagaWrite) => ledger.sagas.append(write)

/** What arrives where something stands between a row and its ledger. */
export interface Spoiling {
  readonly admit?: (request: AdmitRequest) => AdmitRequest
  readonly record?: (entry: PassEntry) => PassEntry
  readonly resolve?: (resolution: Resolution) => Resolution
  readonly decide?: (decision: Omit<Decision, 'at'>) => Omit<Decision, 'at'>
  readonly openApproval?: (request: ApprovalRequest) => ApprovalRequest
  readonly raise?: (how: Raise) => Raise
  readonly appendToSaga?: (write: SagaWrite) => SagaWrite
  readonly claimVerifications?: (query: ClaimQuery) => ClaimQuery
}

const asIs = <T>(value: T): T => value

/** A ledger that hears something else than what it is told. */
export function spoiled(ledger: Ledger, spoiling: Spoiling): Ledger {
  const { admit: asked = asIs, record: entered = asIs, resolve: said = asIs, decide: voted = asIs } = spoiling
  const { openApproval: opened = asIs, raise: raised = asIs } = spoiling
  const { appendToSaga: appended = asIs, claimVerifications: claimed = asIs } = spoiling
  return {
    ...ledger,
    operations: {
      ...ledger.operations,
      admit: (request) => ledger.operations.admit(asked(request)),
      record: (entry) => ledger.operations.record(entered(entry)),
      resolve: (resolution) => ledger.operations.resolve(said(resolution)),
    },
    approvals: {
      ...ledger.approvals,
      decide: (id, decision, token, tenant) => ledger.approvals.decide(id, voted(decision), token, tenant),
      open: (request, maxOpen) => ledger.approvals.open(opened(request), maxOpen),
    },
    limits: { ...ledger.limits, raise: (how) => ledger.limits.raise(raised(how)) },
    sagas: { ...ledger.sagas, append: (write) => ledger.sagas.append(appended(write)) },
    verifications: { ...ledger.verifications, claim: (query) => ledger.verifications.claim(claimed(query)) },
  }
}
