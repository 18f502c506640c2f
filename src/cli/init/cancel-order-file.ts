// The starter's second tool: a write, with a state that has to allow it and one effect per order.

export const cancelOrderFile = `# yaml-language-server: $schema=../node_modules/proviso/schemas/tool-file.schema.json
# A tool that changes something: it needs a run, has one effect per operation, and reads the order before it acts.
contract:
  identity:
    name: cancel_order_v1
    version: 1.0.0
    owner: order-team
    lifecycle: { status: active, sunset_date: null, replacement: null }

  # What the model is told.
  affordance:
    model_description: >-
      Cancels one open order. Does not refund money and does not notify the customer.
      An order that was shipped cannot be cancelled. Look the order up first.
    allowed_use_cases: [the customer asked to cancel an order that is still open]
    forbidden_use_cases: [refunds, changing what an order contains, orders that were shipped]
    input_schema:
      type: object
      additionalProperties: false
      required: [order_id, reason]
      properties:
        order_id:
          type: string
          pattern: ^ord_[0-9]{4,12}$
          description: Number of the order as the customer sees it, such as ord_1001.
        reason:
          enum: [customer_request, duplicate, fraud_review]
          description: Why the order is cancelled. Ask the user when it is not known.
    output_schema:
      type: object
      additionalProperties: false
      required: [order_id, status]
      properties:
        order_id: { type: string, description: Number of the order. }
        status: { const: cancelled, description: Where the order stands now. }
    examples:
      - description: The customer no longer wants an open order.
        arguments: { order_id: ord_1001, reason: customer_request }

  runtime:
    timeout_ms: 5000
    rate_limits: { window_sec: 60, max_requests: 30 }
    cost_profile: { currency: EUR, cost_per_call: 0, cost_unit: call }
    sandbox_isolated: false
    max_retries: 0

  security:
    required_scopes: [orders:write]
    tenant_scoped: false
    secrets_boundary: none
    data_classification: internal
    egress_policy: none

  # What changes in the world. The effect class decides the gates.
  transactional:
    side_effect_class: MEDIUM_RISK_WRITE
    confirmation_required: false
    semantics: idempotent_write
    compensation_tool: null
    post_action_verification_required: false

  idempotency: { supported: true, required: true, key_header: null, ttl_seconds: null, payload_hash_required: true }

  observability:
    trace_attributes: [order_id, reason]
    audit_required: true
    error_taxonomy_mapping: {}

  error_contract:
    repairable_errors: [SYNTACTIC_PARSE_FAIL, STRUCTURAL_VIOLATION, TYPE_MISMATCH, OUT_OF_BOUNDS, SEMANTIC_INVALIDITY, STALE_STATE]
    retryable_errors: [RATE_LIMITED, TIMEOUT, IDEMPOTENCY_CONFLICT, DEPENDENCY_UNAVAILABLE]
    fail_closed_errors: [PERMISSION_DENIED, POLICY_VIOLATION, SIGNATURE_MISMATCH]
    escalation_errors: []

binding:
  executor: { kind: fn, module: ./orders.mjs, export: cancelOrder }
  trusted: true
  resource: /order_id
  locks: [/order_id]
  state: { module: ./orders.mjs, export: orderState }
`
