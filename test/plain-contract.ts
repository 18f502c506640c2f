// The plainest whole contract: it reads, asks for nothing and costs nothing. A test that needs a contract changes only what it is about.
import type { Contract } from '../src/contract/tool/envelope.ts'

/** Fields to put in place of the plain ones, section by section. */
export type ContractChanges = { readonly [Section in keyof Contract]?: Partial<Contract[Section]> }

const plain: Contract = {
  identity: {
    name: 'order_v1',
    version: '1.0.0',
    owner: 'billing',
    lifecycle: { status: 'active', sunset_date: null, replacement: null },
  },
  affordance: {
    model_description: 'Handles an order.',
    allowed_use_cases: [],
    forbidden_use_cases: [],
    input_schema: { type: 'object', additionalProperties: false },
    output_schema: {},
    examples: [],
  },
  runtime: {
    timeout_ms: 1_000,
    rate_limits: { window_sec: 1, max_requests: 10 },
    cost_profile: { currency: 'EUR', cost_per_call: 0, cost_unit: 'call' },
    sandbox_isolated: false,
    max_retries: 0,
  },
  security: {
    required_scopes: [],
    tenant_scoped: false,
    secrets_boundary: 'none',
    data_classification: 'internal',
    egress_policy: 'none',
  },
  transactional: {
    side_effect_class: 'READ_ONLY',
    confirmation_required: false,
    semantics: 'read_only',
    compensation_tool: null,
    post_action_verification_required: false,
  },
  idempotency: {
    supported: false,
    required: false,
    key_header: null,
    ttl_seconds: null,
    payload_hash_required: false,
  },
  observability: { trace_attributes: [], audit_required: false, error_taxonomy_mapping: {} },
  error_contract: { repairable_errors: [], retryable_errors: [], fail_closed_errors: [], escalation_errors: [] },
}

/** What is given later stands over what is given before. */
export const plainContract = (...given: readonly ContractChanges[]): Contract => given.reduce<Contract>(changed, plain)

const changed = (contract: Contract, changes: ContractChanges): Contract => ({
  identity: { ...contract.identity, ...changes.identity },
  affordance: { ...contract.affordance, ...changes.affordance },
  runtime: { ...contract.runtime, ...changes.runtime },
  security: { ...contract.security, ...changes.security },
  transactional: { ...contract.transactional, ...changes.transactional },
  idempotency: { ...contract.idempotency, ...changes.idempotency },
  observability: { ...contract.observability, ...changes.observability },
  error_contract: { ...contract.error_contract, ...changes.error_contract },
})
