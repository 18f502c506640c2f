// The answer: what every call() returns. The observation, response and feedback inside are the specification's wire shapes.
import type { JsonValue } from '../../json/value.ts'
import type { NextAction, TaxonomyClass } from '../taxonomy.ts'
import type { Observation } from './observation.ts'
import type { ResultRecord } from './result.ts'

/** Did it happen? `pending`: a person is asked, nothing was sent. `unknown`: an attempt runs, or it is not known yet. */
export type Effect = 'none' | 'happened' | 'unknown' | 'pending'

/** The specification's response vector. */
export interface ResponseVector {
  readonly error_code: TaxonomyClass
  readonly repairable: boolean
  readonly retryable: boolean
  readonly requires_approval: boolean
  readonly fail_closed: boolean
  readonly escalate: boolean
  readonly next_action: NextAction
}

/** The specification's feedback object: what a model needs to repair its call. */
export interface Feedback {
  readonly validation_status: 'failed' | 'pending'
  readonly error_code: TaxonomyClass
  readonly repairable: boolean
  readonly retryable: boolean
  readonly field_errors: readonly {
    readonly field: string
    readonly expected: string
    readonly actual: string
    readonly message: string
  }[]
  readonly next_action: NextAction
}

export interface Answer {
  readonly observation: Observation
  readonly effect: Effect
  readonly response: ResponseVector
  readonly feedback?: Feedback
  /** The packet a person has to decide on; or the approval that the call ran with, and its token. */
  readonly approval?: {
    readonly id: string
    readonly expiresAt: string
    readonly packetHash: string
    readonly token?: string
  }
  readonly retryAfterMs?: number
  /** The answer is the recorded one of this call, by which the operation was done. */
  readonly replayOf?: { readonly callId: string; readonly traceId: string }
  /** What drives the model should stop it here: it repeats itself, and more rounds would cost and change nothing. A person has been asked. */
  readonly halt?: true
  /** What became of the result: its status, what was taken out of it, where the rest is. Absent while a person is asked. */
  readonly result?: ResultRecord
  /** The tool's own result, unchanged but for secrets, hidden characters and masks. Absent where it is kept out of sight. */
  readonly value?: unknown
}

/** What a slot keeps of an answer, so that a duplicate gets the same one. */
export interface RecordedAnswer {
  readonly observation: Observation
  readonly effect: Exclude<Effect, 'pending'>
  readonly response: ResponseVector
  readonly value?: JsonValue
}

/** Why, within a class. One word per cause, stable on every wire. */
export type Reason =
  | 'ok'
  | 'unknown_tool'
  | 'schema_not_loaded'
  | 'blocked_tool'
  | 'contract_sunsetted'
  | 'release_mismatch'
  | 'unreadable_arguments'
  | 'repair_exhausted'
  | 'schema_validation_failed'
  | 'invalid_arguments'
  | 'setup_required'
  | 'sandbox_violation'
  | 'input_mutation_failed'
  | 'hook_blocked'
  | 'hook_failed'
  | 'bad_context'
  | 'unknown_tenant'
  | 'missing_tenant'
  | 'missing_run'
  | 'missing_scope'
  | 'rule_denied'
  | 'policy_blocked'
  | 'in_progress'
  | 'held'
  | 'operation_expired'
  | 'record_contradicted'
  | 'operation_reused'
  | 'done_for_another'
  | 'stale_state'
  | 'target_missing'
  | 'approval_pending'
  | 'approval_rejected'
  | 'approval_expired'
  | 'approval_invalid'
  | 'canceled'
  | 'sibling_canceled'
  | 'would_deadlock'
  | 'context_change_forbidden'
  | 'budget_exhausted'
  | 'rate_limited'
  | 'timeout'
  | 'dependency_unavailable'
  | 'credential_missing'
  | 'execution_failed'
  | 'result_mapping_failed'
  | 'verification_failed'
  | 'partial_effect'
  | 'not_recorded'
  | 'internal_error'
