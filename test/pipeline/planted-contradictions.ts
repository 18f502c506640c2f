// One fault per contradiction: the tool of the tests, changed so that registration must refuse it by this name.
import type { Predicate, ToolSource } from '../../src/index.ts'
import type { counted } from './bench-desk.ts'

type Plant = (source: ToolSource) => unknown

/** One planted fault per contradiction; the test fails when a row has none. */
export const planted: Record<string, readonly [Parameters<typeof counted>[0], Plant]> = {
  'critical-on-ephemeral-ledger': ['CRITICAL_MUTATION', (source) => source],
  'commits-without-database': [
    'LOW_RISK_INTERNAL',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, executor: { ...binding.executor, commits: 'ledger' } },
    }),
  ],
  'provider-window-without-key': [
    'EPHEMERAL_WRITE',
    ({ contract, binding }) => ({
      contract: { ...contract, idempotency: { ...contract.idempotency, supported: false } },
      binding: { ...binding, recovery: { ...binding.recovery, providerWindowMs: 1_000 } },
    }),
  ],
  'retried-without-idempotency': [
    'EPHEMERAL_WRITE',
    ({ contract, binding }) => ({
      contract: {
        ...contract,
        runtime: { ...contract.runtime, max_retries: 2 },
        idempotency: { ...contract.idempotency, supported: false },
      },
      binding,
    }),
  ],
  'compensable-without-compensation': [
    'MEDIUM_RISK_WRITE',
    (source) => transactional(source, { semantics: 'compensable_write' }),
  ],
  'confirmation-too-weak': ['HIGH_RISK_EXTERNAL', (source) => transactional(source, { confirmation_required: false })],
  'verification-too-weak': [
    'HIGH_RISK_EXTERNAL',
    (source) => transactional(source, { post_action_verification_required: false }),
  ],
  'verifier-broken': [
    'LOW_RISK_INTERNAL',
    (source) => verified(source, [{ path: '/status', is: 'equals', from: '/before/status' }]),
  ],
  'verifier-too-weak': [
    'HIGH_RISK_EXTERNAL',
    (source) => verified(source, [{ path: '/status', is: 'equals', value: 'sent' }]),
  ],
  'semantics-do-not-fit-class': ['READ_ONLY', (source) => transactional(source, { semantics: 'saga_step' })],
  'idempotency-too-weak': [
    'MEDIUM_RISK_WRITE',
    ({ contract, binding }) => ({
      contract: { ...contract, idempotency: { ...contract.idempotency, payload_hash_required: false } },
      binding,
    }),
  ],
  'audit-too-weak': [
    'MEDIUM_RISK_WRITE',
    ({ contract, binding }) => ({
      contract: { ...contract, observability: { ...contract.observability, audit_required: false } },
      binding,
    }),
  ],
  'quorum-too-small': [
    'HIGH_RISK_EXTERNAL',
    ({ contract, binding }) => ({ contract, binding: { ...binding, approval: { ...binding.approval, quorum: 0 } } }),
  ],
  'approval-time-unbounded': [
    'HIGH_RISK_EXTERNAL',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, approval: { ...binding.approval, ttlMs: Number.POSITIVE_INFINITY } },
    }),
  ],
  'consequence-unreadable': [
    'READ_ONLY',
    ({ contract, binding }) => ({ contract, binding: { ...binding, consequence: 'Handles {nothing}' } }),
  ],
  'rule-refused': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, rules: [{ id: 'r', when: 'args.nothing', message: 'm' }] },
    }),
  ],
  'state-schema-refused': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, state: { read: () => null, match: [], schema: { format: 'moon' } } },
    }),
  ],
  'not-isolated': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: { ...contract, runtime: { ...contract.runtime, sandbox_isolated: true } },
      binding,
    }),
  ],
  'effect-below-executor': [
    'MEDIUM_RISK_WRITE',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, executor: { ...binding.executor, leastEffect: 'HIGH_RISK_EXTERNAL' } },
    }),
  ],
  'change-by-a-read': [
    'MEDIUM_RISK_WRITE',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, executor: { ...binding.executor, readsOnly: true } },
    }),
  ],
  'connects-without-egress': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, executor: { ...binding.executor, connects: true } },
    }),
  ],
  'connections-not-watched': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: { ...contract, security: { ...contract.security, egress_policy: 'private_network_only' } },
      binding: { ...binding, executor: { ...binding.executor, connects: true, unwatched: true } },
    }),
  ],
  'no-domains-listed': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: { ...contract, security: { ...contract.security, egress_policy: 'allowlisted_domains' } },
      binding,
    }),
  ],
  'bad-port': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, connections: { ...binding.connections, ports: [70_000] } },
    }),
  ],
  'key-reaches-nobody': [
    'MEDIUM_RISK_WRITE',
    ({ contract, binding }) => ({
      contract,
      binding: {
        ...binding,
        executor: { ...binding.executor, kind: 'http' },
        recovery: { ...binding.recovery, providerWindowMs: 60_000 },
      },
    }),
  ],
  'key-header-refused': [
    'MEDIUM_RISK_WRITE',
    ({ contract, binding }) => ({
      contract: { ...contract, idempotency: { ...contract.idempotency, key_header: 'Host' } },
      binding,
    }),
  ],
  'program-without-user': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, executor: { ...binding.executor, unconfined: true } },
    }),
  ],
  'credentials-without-boundary': [
    'READ_ONLY',
    ({ contract, binding }) => ({ contract, binding: { ...binding, credentials: { key: { ref: 'billing/api' } } } }),
  ],
  'secrets-outside-sandbox': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: { ...contract, security: { ...contract.security, secrets_boundary: 'execution_sandbox' } },
      binding,
    }),
  ],
  'bad-credential': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: { ...contract, security: { ...contract.security, secrets_boundary: 'gateway_injected' } },
      binding: { ...binding, credentials: { key: { ref: '../other-tenant' } } },
    }),
  ],
  'unknown-error-class': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: { ...contract, observability: { ...contract.observability, error_taxonomy_mapping: { E: 'OOPS' } } },
      binding,
    }),
  ],
  'fail-closed-loosened': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: {
        ...contract,
        error_contract: { ...contract.error_contract, retryable_errors: ['PERMISSION_DENIED'] },
      },
      binding,
    }),
  ],
  'retried-and-failed-closed': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: {
        ...contract,
        error_contract: {
          ...contract.error_contract,
          fail_closed_errors: [...contract.error_contract.fail_closed_errors, 'TIMEOUT'],
        },
      },
      binding,
    }),
  ],
  'error-code-stands-for-a-gate': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: {
        ...contract,
        observability: { ...contract.observability, error_taxonomy_mapping: { E: 'CONFIRMATION_MISSING' } },
      },
      binding,
    }),
  ],
  'bad-pointer': ['READ_ONLY', ({ contract, binding }) => ({ contract, binding: { ...binding, sensitive: ['note'] } })],
  'secret-result-is-kept': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: { ...contract, security: { ...contract.security, data_classification: 'secret' } },
      binding: { ...binding, persistence: { ...binding.persistence, mode: 'ref_only' } },
    }),
  ],
  'nothing-is-redacted': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, persistence: { ...binding.persistence, mode: 'redact' } },
    }),
  ],
  'result-sizes-do-not-fit': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, persistence: { ...binding.persistence, maxBytes: 10 } },
    }),
  ],
  'compensation-not-mapped': [
    'MEDIUM_RISK_WRITE',
    ({ contract, binding }) => ({
      contract: { ...contract, transactional: { ...contract.transactional, compensation_tool: 'undo_v1' } },
      binding: { ...binding, compensation: { arguments: { id: { $from: '/input/id' } } } },
    }),
  ],
  'money-cannot-be-counted': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, amount: { pointer: '/amount', currency: { const: '€' } } },
    }),
  ],
  'executor-names-no-argument': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract,
      binding: {
        ...binding,
        executor: { ...binding.executor, names: { arguments: ['/order_id', '/oder_id'], credentials: [] } },
      },
    }),
  ],
  'executor-names-no-credential': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract,
      binding: { ...binding, executor: { ...binding.executor, names: { arguments: [], credentials: ['api'] } } },
    }),
  ],
  'input-not-closed': ['LOW_RISK_INTERNAL', (source) => described(source, { input_schema: { type: 'object' } })],
  'input-unsatisfiable': ['READ_ONLY', (source) => described(source, { input_schema: { type: 'string' } })],
  'output-unsatisfiable': [
    'READ_ONLY',
    (source) => described(source, { output_schema: { type: 'string', enum: [1] } }),
  ],
  'example-does-not-fit': [
    'READ_ONLY',
    ({ contract, binding }) => ({
      contract: {
        ...contract,
        affordance: { ...contract.affordance, examples: [{ description: 'x', arguments: {} }] },
      },
      binding,
    }),
  ],
}

/** The tool with a verifier that is data. */
function verified({ contract, binding }: ToolSource, expect: readonly Predicate[]): unknown {
  const place = { target: { id: '/args/order_id' }, read: () => null, expect }
  return {
    contract,
    binding: { ...binding, verifier: { sources: [place], delayMs: 0, again: { times: 0, everyMs: 0 } } },
  }
}

const transactional = ({ contract, binding }: ToolSource, change: object) => ({
  contract: { ...contract, transactional: { ...contract.transactional, ...change } },
  binding,
})

const described = ({ contract, binding }: ToolSource, change: object) => ({
  contract: { ...contract, affordance: { ...contract.affordance, ...change } },
  binding,
})
