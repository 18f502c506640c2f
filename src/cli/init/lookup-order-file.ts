// The starter's first tool: a read, with everything a contract says written out.

export const lookupOrderFile = `# yaml-language-server: $schema=../node_modules/proviso/schemas/tool-file.schema.json
# A tool file is a contract (what the tool promises, what calling it demands) and a binding (how it runs here).
contract:
  identity:
    name: lookup_order_v1
    version: 1.0.0
    owner: order-team
    lifecycle: { status: active, sunset_date: null, replacement: null }

  # What the model is told.
  affordance:
    model_description: >-
      Looks up one order by its number and returns its status, total and customer. Changes nothing.
      Ask the user for the order number when it is not known; do not guess it.
    allowed_use_cases: [answer a question about one order, check the status before cancelling]
    forbidden_use_cases: [searching for orders by customer or by date]
    input_schema:
      type: object
      additionalProperties: false
      required: [order_id]
      properties:
        order_id:
          type: string
          pattern: ^ord_[0-9]{4,12}$
          description: Number of the order as the customer sees it, such as ord_1001.
    output_schema:
      type: object
      additionalProperties: false
      required: [order_id, status, total_cents, currency]
      properties:
        order_id: { type: string, description: Number of the order. }
        status: { enum: [open, shipped, cancelled], description: Where the order stands. }
        total_cents: { type: integer, minimum: 0, description: Total in the smallest unit of the currency. }
        currency: { type: string, pattern: "^[A-Z]{3}$", description: ISO 4217 code. }
    examples:
      - description: Look up an order that the user named.
        arguments: { order_id: ord_1001 }

  runtime:
    timeout_ms: 5000
    rate_limits: { window_sec: 1, max_requests: 100 }
    cost_profile: { currency: EUR, cost_per_call: 0, cost_unit: call }
    sandbox_isolated: false
    max_retries: 0

  security:
    required_scopes: []
    tenant_scoped: false
    secrets_boundary: none
    data_classification: internal
    egress_policy: none

  # What changes in the world: nothing.
  transactional:
    side_effect_class: READ_ONLY
    confirmation_required: false
    semantics: read_only
    compensation_tool: null
    post_action_verification_required: false

  idempotency: { supported: false, required: false, key_header: null, ttl_seconds: null, payload_hash_required: false }

  observability:
    trace_attributes: [order_id]
    audit_required: false
    error_taxonomy_mapping: {}

  error_contract:
    repairable_errors: [SYNTACTIC_PARSE_FAIL, STRUCTURAL_VIOLATION, TYPE_MISMATCH, OUT_OF_BOUNDS, SEMANTIC_INVALIDITY]
    retryable_errors: [RATE_LIMITED, TIMEOUT, DEPENDENCY_UNAVAILABLE]
    fail_closed_errors: [PERMISSION_DENIED, POLICY_VIOLATION]
    escalation_errors: []

binding:
  executor: { kind: fn, module: ./orders.mjs, export: lookupOrder }
  # What it returns are our own records. Without this line a run that has seen them would count as untrusted, and its writes would ask.
  trusted: true
  preflight: { module: ./orders.mjs, export: orderIsKnown }
`
