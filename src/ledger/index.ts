// What `proviso/ledger` exports: the port, for those who write an engine, and the engine in memory.

export {
  type Approval,
  type ApprovalStatus,
  type ApprovalSubject,
  approvalStatus,
  type Decision,
  type Escalation,
} from '../contract/approval.ts'
export {
  idempotencyKey,
  judgeSlot,
  type KeyFields,
  type SlotJudgement,
  type SlotRecord,
  type SlotRef,
} from '../contract/slot.ts'
export type {
  Admission,
  AdmitRequest,
  BudgetClaim,
  CallKey,
  CallQuery,
  CallRecord,
  Ledger,
  PassEntry,
  RateWindow,
  Settlement,
  SettleRequest,
} from './ledger.ts'
export { type MemoryOptions, memory } from './memory/memory.ts'
