import { describe, expect, it } from 'vitest'
import { type TaxonomyClass, taxonomy } from '../taxonomy.ts'
import type { Observation } from './observation.ts'
import { resultRecord } from './result-record.ts'

function observed(
  name: TaxonomyClass,
  reason?: string,
  more: Partial<Observation['result_payload']> = {},
): Observation {
  const { code, isError } = taxonomy[name]
  const flags = { retryable: false, repairable: false, requires_approval: false, fail_closed: false }
  return {
    tool_identity: { name: 'look_v1', version: '1.0.0', call_id: 'c' },
    execution_metadata: { timestamp: '', latency_ms: 0, idempotency_hit: false, trace_id: '', attempt_number: 1 },
    status: { code, is_error: isError, taxonomy_class: name, ...flags },
    result_payload: {
      data: null,
      errors: reason === undefined ? [] : [{ field: null, message: 'Because.', code: reason }],
      warnings: [],
      ...more,
    },
    verification: {
      post_action_verification_required: false,
      target_state_reference: null,
      expected_state: null,
      delay_seconds: 0,
    },
  }
}

const statusOf = (observation: Observation) => resultRecord(observation)?.status

describe('the result record', () => {
  it.each<[TaxonomyClass, string, string]>([
    ['PARTIAL_SUCCESS', 'partial_effect', 'partial_succeeded'],
    ['TYPE_MISMATCH', 'schema_validation_failed', 'rejected'],
    ['STALE_STATE', 'stale_state', 'rejected'],
    ['CONFIRMATION_MISSING', 'approval_rejected', 'rejected'],
    ['PERMISSION_DENIED', 'missing_scope', 'denied'],
    ['POLICY_VIOLATION', 'policy_blocked', 'denied'],
    ['POLICY_VIOLATION', 'execution_failed', 'failed'],
    ['CONFIRMATION_MISSING', 'approval_invalid', 'denied'],
    ['RATE_LIMITED', 'rate_limited', 'denied'],
    ['TIMEOUT', 'timeout', 'timed_out'],
    ['UNKNOWN_ERROR', 'canceled', 'canceled'],
    ['UNKNOWN_ERROR', 'sibling_canceled', 'synthetic_error'],
    ['UNKNOWN_ERROR', 'internal_error', 'synthetic_error'],
    ['UNKNOWN_ERROR', 'execution_failed', 'failed'],
    ['OBSERVATION_NORMALIZATION_FAIL', 'result_mapping_failed', 'failed'],
  ])('of %s · %s is %s [result-status-is-told] [EP-66, EP-69]', (name, reason, status) => {
    expect(statusOf(observed(name, reason))).toBe(status)
  })

  it.each<[string, string]>([
    ['result_withheld: by the hook h: no', 'discarded'],
    ['result_dropped: 9 bytes, not kept: the binding says so', 'discarded'],
    ['result_too_large: 900 bytes; the whole result is stored as r', 'too_large'],
    ['result_redacted: some fields are masked', 'redacted'],
    ['result_scrubbed: a secret was taken out', 'redacted'],
    ['result_cleaned: 1 control sequence taken out', 'succeeded'],
  ])('of a success that warns of %s is %s [result-status-is-told] [TC-274, EP-69]', (warning, status) => {
    expect(statusOf(observed('SUCCESS', undefined, { data: {}, warnings: [warning] }))).toBe(status)
  })

  it('is not there while a person is asked', () => {
    expect(resultRecord(observed('CONFIRMATION_MISSING', 'approval_pending'))).toBeUndefined()
  })

  it('marks an empty success, and says so in its content [EP-70]', () => {
    expect(resultRecord(observed('SUCCESS'))).toMatchObject({ empty: true, isError: false, content: '(empty_result)' })
    expect(resultRecord(observed('SUCCESS', undefined, { data: {} }))).toMatchObject({ empty: false, content: '{}' })
  })

  it('refers only to what was stored here, not to what a tool calls a reference', () => {
    const data = { result_ref: 'abc' }
    expect(resultRecord(observed('SUCCESS', undefined, { data }))?.refs).toEqual([])
    const warnings = ['result_stored: 9 bytes, kept as abc: regulated data']
    expect(resultRecord(observed('SUCCESS', undefined, { data, warnings }))?.refs).toEqual(['abc'])
  })

  it('lists what was taken out, and sums up for a person [EP-37, EP-70]', () => {
    const warnings = ['result_redacted: some fields are masked', 'result_cleaned: 1 control sequence taken out']
    const record = resultRecord(observed('SUCCESS', undefined, { data: { a: 1 }, warnings }))
    expect(record?.redaction).toEqual(['masked', 'cleaned'])
    expect(record?.summary).toBe('look_v1: redacted. The tool did what it was asked.')
    expect(record?.content).toBe(`{"a":1}\n(${warnings[0]})\n(${warnings[1]})`)
  })
})
