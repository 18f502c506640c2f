// What verification comes to: the states of the specification, the twelve discrepancies, and the report that facts and calls keep.
// Accepted is not committed, unknown is not failed, compensated is not rolled back.
import type { EpochMs } from '../../json/clock.ts'

export const executionStates = [
  'NOT_EXECUTED',
  'EXECUTING',
  'ACCEPTED',
  'PENDING',
  'COMMITTED',
  'FAILED',
  'UNKNOWN',
] as const

export type ExecutionState = (typeof executionStates)[number]

export const verificationStates = [
  'NOT_REQUIRED',
  'NOT_STARTED',
  'PENDING',
  'VERIFIED',
  'FAILED',
  'TIMEOUT',
  'UNVERIFIABLE',
] as const

export type VerificationState = (typeof verificationStates)[number]

export const reconciliationStates = [
  'NOT_STARTED',
  'RECONCILED_SUCCESS',
  'RECONCILED_PARTIAL',
  'RECONCILED_FAILURE',
  'UNKNOWN',
  'COMPENSATED',
  'ROLLED_BACK',
  'REVIEW_REQUIRED',
] as const

export type ReconciliationState = (typeof reconciliationStates)[number]

export const discrepancies = [
  'no_op_success',
  'no_op_failure',
  'value_mismatch',
  'stale_state',
  'partial_application',
  'duplicate_side_effect',
  'wrong_target',
  'target_missing',
  'propagation_delay',
  'unverifiable',
  'compensation_required',
  'unknown',
] as const

export type Discrepancy = (typeof discrepancies)[number]

/** What is to be done, by rule and never by a model. */
export const remedyNames = [
  'none',
  'report_degraded',
  'rollback',
  'compensate',
  'recover_forward',
  'poll',
  'freeze_and_reconcile',
  'freeze_and_alarm',
  'hold_and_escalate',
  'revalidate_approval',
  'fail_closed',
] as const

export type Remedy = (typeof remedyNames)[number]

/** 0 raw, 1 normalized, 2 verified by an independent reading, 3 reconciled, 4 confirmed by an audit. */
export type TrustLevel = 0 | 1 | 2 | 3 | 4

/** No value of an argument, a result or a state is in it: only places. */
export interface VerificationReport {
  readonly execution: ExecutionState
  readonly state: VerificationState
  readonly reconciliation: ReconciliationState
  readonly discrepancy: Discrepancy | null
  readonly trust: TrustLevel
  readonly action: Remedy
  readonly message: string
  /** What was read, as the observation names it. */
  readonly target: string | null
  /** What does not hold: the source, the place in its state, and what was expected there. */
  readonly unmet: readonly string[]
  /** Places that have changed although no predicate expects it. */
  readonly unexpected: readonly string[]
  /** How often the sources were read. */
  readonly reads: number
  /** When they are read next; null where they are not. */
  readonly due: EpochMs | null
  /** Which secrets the reading was given, by name: where they are kept, never what they are. */
  readonly credentials?: Readonly<Record<string, string>>
}
