// The files that `proviso init` writes, by path: two tools, their code and a README. They pass `proviso check` without a finding; a test
// holds them to it.

/** The first tool: a read, with everything a contract says written out. */
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

/** The second tool: a write, with a state that has to allow it and one effect per order. */
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

/** Their code: executors and a state reader over a small file of orders. */
const ordersCode = `// What the two tool files run. Replace the file of orders by your own system; the contracts can stay.
import { readFile, writeFile } from 'node:fs/promises'

const file = new URL('./orders.json', import.meta.url)
const load = async () => JSON.parse(await readFile(file, 'utf8'))

export async function lookupOrder({ order_id }) {
  const { [order_id]: order } = await load()
  return { order_id, ...order }
}

/** Looked at before the tool runs; what it returns goes to the model as a field error. */
export async function orderIsKnown({ order_id }) {
  const orders = await load()
  if (order_id in orders) return undefined
  return { reason: 'invalid_arguments', field: '/order_id', message: \`There is no order \${order_id}. Ask the user for its number.\` }
}

export async function cancelOrder({ order_id }) {
  const orders = await load()
  orders[order_id].status = 'cancelled'
  await writeFile(file, \`\${JSON.stringify(orders, null, 2)}\\n\`)
  return { order_id, status: 'cancelled' }
}

/** Read before every cancellation, and again after any wait: the order must exist and must still be open. */
export const orderState = {
  match: [],
  async read({ order_id }) {
    const { [order_id]: order } = await load()
    return order ?? null
  },
  allows: (order) => (order.status === 'open' ? undefined : \`The order is \${order.status}; only an open order can be cancelled.\`),
  after: (order) => ({ ...order, status: 'cancelled' }),
}
`

const ordersData = `{
  "ord_1001": { "status": "open", "total_cents": 4200, "currency": "EUR" },
  "ord_1002": { "status": "shipped", "total_cents": 1999, "currency": "EUR" }
}
`

const readme = `# Two tools to begin with

- \`lookup_order_v1.tool.yaml\` reads an order; \`cancel_order_v1.tool.yaml\` changes one.
- \`orders.mjs\` is the code they run, \`orders.json\` the orders.

Try, from the folder above this one:

\`\`\`sh
npx proviso check tools
npx proviso call lookup_order_v1 '{"order_id":"ord_1001"}'
npx proviso call cancel_order_v1 '{"order_id":"ord_1002","reason":"customer_request"}' --scope orders:write
\`\`\`

The first looks for mistakes in the tool files. The second succeeds. The third is refused, because that order was shipped:
\`npx proviso explain latest\` shows which phase said so and what was promised.
Calls are kept in \`.proviso/\`, by the Postgres that npm ships; where it is not installed, the command says what to install, and
\`--memory\` tries a call without keeping it.

Leave \`--scope\` out, misspell the reason, or cancel \`ord_1001\` instead, and see what changes.
`

export const starterFiles: readonly { readonly path: string; readonly text: string }[] = [
  { path: 'tools/lookup_order_v1.tool.yaml', text: lookupOrderFile },
  { path: 'tools/cancel_order_v1.tool.yaml', text: cancelOrderFile },
  { path: 'tools/orders.mjs', text: ordersCode },
  { path: 'tools/orders.json', text: ordersData },
  { path: 'tools/README.md', text: readme },
]
