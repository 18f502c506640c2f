// What a beginner needs, and the types of all. What is not here, in public/, or an index of ledger/ and subschema/ is not promised.
import './json/needs-node.ts'

export type { ApprovalDesk, ApprovalView, DecisionInput } from './approval/approval-desk.ts'
export type { BudgetRequest } from './approval/budget-request.ts'

export type { GrantInput, Grants, GrantView } from './approval/grants.ts'
export type { ResolutionInput } from './approval/resolve-held.ts'
export type { Approval, ApprovalStatus, Decision, Escalation, Packet } from './contract/approval/approval.ts'
export type { Identified, Identity, KeyStore } from './contract/approval/identity.ts'
export type { Answer, Effect, Feedback, Reason, ResponseVector } from './contract/call/answer.ts'
export type { Ask, Proposal } from './contract/call/call.ts'
export type { Fact } from './contract/call/fact.ts'
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
} from './contract/call/hook.ts'
export type { Observation } from './contract/call/observation.ts'
export { type PartialResult, type PartialStep, partialResult } from './contract/call/partial-result.ts'
export type { PersistenceMode, Redaction, ResultRecord, ResultStatus } from './contract/call/result.ts'
export type { BudgetKind, EffectClass } from './contract/effects.ts'
export { Fault, type FaultCode, ToolError } from './contract/fault.ts'
export type { Release } from './contract/release/release.ts'
export type { Canary, VersionChange, VersionDecision } from './contract/release/version-decision.ts'
export type {
  ArgumentTemplate,
  JournalEntry,
  SagaContext,
  SagaDefinition,
  SagaEntry,
  SagaRecord,
  SagaState,
  SagaStep,
} from './contract/saga/saga.ts'
export type { NextAction, TaxonomyClass } from './contract/taxonomy.ts'
export type {
  CredentialBinding,
  CredentialRequest,
  CredentialResolution,
  CredentialResolver,
} from './contract/tool/credential.ts'
export type { Contract } from './contract/tool/envelope.ts'
export type {
  Connections,
  Egress,
  ExecutionContext,
  Executor,
  Preflight,
  PreflightProblem,
  ToolContext,
  Verification,
  VerifierContext,
} from './contract/tool/executor.ts'
export type { SqlParameter, SqlStatement } from './contract/tool/executor-files/sql-file.ts'
export type { FromSchema, InferInput, InferOutput } from './contract/tool/infer.ts'
export type { CodeRule, Rule, RuleContext, RuleSource } from './contract/tool/rule.ts'
export type { Surface, SurfaceEntry } from './contract/tool/surface.ts'
export type { AmountBinding, StateReader, Tool } from './contract/tool/tool.ts'
export type { VerificationReport } from './contract/verification/verification.ts'
export type { Predicate, StateVerifier } from './contract/verification/verifier.ts'
export type { Capabilities, ToolCapability } from './drift/capabilities/envelope.ts'
export type { ContractBreach, SchemaDrift } from './drift/capabilities/errors.ts'
export type { CapabilitiesGate, CapabilitiesGateOptions, GateOutcome } from './drift/capabilities/gate.ts'
export type { Authenticated, CapabilitiesHandler, CapabilitiesSource } from './drift/capabilities/handler.ts'
export type { DriftDesk, PinApproval } from './drift/pins/drift-desk.ts'

export type { PinReport, ToolDrift } from './drift/pins/judge-pin.ts'
export type { ReleaseParts } from './drift/release/manifest.ts'
export type { Releases } from './drift/release/release-desk.ts'
export type { CompareOptions, VersionComparison, VersionCount } from './drift/versions/compare.ts'
export type { VersionChoice } from './drift/versions/route.ts'
export type { RegisteredVersion, ToolVersions, Versions } from './drift/versions/version-desk.ts'
export type { DecisionNote } from './drift/versions/version-watch.ts'
export type { EnvCredentialOptions } from './execute/credentials/env-credentials.ts'
export type { FileCredentialOptions } from './execute/credentials/file-credentials.ts'
export type { VaultCredentialOptions } from './execute/credentials/vault-credentials.ts'

export type { Network } from './execute/egress/allowed-host.ts'
export type { MailDraft, MailStage } from './execute/executors/email/mail-stage.ts'
export type { EmailOptions, SmtpOptions } from './execute/executors/email.ts'
export type { FileOptions } from './execute/executors/file/settings.ts'

export type { HttpOptions } from './execute/executors/http.ts'
export type {
  Elicitation,
  ElicitationAnswer,
  ElicitationContext,
  OnElicit,
} from './execute/executors/mcp/elicit.ts'
export type { McpOptions } from './execute/executors/mcp.ts'
export type { ProcessOptions } from './execute/executors/process/settings.ts'

export type { SqlCredential } from './execute/executors/sql/pools.ts'
export type { SqlOptions } from './execute/executors/sql.ts'
export type { SagaCommitment, SagaStepView, SagaView } from './execute/saga/saga-view.ts'

export type { KeyChoices } from './identity/key.ts'
export { type Keyring, keyring } from './identity/keyring.ts'
export type { Clock, EpochMs, ManualClock } from './json/clock.ts'
export type { JsonObject, JsonValue } from './json/value.ts'

export type { CallRecord } from './ledger/ports/calls.ts'
export type { Ledger } from './ledger/ports/ledger.ts'
export type { Pin, PinKey, PinnedMalformed, PinnedTool, PinStore } from './ledger/ports/pins.ts'
export type { BatchOptions } from './pipeline/batch/batch-options.ts'
export type { BatchAnswer } from './pipeline/batch/open-batches.ts'
export type { CallContext } from './pipeline/call/call-context.ts'
export type { CallProgress as Progress, HostPolicy as Policy, PolicySubject } from './pipeline/deps.ts'
export type { SagaResumed, SagaResumption } from './pipeline/later/resume-saga.ts'
export type { Saga, Sagas } from './pipeline/later/saga-desk.ts'
export type { PhaseSummary } from './pipeline/phases/phase-summary.ts'
export type { Replay } from './pipeline/record/replay.ts'
export type { ResultPage, StoredResult } from './pipeline/record/stored-results.ts'
export type { LimitLeft } from './policy/budgets/left.ts'
export type { BudgetOptions, LimitOptions, LimitScope } from './policy/budgets/limit.ts'
export type { CedarSet } from './policy/cedar/cedar-sets.ts'
export type { PermissionRule, Permissions } from './policy/permission/permission-rule.ts'
export type { Voice } from './policy/voices.ts'
export { defineTool } from './runtime/define-tool.ts'
export { type LoadedTool, loadContracts } from './runtime/load-contracts.ts'
export { loadPermissions } from './runtime/load-permissions.ts'
export { type LoadedSaga, loadSagas } from './runtime/load-sagas.ts'
export { openProviso } from './runtime/open-proviso.ts'
export type { Proviso, ProvisoOptions } from './runtime/proviso.ts'
export type { ToolCompensation, ToolDefinition, ToolSource } from './runtime/tool-definition.ts'
export type { Provider } from './surface/dialects/dialect-table.ts'
export type { FormatOptions, FormattedSurface, FormattedTool, ShownSurface } from './surface/format-surface.ts'
export type { NarrowOptions } from './surface/narrow-surface.ts'
