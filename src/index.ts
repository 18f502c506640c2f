// The public API. Named exports only; what is not here is not promised.
export type { Approvals, ApprovalView, DecisionInput } from './approval/approvals.ts'
export type { Answer, Effect, Feedback, Reason, ResponseVector } from './contract/answer.ts'
export type { Approval, ApprovalStatus, Decision, Escalation, Packet } from './contract/approval.ts'
export type { Proposal } from './contract/call.ts'
export { type BudgetKind, type EffectClass, effects } from './contract/effects.ts'
export type { Contract } from './contract/envelope.ts'
export type { Fact } from './contract/fact.ts'
export { Fault, type FaultCode, ToolError } from './contract/fault.ts'
export type { AfterEvent, AfterResult, BeforeEvent, BeforeResult, Hook } from './contract/hook.ts'
export type { FromSchema, InferInput, InferOutput } from './contract/infer.ts'
export type { Observation } from './contract/observation.ts'
export type { Surface, SurfaceEntry } from './contract/surface.ts'
export { type NextAction, type TaxonomyClass, taxonomy } from './contract/taxonomy.ts'
export type {
  ExecutionContext,
  Preflight,
  PreflightProblem,
  Rule,
  StateReader,
  Tool,
  ToolContext,
  Verification,
} from './contract/tool.ts'
export { defineTool, type ToolDefinition, type ToolSource } from './define-tool.ts'
export { type Clock, type EpochMs, epochMs, type ManualClock, manualClock } from './json/clock.ts'
export type { JsonObject, JsonValue } from './json/value.ts'
export type { CallRecord, Ledger } from './ledger/ledger.ts'
export { memory } from './ledger/memory/memory.ts'
export { type LoadedTool, loadContracts } from './load-contracts.ts'
export type { CallContext } from './pipeline/call-context.ts'
export type { Policy, PolicySubject } from './pipeline/deps.ts'
export type { Replay } from './pipeline/replay.ts'
export { type PhaseSummary, phases } from './pipeline/summary.ts'
export type { Voice } from './policy/voices.ts'
export { openProviso, type Proviso, type ProvisoOptions } from './runtime.ts'
