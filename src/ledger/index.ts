// What `proviso/ledger` exports: the port, for those who write an engine, and the engine in memory.
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
