// The envelope, member by member: nothing may be missing, nothing added, and each value is held to its type, its list or its bound.
import { describe, expect, it } from 'vitest'
import { plainContract } from '../../../test/plain-contract.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { compileSchema } from './compile-tool.ts'
import { contractSchema } from './envelope.ts'

const compiled = compileSchema(contractSchema, '')
if (!compiled.ok) throw new Error('The contract schema is broken.')
const fits = (value: JsonValue) => compiled.schema.matches(value)

const whole = JSON.parse(
  JSON.stringify(
    plainContract({
      affordance: { examples: [{ description: 'One order.', arguments: { order_id: 'o-1' } }] },
      observability: { error_taxonomy_mapping: { gone: 'STALE_STATE' } },
    }),
  ),
) as JsonObject

/** The contract with one place changed; undefined takes the place away. */
function changed(path: string, value: JsonValue | undefined): JsonObject {
  const copy = structuredClone(whole)
  const names = path.split('/')
  const last = names.pop() ?? ''
  let here: Record<string, JsonValue> = copy
  for (const name of names) here = here[name] as Record<string, JsonValue>
  if (value === undefined) delete here[last]
  else here[last] = value
  return copy
}

/** The closed objects of an envelope, with their members. */
const objects: Readonly<Record<string, readonly string[]>> = {
  '': [
    'identity',
    'affordance',
    'runtime',
    'security',
    'transactional',
    'idempotency',
    'observability',
    'error_contract',
  ],
  identity: ['name', 'version', 'owner', 'lifecycle'],
  'identity/lifecycle': ['status', 'sunset_date', 'replacement'],
  affordance: [
    'model_description',
    'allowed_use_cases',
    'forbidden_use_cases',
    'input_schema',
    'output_schema',
    'examples',
  ],
  'affordance/examples/0': ['description', 'arguments'],
  runtime: ['timeout_ms', 'rate_limits', 'cost_profile', 'sandbox_isolated', 'max_retries'],
  'runtime/rate_limits': ['window_sec', 'max_requests'],
  'runtime/cost_profile': ['currency', 'cost_per_call', 'cost_unit'],
  security: ['required_scopes', 'tenant_scoped', 'secrets_boundary', 'data_classification', 'egress_policy'],
  transactional: [
    'side_effect_class',
    'confirmation_required',
    'semantics',
    'compensation_tool',
    'post_action_verification_required',
  ],
  idempotency: ['supported', 'required', 'key_header', 'ttl_seconds', 'payload_hash_required'],
  observability: ['trace_attributes', 'audit_required', 'error_taxonomy_mapping'],
  error_contract: ['repairable_errors', 'retryable_errors', 'fail_closed_errors', 'escalation_errors'],
}

const at = (path: string, name: string) => (path === '' ? name : `${path}/${name}`)

