// From what the sources show to the report: states, one discrepancy, trust, and what is to be done. Pure.
import type { Tool } from '../../contract/tool/tool.ts'
import type {
  Discrepancy,
  ExecutionState,
  ReconciliationState,
  TrustLevel,
  VerificationReport,
  VerificationState,
} from '../../contract/verification/verification.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { JudgedSource, SourceFinding } from './read-back.ts'
import { isHighImpact, remedyFor, type Situation } from './remedy.ts'

/** What the class demands to be checked once more, besides the sources. */
export interface Rechecked {
  readonly payloadFits: boolean
  readonly approvalFits: boolean
}

export interface ConcludeInput {
  readonly tool: Tool
  readonly findings: readonly SourceFinding[]
  readonly rechecked: Rechecked
  readonly target: string | null
  readonly reads: number
  /** When the sources are read again if they do not agree now; undefined: this was the last reading. */
  readonly next: EpochMs | undefined
}

interface DiscrepancyRow {
  readonly state: Extract<VerificationState, 'VERIFIED' | 'FAILED' | 'UNVERIFIABLE' | 'PENDING'>
  readonly reconciliation: ReconciliationState
  /** Whether waiting may mend it: what is only not there yet. */
  readonly waits: boolean
}

/** What each discrepancy means, and whether a later reading may show something better. */
export const discrepancyTable: Readonly<Record<Discrepancy, DiscrepancyRow>> = {
  no_op_success: { state: 'FAILED', reconciliation: 'RECONCILED_FAILURE', waits: true },
  no_op_failure: { state: 'VERIFIED', reconciliation: 'RECONCILED_SUCCESS', waits: false },
  value_mismatch: { state: 'FAILED', reconciliation: 'REVIEW_REQUIRED', waits: true },
  stale_state: { state: 'FAILED', reconciliation: 'RECONCILED_FAILURE', waits: true },
  partial_application: { state: 'FAILED', reconciliation: 'RECONCILED_PARTIAL', waits: true },
  duplicate_side_effect: { state: 'FAILED', reconciliation: 'REVIEW_REQUIRED', waits: false },
  wrong_target: { state: 'FAILED', reconciliation: 'REVIEW_REQUIRED', waits: false },
  target_missing: { state: 'FAILED', reconciliation: 'RECONCILED_FAILURE', waits: true },
  propagation_delay: { state: 'PENDING', reconciliation: 'NOT_STARTED', waits: true },
  unverifiable: { state: 'UNVERIFIABLE', reconciliation: 'UNKNOWN', waits: true },
  compensation_required: { state: 'FAILED', reconciliation: 'REVIEW_REQUIRED', waits: true },
  unknown: { state: 'FAILED', reconciliation: 'REVIEW_REQUIRED', waits: true },
}

/** Where several sources differ from what was expected, the worst names the difference. */
const byGravity: readonly Discrepancy[] = [
  'wrong_target',
  'duplicate_side_effect',
  'compensation_required',
  'value_mismatch',
  'partial_application',
  'target_missing',
  'stale_state',
  'no_op_success',
  'unknown',
  'no_op_failure',
]

export function conclude(input: ConcludeInput): VerificationReport {
  const { findings, rechecked, tool } = input
  const read = findings.filter((finding): finding is JudgedSource => finding.kind === 'found')
  const unread = findings.filter((finding) => finding.kind === 'unreadable')
  const worst = byGravity.find((name) => read.some(({ discrepancy }) => discrepancy === name)) ?? null
  const found = summed(read, unread, worst)
  const waits = input.next !== undefined && found.waits && rechecked.payloadFits
  const situation = situationOf(tool, {
    ...rechecked,
    state: waits ? 'PENDING' : rechecked.payloadFits ? found.state : 'FAILED',
    discrepancy: waits ? (unread.length > 0 ? 'unverifiable' : 'propagation_delay') : found.discrepancy,
    uncommitted: false,
  })
  return {
    execution: executionOf(situation, tool),
    state: situation.state,
    reconciliation: reconciliationOf(situation, found.reconciliation),
    discrepancy: rechecked.payloadFits ? situation.discrepancy : (situation.discrepancy ?? 'unknown'),
    trust: situation.state === 'VERIFIED' && rechecked.approvalFits ? trustOf(read) : 1,
    action: remedyFor(situation),
    message: messageOf(rechecked, worst, read, unread),
    target: input.target,
    unmet: read.flatMap(({ unmet }) => unmet),
    unexpected: read.flatMap(({ unexpected }) => unexpected),
    reads: input.reads,
    due: waits ? (input.next ?? null) : null,
  }
}

