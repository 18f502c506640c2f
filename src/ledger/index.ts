// What `proviso/ledger` exports: the port, for those who write an engine, and the engine in memory.

export {
  type Approval,
  type ApprovalRequest,
  type ApprovalStatus,
  type ApprovalSubject,
  approvalStatus,
  type Decision,
  type Escalation,
  type EscalationKind,
} from '../contract/approval.ts'
export type { AttemptEnd, BudgetClaim, SettleRequest } from '../contract/settlement.ts'
export {
  idempotencyKey,
  judgeSlot,
  type KeyFields,
  type SlotJudgement,
  type SlotRecord,
  type SlotRef,
} from '../contract/slot.ts'
export { embedded } from './embedded/embedded.ts'
export type { EmbeddedOptions } from './embedded/start-embedded.ts'
export type {
  Admission,
  AdmitRequest,
  CallKey,
  CallQuery,
  CallRecord,
  Claim,
  ClaimQuery,
  Ledger,
  LedgerTransaction,
  LookedUp,
  LookUp,
  PassEntry,
  RateWindow,
  Resolution,
  Resolved,
  Settlement,
  SlotReading,
} from './ledger.ts'
export { type MemoryOptions, memory } from './memory/memory.ts'
export { type PostgresOptions, postgres } from './postgres/postgres.ts'
