// The observation, member by member: closed in every part, each value of its type, so that no kind of thing is found in another's place.
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { compileSchema } from '../tool/compile-tool.ts'
import { observationSchema } from './observation.ts'

const compiled = compileSchema(observationSchema, '')
if (!compiled.ok) throw new Error('The observation schema is broken.')
const fits = (value: JsonValue) => compiled.schema.matches(value)

const whole: JsonObject = {
  tool_identity: { name: 'order_v1', version: '1.0.0', call_id: 'c' },
  execution_metadata: {
    timestamp: '2026-01-01T00:00:00.000Z',
    latency_ms: 0,
    idempotency_hit: false,
    trace_id: 't',
    attempt_number: 1,
  },
  status: {
    code: 200,
    is_error: false,
    taxonomy_class: 'SUCCESS',
    retryable: false,
    repairable: false,
    requires_approval: false,
    fail_closed: false,
  },
  result_payload: { data: null, errors: [{ field: null, message: 'm', code: 'c' }], warnings: ['w'] },
  verification: {
    post_action_verification_required: false,
    target_state_reference: null,
    expected_state: null,
    delay_seconds: 0,
  },
}

function changed(path: readonly string[], value: JsonValue | undefined): JsonObject {
  const copy = structuredClone(whole)
  const names = [...path]
  const last = names.pop() ?? ''
  let here: Record<string, JsonValue> = copy
  for (const name of names) here = here[name] as Record<string, JsonValue>
  if (value === undefined) delete here[last]
  else here[last] = value
  return copy
}

const parts: readonly (readonly [path: string, members: readonly string[]])[] = [
  ['', ['tool_identity', 'execution_metadata', 'status', 'result_payload', 'verification']],
  ['tool_identity', ['name', 'version', 'call_id']],
  ['execution_metadata', ['timestamp', 'latency_ms', 'idempotency_hit', 'trace_id', 'attempt_number']],
  ['status', ['code', 'is_error', 'taxonomy_class', 'retryable', 'repairable', 'requires_approval', 'fail_closed']],
  ['result_payload', ['data', 'errors', 'warnings']],
  ['result_payload/errors/0', ['field', 'message', 'code']],
  ['verification', ['post_action_verification_required', 'target_state_reference', 'expected_state', 'delay_seconds']],
]

describe('an observation', () => {
  it.each(parts)(
    'has each member of /%s and no other [TC-250, TC-253, TC-254, TC-259, TC-262, TC-264, TC-266]',
    (path, members) => {
      const names = path === '' ? [] : path.split('/')
      expect(fits(whole)).toBe(true)
      for (const name of members) expect([name, fits(changed([...names, name], undefined))]).toEqual([name, false])
      expect(fits(changed([...names, 'more'], 1))).toBe(false)
    },
  )

  const types: readonly (readonly [path: string, right: readonly JsonValue[], wrong: readonly JsonValue[]])[] = [
    ['tool_identity/name', ['x'], [null, 1]],
    ['tool_identity/version', ['x'], [null, 1]],
    ['tool_identity/call_id', ['x'], [null, 1]],
    ['execution_metadata/timestamp', ['2026-02-03T04:05:06Z'], ['yesterday', '2026-02-03', 5]],
    ['execution_metadata/latency_ms', [0, 7], [-1, 1.5, '0']],
    ['execution_metadata/idempotency_hit', [true], [1, 'true', null]],
    ['execution_metadata/trace_id', ['x'], [null, 1]],
    ['execution_metadata/attempt_number', [1, 2], [0, 1.5, '1']],
    ['status/code', [409], ['409', 1.5]],
    ['status/is_error', [true], [1, null]],
    ['status/retryable', [true], ['no']],
    ['status/repairable', [true], ['no']],
    ['status/requires_approval', [true], [0]],
    ['status/fail_closed', [true], [0]],
    ['result_payload/data', [{}, null, { value: [1] }], [[], 'text', 7, false]],
    ['result_payload/errors', [[]], [{}, [null], ['text']]],
    ['result_payload/errors/0/field', ['amount', null], [1]],
    ['result_payload/errors/0/message', ['x'], [null]],
    ['result_payload/errors/0/code', ['x'], [null, 5]],
    ['result_payload/warnings', [[], ['a']], [[{}], 'text', [1]]],
    ['verification/post_action_verification_required', [true], ['yes']],
    ['verification/target_state_reference', ['id="1"', null], [1, {}]],
    ['verification/expected_state', [{ '/a': 1 }, null], ['done', [1]]],
    ['verification/delay_seconds', [0, 90], [-1, 0.5, '0']],
  ]

  it.each(types)(
    'takes at /%s %j, and not %j [TC-253, TC-255 to TC-258, TC-260, TC-263 to TC-267]',
    (path, right, wrong) => {
      const names = path.split('/')
      for (const value of right) expect([value, fits(changed(names, value))]).toEqual([value, true])
      for (const value of wrong) expect([value, fits(changed(names, value))]).toEqual([value, false])
    },
  )

  it('has one of 21 classes [TC-261]', () => {
    const classes = [
      ...['SUCCESS', 'PARTIAL_SUCCESS', 'SYNTACTIC_PARSE_FAIL', 'STRUCTURAL_VIOLATION', 'TYPE_MISMATCH'],
      ...['OUT_OF_BOUNDS', 'SEMANTIC_INVALIDITY', 'PERMISSION_DENIED', 'POLICY_VIOLATION', 'STALE_STATE'],
      ...['CONFIRMATION_MISSING', 'BUDGET_EXHAUSTED', 'RATE_LIMITED', 'TIMEOUT', 'IDEMPOTENCY_CONFLICT'],
      ...['SIGNATURE_MISMATCH', 'DEPENDENCY_UNAVAILABLE', 'OBSERVATION_NORMALIZATION_FAIL'],
      ...['COMPENSATION_REQUIRED', 'COMPENSATION_FAILED', 'UNKNOWN_ERROR'],
    ]
    for (const name of classes) expect([name, fits(changed(['status', 'taxonomy_class'], name))]).toEqual([name, true])
    for (const name of ['ERROR', 'success', '']) expect(fits(changed(['status', 'taxonomy_class'], name))).toBe(false)
    const { status } = observationSchema.properties as { readonly status: { readonly properties: JsonObject } }
    expect((status.properties.taxonomy_class as JsonObject).enum).toEqual(classes)
  })
})