type Observed = Pick<Situation, 'state' | 'discrepancy' | 'uncommitted' | keyof Rechecked>

export function situationOf({ contract: { transactional, security } }: Tool, observed: Observed): Situation {
  return {
    ...observed,
    effectClass: transactional.side_effect_class,
    semantics: transactional.semantics,
    classification: security.data_classification,
    compensable: transactional.compensation_tool !== null,
  }
}

interface Summed {
  readonly state: VerificationState
  readonly discrepancy: Discrepancy | null
  readonly reconciliation: ReconciliationState
  readonly waits: boolean
}

/** All must agree: one that differs makes a failure, and one that could not be read leaves it open. */
function summed(read: readonly JudgedSource[], unread: readonly SourceFinding[], worst: Discrepancy | null): Summed {
  const differs = worst !== null && discrepancyTable[worst].state === 'FAILED'
  if (worst !== null && differs) {
    const { reconciliation, waits } = discrepancyTable[worst]
    // Where sources contradict each other, no machine says which is right.
    const isDisputed = read.some(({ discrepancy }) => discrepancy === null)
    return {
      state: 'FAILED',
      discrepancy: worst,
      reconciliation: isDisputed ? 'REVIEW_REQUIRED' : reconciliation,
      waits,
    }
  }
  if (unread.length > 0 || read.length === 0) {
    const isLate = unread.some((finding) => finding.kind === 'unreadable' && finding.late)
    const state = isLate ? 'TIMEOUT' : 'UNVERIFIABLE'
    return { state, discrepancy: isLate ? 'unknown' : 'unverifiable', reconciliation: 'UNKNOWN', waits: true }
  }
  return { state: 'VERIFIED', discrepancy: worst, reconciliation: 'RECONCILED_SUCCESS', waits: false }
}

/** A tool that says yes has accepted; only a reading, or the ledger's own transaction, says that it is committed. */
function executionOf({ state, discrepancy }: Situation, { binding }: Tool): ExecutionState {
  if (binding.executor.commits === 'ledger' || state === 'VERIFIED') return 'COMMITTED'
  if (state === 'PENDING') return 'PENDING'
  if (discrepancy === 'no_op_success' || discrepancy === 'target_missing') return 'FAILED'
  if (state !== 'FAILED') return 'ACCEPTED'
  return discrepancy === 'unknown' ? 'UNKNOWN' : 'COMMITTED'
}

function reconciliationOf(situation: Situation, own: ReconciliationState): ReconciliationState {
  if (!situation.payloadFits || !situation.approvalFits) return 'REVIEW_REQUIRED'
  if (situation.state === 'PENDING') return 'NOT_STARTED'
  return own === 'UNKNOWN' && isHighImpact(situation) ? 'REVIEW_REQUIRED' : own
}

/** A second source, or what was there before, turns a reading into a reconciliation; a record of who did it confirms it. */
function trustOf(read: readonly JudgedSource[]): TrustLevel {
  if (read.some(({ audited }) => audited)) return 4
  return read.length > 1 || read.some(({ compared }) => compared) ? 3 : 2
}

function messageOf(
  { payloadFits, approvalFits }: Rechecked,
  worst: Discrepancy | null,
  read: readonly JudgedSource[],
  unread: readonly SourceFinding[],
): string {
  if (!payloadFits) return 'What the tool was given is not what was judged and approved.'
  if (!approvalFits) return 'The policies or the code have changed since the call was approved.'
  const worse = read.find(({ discrepancy }) => discrepancy !== null && discrepancy === worst)
  if (worse !== undefined) return worse.message
  const first = unread[0]
  return first === undefined || first.kind === 'found' ? '' : `${first.source}: ${first.message}`
}
