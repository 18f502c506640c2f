// What `proviso/ledger` exports: the port, for those who write an engine, and the engine in memory.

import '../json/needs-node.ts'

export type {
  Approval,
  ApprovalRequest,
  ApprovalStatus,
  ApprovalSubject,
  Decision,
  Escalation,
  EscalationKind,
} from '../contract/approval/approval.ts'
export type { CounterClaim, Reserved } from '../contract/call/claim.ts'
export type { AttemptEnd, SettleRequest } from '../contract/call/settlement.ts'
export {
  idempotencyKey,
  type KeyFields,
  type SlotRecord,
  type SlotRef,
} from '../contract/call/slot.ts'
export { embedded } from './embedded/embedded.ts'
export type { EmbeddedOptions } from './embedded/start-embedded.ts'
export { fileCheckpoint } from './files/file-checkpoint.ts'
export type { AuditReport } from './log/audit/audit.ts'
export { type AuditFinding, type FindingKind, findingKinds } from './log/audit/audit-finding.ts'
export { type PublicKey, readPublicKey } from './log/keys/public-key.ts'
export type { AuditProof } from './log/proof/proof.ts'
export { type ProofCheck, verifyProof } from './log/proof/verify-proof.ts'
export { type MemoryOptions, memory } from './memory/memory.ts'
export type { CallKey, CallQuery, CallRecord } from './ports/calls.ts'
export type { Ledger } from './ports/ledger.ts'
export type { Balance, BudgetRefusal, CounterRef, Raise, RateWindow } from './ports/limits.ts'
export type {
  Admission,
  AdmitRequest,
  Claim,
  ClaimQuery,
  LedgerTransaction,
  LookedUp,
  LookUp,
  PassEntry,
  Resolution,
  ResolutionOutcome,
  Settlement,
  SlotReading,
} from './ports/operations.ts'
export type { LedgerStanding, MissingPart, OutsideCheckpoint } from './ports/outside.ts'
export type {
  Checkpoints,
  LogVerification,
  Proving,
  Retired,
  Retirement,
  TenantCheckpoint,
  TransparencyLog,
  VerifyOptions,
} from './ports/transparency-log.ts'
export type { LogOptions } from './postgres/log/open-log.ts'
export type { PostgresOptions } from './postgres/options.ts'
export { postgres } from './postgres/postgres.ts'
export { approvalStatus } from './rules/permit.ts'
export { judgeSlot, type SlotJudgement } from './rules/slot.ts'
