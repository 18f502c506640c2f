// The taxonomy against the specification's own table of it: flags, number and next action of every class, written down here once more.
import { describe, expect, it } from 'vitest'
import { type NextAction, type TaxonomyClass, taxonomy } from './taxonomy.ts'

interface Flags {
  readonly repairable?: true
  readonly retryable?: true
  readonly requiresApproval?: true
  readonly failClosed?: true
  readonly escalate?: true
}

const table: Readonly<Record<TaxonomyClass, readonly [Flags, NextAction]>> = {
  SUCCESS: [{}, 'continue'],
  PARTIAL_SUCCESS: [{}, 'inspect_partial_result'],
  SYNTACTIC_PARSE_FAIL: [{ repairable: true }, 'repair_arguments'],
  STRUCTURAL_VIOLATION: [{ repairable: true }, 'repair_arguments'],
  TYPE_MISMATCH: [{ repairable: true }, 'repair_arguments'],
  OUT_OF_BOUNDS: [{ repairable: true }, 'repair_arguments'],
  SEMANTIC_INVALIDITY: [{ repairable: true }, 'replan_or_ask_user'],
  PERMISSION_DENIED: [{ failClosed: true }, 'stop_and_report'],
  POLICY_VIOLATION: [{ failClosed: true }, 'stop_and_report'],
  STALE_STATE: [{ repairable: true }, 'refresh_state_and_replan'],
  CONFIRMATION_MISSING: [{ requiresApproval: true }, 'await_approval'],
  BUDGET_EXHAUSTED: [{ requiresApproval: true }, 'request_budget'],
  RATE_LIMITED: [{ retryable: true }, 'retry_after_delay'],
  TIMEOUT: [{ retryable: true }, 'retry_after_delay'],
  IDEMPOTENCY_CONFLICT: [{ retryable: true }, 'retry_after_delay'],
  SIGNATURE_MISMATCH: [{ failClosed: true }, 'use_new_operation'],
  DEPENDENCY_UNAVAILABLE: [{ retryable: true }, 'retry_after_delay'],
  OBSERVATION_NORMALIZATION_FAIL: [{ escalate: true }, 'stop_and_report'],
  COMPENSATION_REQUIRED: [{ escalate: true }, 'run_compensation'],
  COMPENSATION_FAILED: [{ requiresApproval: true, failClosed: true, escalate: true }, 'await_resolution'],
  UNKNOWN_ERROR: [{ failClosed: true }, 'classify_before_retry'],
}

const rows = Object.entries(table) as [TaxonomyClass, readonly [Flags, NextAction]][]

describe('the taxonomy', () => {
  it.each(rows)(
    'gives %s the flags that the specification gives it [TC-200, TC-293 to TC-299, TC-301 to TC-303, TC-305 to TC-309, TC-311, TC-313, TC-315]',
    (name, [flags, nextAction]) => {
      const { repairable, retryable, requiresApproval, failClosed, escalate, isError } = taxonomy[name]
      const none = { repairable: false, retryable: false, requiresApproval: false, failClosed: false, escalate: false }
      expect({ repairable, retryable, requiresApproval, failClosed, escalate }).toEqual({ ...none, ...flags })
      expect(taxonomy[name].nextAction).toBe(nextAction)
      expect(isError).toBe(name !== 'SUCCESS')
    },
  )

  it('says of a conflict what 409 says', () => {
    expect([taxonomy.SUCCESS.code, taxonomy.IDEMPOTENCY_CONFLICT.code, taxonomy.RATE_LIMITED.code]).toEqual([
      200, 409, 429,
    ])
  })

  /** Every way on is one of five; what is no failure, or waits for a person, goes none of them. */
  const ways: Readonly<
    Record<NextAction, 'repair' | 'retry' | 'compensation' | 'escalation' | 'termination' | 'none'>
  > = {
    continue: 'none',
    accept_effect: 'termination',
    inspect_partial_result: 'termination',
    repair_arguments: 'repair',
    replan_or_ask_user: 'repair',
    choose_available_tool: 'repair',
    discover_tool: 'repair',
    refresh_state_and_replan: 'repair',
    use_new_operation: 'termination',
    stop_and_report: 'termination',
    retry_after_delay: 'retry',
    await_approval: 'escalation',
    request_budget: 'escalation',
    await_resolution: 'escalation',
    classify_before_retry: 'termination',
    run_compensation: 'compensation',
  }

  it('leads every failure on exactly one of five ways [TC-340]', () => {
    const taken = rows.filter(([name]) => name !== 'SUCCESS').map(([name]) => ways[taxonomy[name].nextAction])
    expect(taken).not.toContain('none')
    expect(new Set(taken)).toEqual(new Set(['repair', 'retry', 'compensation', 'escalation', 'termination']))
    for (const [name, row] of Object.entries(taxonomy)) {
      const way = ways[row.nextAction]
      expect([name, row.repairable]).toEqual([name, way === 'repair'])
      expect([name, row.retryable]).toEqual([name, way === 'retry'])
    }
  })
})
