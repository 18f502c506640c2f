// The public API. Named exports only; what is not here is not promised.
export type { Approvals, ApprovalView, DecisionInput } from './approval/approvals.ts'
export type { BudgetRequest } from './approval/budget-request.ts'
export { renderCard } from './approval/card.ts'
export type { GrantInput, Grants, GrantView } from './approval/grants.ts'
export type { ResolutionInput } from './approval/resolve-held.ts'
export type { Answer, Effect, Feedback, Reason, ResponseVector } from './contract/answer.ts'
export type { Approval, ApprovalStatus, Decision, Escalation, Packet } from './contract/approval.ts'
export type { Ask, Proposal } from './contract/call.ts'
export { type BudgetKind, type EffectClass, effects } from './contract/effects.ts'
export type { Contract } from './contract/envelope.ts'
export type { Fact } from './contract/fact.ts'
export { Fault, type FaultCode, ToolError } from './contract/fault.ts'
export type {
  Hook,
  HookEventName,
  PermissionDecision,
  PermissionDecisionResult,
  PermissionRequest,
  PermissionRequestResult,
  PermissionResult,
  PostToolUse,
  PostToolUseFailure,
  PostToolUseFailureResult,
  PostToolUseResult,
  PreToolUse,
  PreToolUseResult,
  ResultPersistence,
  ResultPersistenceResult,
} from './contract/hook.ts'
export type { Identified, Identity, KeyStore } from './contract/identity.ts'
export type { FromSchema, InferInput, InferOutput } from './contract/infer.ts'
export type { Observation } from './contract/observation.ts'
export type { CodeRule, Rule, RuleContext, RuleSource } from './contract/rule.ts'
export type { Surface, SurfaceEntry } from './contract/surface.ts'
export { type NextAction, type TaxonomyClass, taxonomy } from './contract/taxonomy.ts'
export type {
  AmountBinding,
  ExecutionContext,
  Preflight,
  PreflightProblem,
  StateReader,
  Tool,
  ToolContext,
  Verification,
} from './contract/tool.ts'
export { defineTool, type ToolDefinition, type ToolSource } from './define-tool.ts'
export { fileKeyStore } from './identity/file-key-store.ts'
export { identityOf } from './identity/identity-of.ts'
export { issueKey, type KeyChoices } from './identity/issue-key.ts'
export { type Keyring, keyring } from './identity/keyring.ts'
export { type Clock, type EpochMs, epochMs, type ManualClock, manualClock } from './json/clock.ts'
export type { JsonObject, JsonValue } from './json/value.ts'
export type { CallRecord, Ledger } from './ledger/ledger.ts'
export { memory } from './ledger/memory/memory.ts'
export { type LoadedTool, loadContracts } from './load-contracts.ts'
export { loadPermissions } from './load-permissions.ts'
export type { CallContext } from './pipeline/call-context.ts'
export type { Policy, PolicySubject, Progress } from './pipeline/deps.ts'
export type { Replay } from './pipeline/replay.ts'
export { type PhaseSummary, phases } from './pipeline/summary.ts'
export type { LimitLeft } from './policy/budgets/left.ts'
export type { BudgetOptions, LimitOptions, LimitScope } from './policy/budgets/limit.ts'
export type { CedarSet } from './policy/cedar/cedar-sets.ts'
export type { PermissionRule, Permissions } from './policy/permission/permission-rule.ts'
export type { Voice } from './policy/voices.ts'
export { openProviso, type Proviso, type ProvisoOptions } from './runtime.ts'
