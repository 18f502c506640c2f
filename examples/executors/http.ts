// Tools over HTTP and by mail, without a function of one's own. Nothing is sent here: the tools are declared and registered.
import { defineTool, openProviso, ToolError } from '../../src/index.ts'
import { email, FetchError, folderStage, http } from '../../src/public/executors.ts'

// #region http
const getOrder = defineTool({
  name: 'get_order_v1',
  description: 'Looks up one order by its id. Changes nothing.',
  effect: 'READ_ONLY',
  input: {
    type: 'object',
    properties: { order_id: { type: 'string', maxLength: 40 }, expand: { type: 'string' } },
    required: ['order_id'],
    additionalProperties: false,
  },
  egress: 'allowlisted_domains',
  egressDomains: ['api.example.com'],
  executor: http({
    method: 'GET',
    url: 'https://api.example.com/v1/orders/{order_id}',
    query: { expand: '{expand}' },
  }),
})
// #endregion http

// #region change
const updateOrder = defineTool({
  name: 'update_order_v1',
  description: 'Sets the note of one order. Does not change its lines.',
  effect: 'MEDIUM_RISK_WRITE',
  input: {
    type: 'object',
    properties: { order_id: { type: 'string', maxLength: 40 }, note: { type: 'string', maxLength: 500 } },
    required: ['order_id', 'note'],
    additionalProperties: false,
  },
  egress: 'allowlisted_domains',
  egressDomains: ['api.example.com'],
  keyHeader: 'Idempotency-Key',
  recovery: { providerWindowMs: 86_400_000 },
  errors: { http_409: 'STALE_STATE' },
  executorVersion: '2026-11-15',
  executor: http({ method: 'PATCH', url: 'https://api.example.com/v1/orders/{order_id}', json: { note: '{note}' } }),
})
// #endregion change

// #region fetch
const convert = defineTool({
  name: 'book_rate_v1',
  description: 'Books the rate of one currency for today.',
  effect: 'MEDIUM_RISK_WRITE',
  input: {
    type: 'object',
    properties: { currency: { type: 'string', pattern: '^[A-Z]{3}$' } },
    required: ['currency'],
    additionalProperties: false,
  },
  egress: 'allowlisted_domains',
  egressDomains: ['rates.example.com'],
  async execute({ currency }, { fetch }) {
    try {
      const response = await fetch(`https://rates.example.com/book/${currency}`, { method: 'POST' })
      return { status: response.status }
    } catch (error) {
      // The one thing this function does: where it was not sent, nothing happened.
      if (error instanceof FetchError && !error.sent)
        throw new ToolError(error.code, error.message, { effect: 'none', class: error.class })
      throw error
    }
  },
})
// #endregion fetch

// #region email
const letter = {
  from: 'Billing <billing@example.com>',
  to: '{to}',
  subject: 'Invoice {number}',
  text: 'Dear customer,\n\ninvoice {number} is due.\n',
} as const

const input = {
  type: 'object',
  properties: { to: { type: 'string', maxLength: 254 }, number: { type: 'string', maxLength: 20 } },
  required: ['to', 'number'],
  additionalProperties: false,
} as const

const draftReminder = defineTool({
  name: 'draft_reminder_v1',
  description: 'Drafts a reminder of one invoice for a person to look at. Sends nothing.',
  effect: 'LOW_RISK_INTERNAL',
  input,
  executor: email({ ...letter, draft: folderStage('./outbox') }),
})

const sendReminder = defineTool({
  name: 'send_reminder_v1',
  description: 'Sends a reminder of one invoice to a customer.',
  effect: 'HIGH_RISK_EXTERNAL',
  input,
  consequence: 'Sends the reminder of invoice {number} to {to}',
  egress: 'allowlisted_domains',
  egressDomains: ['smtp.example.com'],
  connections: { ports: [465] },
  executor: email({
    ...letter,
    recipients: ['customers.example', '*.customers.example'],
    smtp: { host: 'smtp.example.com' },
  }),
})
// #endregion email

const proviso = await openProviso({ tools: [getOrder, updateOrder, convert, draftReminder, sendReminder] })
const { entries } = await proviso.surface({})
console.log([...entries.keys()].join(' '))
await proviso.close()
