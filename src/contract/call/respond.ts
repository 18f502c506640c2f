// Class × effect × contract → response vector. The taxonomy's row is the most a class may allow; a contract narrows it, and an effect
// that stands or may stand forbids doing anything again.

import { type NextAction, type TaxonomyClass, type TaxonomyRow, taxonomy } from '../taxonomy.ts'
import type { Contract } from '../tool/envelope.ts'
import type { Effect, Reason, ResponseVector } from './answer.ts'

export interface ResponseInput {
  readonly class: TaxonomyClass
  readonly reason: Reason
  readonly effect: Effect
  readonly errorContract: Contract['error_contract'] | undefined
}

/** Reasons that say more precisely than their class what to do next. */
const nextActionOf: ReadonlyMap<Reason, NextAction> = new Map<Reason, NextAction>([
  ['unknown_tool', 'choose_available_tool'],
  ['blocked_tool', 'choose_available_tool'],
  ['contract_sunsetted', 'choose_available_tool'],
  // The agent has to be built anew: no other tool of the release would do.
  ['release_mismatch', 'stop_and_report'],
  ['schema_not_loaded', 'discover_tool'],
  ['setup_required', 'stop_and_report'],
  // A person has to set it up; the same call may be made again then.
  ['credential_missing', 'stop_and_report'],
  ['approval_rejected', 'stop_and_report'],
  ['approval_expired', 'await_approval'],
  ['operation_expired', 'use_new_operation'],
  ['repair_exhausted', 'stop_and_report'],
  ['canceled', 'stop_and_report'],
  ['sibling_canceled', 'stop_and_report'],
])

/** Classes whose own advice holds although an effect stands. */
const saysWhatToDo: ReadonlySet<TaxonomyClass> = new Set([
  'COMPENSATION_REQUIRED',
  'PARTIAL_SUCCESS',
  'SIGNATURE_MISMATCH',
])

/** Reasons that no unchanged second call can get past, although their class usually allows one. */
const final: ReadonlySet<Reason> = new Set([
  'setup_required',
  'held',
  'operation_expired',
  'record_contradicted',
  'approval_rejected',
])

/** The model has had its repairs: a person looks at it instead. */
const isExhausted = (reason: Reason) => reason === 'repair_exhausted'

export function respond(input: ResponseInput): ResponseVector {
  const row: TaxonomyRow = taxonomy[input.class]
  const listed = (list: readonly string[] | undefined) => list === undefined || list.includes(input.class)
  const contract = input.errorContract
  const nothingStands = input.effect === 'none' || input.effect === 'pending'
  // A running attempt is the one unknown worth asking about again: the second call gets its recorded answer.
  const running = input.effect === 'unknown' && input.reason === 'in_progress'
  const repairable =
    row.repairable && nothingStands && !isExhausted(input.reason) && listed(contract?.repairable_errors)
  const retryable =
    row.retryable && (nothingStands || running) && !final.has(input.reason) && listed(contract?.retryable_errors)
  return {
    error_code: input.class,
    repairable,
    retryable,
    requires_approval: row.requiresApproval && input.reason !== 'approval_rejected',
    fail_closed: row.failClosed || (contract?.fail_closed_errors.includes(input.class) ?? false),
    escalate:
      row.escalate ||
      isExhausted(input.reason) ||
      (contract?.escalation_errors.includes(input.class) ?? false) ||
      (input.effect === 'unknown' && !running),
    next_action: nextAction(input, row, running),
  }
}

function nextAction(input: ResponseInput, row: TaxonomyRow, running: boolean): NextAction {
  if (input.effect === 'unknown' && !running) return 'await_resolution'
  if (input.effect === 'happened' && row.isError && !saysWhatToDo.has(input.class)) return 'accept_effect'
  return nextActionOf.get(input.reason) ?? row.nextAction
}
