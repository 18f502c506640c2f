// Arguments that several tools share, described once. `as const` keeps the literal types, so that `execute` gets exact ones.

export const invoiceId = {
  type: 'string',
  pattern: '^(inv_[0-9]{4}|draft_[a-z0-9-]{3,24})$',
  description: 'The invoice, such as inv_1007. Never guess it: take it from the ticket or from fetch_invoice_v1.',
} as const

export const customerId = {
  type: 'string',
  pattern: '^cus_[a-z]{3,20}$',
  description: 'The customer, such as cus_halden, as fetch_invoice_v1 names it.',
} as const

export const ticketId = {
  type: 'string',
  pattern: '^tck_[0-9]{3}$',
  description: 'The ticket, such as tck_301.',
} as const

export const expectedVersion = {
  type: 'integer',
  minimum: 1,
  description: 'The version you have seen. If it has changed since, the call is refused and you read again.',
} as const

export const currency = { type: 'string', enum: ['EUR', 'USD', 'GBP', 'CHF'], description: 'ISO 4217 code.' } as const

export const cents = {
  type: 'integer',
  minimum: 1,
  maximum: 100_000_000,
  description: 'In whole cents: 1261.25 is 126125.',
} as const

export const amount = {
  type: 'object',
  description: 'An amount with its currency.',
  properties: { cents, currency },
  required: ['cents', 'currency'],
  additionalProperties: false,
} as const

export const lineItems = {
  type: 'array',
  minItems: 1,
  maxItems: 20,
  description: 'What is invoiced, one entry per line of the invoice.',
  items: {
    type: 'object',
    properties: {
      description: { type: 'string', minLength: 1, maxLength: 120, description: 'As printed on the invoice.' },
      quantity: { type: 'integer', minimum: 1, maximum: 10_000, description: 'How many, as a number.' },
      unit_price_cents: {
        type: 'integer',
        minimum: 0,
        maximum: 10_000_000,
        description: 'Net price of one, in cents.',
      },
      vat_percent: { type: 'integer', enum: [0, 7, 19, 20, 21, 25], description: "The customer's VAT rate." },
    },
    required: ['description', 'quantity', 'unit_price_cents', 'vat_percent'],
    additionalProperties: false,
  },
} as const