describe('a contract', () => {
  it.each(Object.entries(objects))(
    'has each member of /%s and no other [TC-009, TC-011 to TC-019, TC-021, TC-024 to TC-026, TC-114, TC-406, TC-409]',
    (path, members) => {
      expect(fits(whole)).toBe(true)
      for (const name of members) expect([name, fits(changed(at(path, name), undefined))]).toEqual([name, false])
      expect(fits(changed(at(path, 'more'), 1))).toBe(false)
      const here =
        path === ''
          ? whole
          : path.split('/').reduce<JsonValue>((value, name) => (value as JsonObject)[name] ?? null, whole)
      expect(isObject(here) && Object.keys(here).toSorted()).toEqual(members.toSorted())
    },
  )

  const types: readonly (readonly [path: string, wrong: JsonValue])[] = [
    ['identity/version', 1],
    ['identity/owner', null],
    ['identity/lifecycle/sunset_date', 'soon'],
    ['identity/lifecycle/sunset_date', 5],
    ['identity/lifecycle/replacement', 5],
    ['affordance/model_description', null],
    ['affordance/allowed_use_cases', 'refunds'],
    ['affordance/forbidden_use_cases', [1]],
    ['affordance/input_schema', true],
    ['affordance/output_schema', 'object'],
    ['affordance/examples', {}],
    ['affordance/examples/0/description', 1],
    ['affordance/examples/0/arguments', []],
    ['runtime/sandbox_isolated', 'yes'],
    ['security/required_scopes', 'orders:read'],
    ['security/required_scopes', [1]],
    ['security/tenant_scoped', 1],
    ['transactional/confirmation_required', 'always'],
    ['transactional/compensation_tool', false],
    ['transactional/post_action_verification_required', null],
    ['idempotency/supported', 1],
    ['idempotency/required', 'no'],
    ['idempotency/payload_hash_required', null],
    ['idempotency/key_header', 7],
    ['observability/trace_attributes', [null]],
    ['observability/audit_required', 'true'],
    ['observability/error_taxonomy_mapping', []],
    ['observability/error_taxonomy_mapping/gone', 412],
    ['error_contract/repairable_errors', [1]],
    ['error_contract/retryable_errors', 'TIMEOUT'],
    ['error_contract/fail_closed_errors', [{}]],
    ['error_contract/escalation_errors', [2]],
  ]

  it.each(types)(
    'has no other type at /%s than its own: not %j [TC-013 to TC-015, TC-019, TC-021, TC-024 to TC-026]',
    (path, wrong) => {
      expect(fits(changed(path, wrong))).toBe(false)
    },
  )

  it('may say that there is none of what may be absent', () => {
    const none = ['idempotency/key_header', 'idempotency/ttl_seconds', 'identity/lifecycle/sunset_date']
    for (const path of [...none, 'identity/lifecycle/replacement', 'transactional/compensation_tool'])
      expect([path, fits(changed(path, null))]).toEqual([path, true])
    expect(fits(changed('identity/lifecycle/sunset_date', '2026-12-31'))).toBe(true)
  })

  const listed: readonly (readonly [path: string, values: readonly string[]])[] = [
    ['identity/lifecycle/status', ['active', 'deprecated', 'sunsetted']],
    ['runtime/cost_profile/cost_unit', ['call', 'token', 'second', 'transaction', 'custom']],
    ['security/secrets_boundary', ['gateway_injected', 'execution_sandbox', 'none']],
    ['security/data_classification', ['public', 'internal', 'confidential', 'regulated', 'secret']],
    ['security/egress_policy', ['none', 'allowlisted_domains', 'private_network_only', 'unrestricted_with_approval']],
    [
      'transactional/side_effect_class',
      [
        'READ_ONLY',
        'EPHEMERAL_WRITE',
        'LOW_RISK_INTERNAL',
        'MEDIUM_RISK_WRITE',
        'HIGH_RISK_EXTERNAL',
        'CRITICAL_MUTATION',
      ],
    ],
    [
      'transactional/semantics',
      ['read_only', 'idempotent_write', 'compensable_write', 'saga_step', 'irreversible_pivot', 'retryable_post_pivot'],
    ],
  ]

  it.each(listed)(
    'says at /%s one of the listed words and no other [TC-013, TC-018, TC-020, TC-022, TC-023]',
    (path, values) => {
      for (const value of values) expect([value, fits(changed(path, value))]).toEqual([value, true])
      for (const other of [
        'other',
        values[0]?.toLowerCase() === values[0] ? values[0]?.toUpperCase() : values[0]?.toLowerCase(),
      ])
        expect(fits(changed(path, other ?? ''))).toBe(false)
      const names = path.split('/')
      const schema = names.reduce<JsonValue>(
        (value, name) => ((value as JsonObject).properties as JsonObject)[name] ?? null,
        contractSchema,
      )
      expect((schema as JsonObject).enum).toEqual(values)
    },
  )

  const bounds: readonly (readonly [path: string, least: JsonValue, less: readonly JsonValue[]])[] = [
    ['identity/name', 'a'.repeat(128), ['', 'a'.repeat(129), 'void invoice', 'naïve']],
    ['identity/name', 'fetch_account.v1-b', ['fetch/account']],
    ['runtime/timeout_ms', 1, [0, -5, 1.5, '1']],
    ['runtime/max_retries', 0, [-1, 0.5]],
    ['runtime/rate_limits/window_sec', 1, [0, 1.5]],
    ['runtime/rate_limits/max_requests', 1, [0, '1']],
    ['runtime/cost_profile/cost_per_call', 0, [-0.01, '0']],
    ['idempotency/ttl_seconds', 1, [0, 1.5]],
  ]

  it.each(bounds)('begins at /%s with %j [TC-012, TC-016 to TC-018, TC-024]', (path, least, less) => {
    expect(fits(changed(path, least))).toBe(true)
    for (const value of less) expect([value, fits(changed(path, value))]).toEqual([value, false])
  })
})
