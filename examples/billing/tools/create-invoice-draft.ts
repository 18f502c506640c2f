// LOW_RISK_INTERNAL: a draft in our own books. The draft reference names the operation: used twice with the same content it is
// answered from the record, used with another content it is refused.
import { defineTool } from '../../../src/index.ts'
import { currency, customerId, lineItems } from '../fields.ts'
import type { Desk } from '../world/desk.ts'
import { totalOf } from '../world/money.ts'
import { originOf } from './origin.ts'

const idOf = (reference: string) => `draft_${reference.toLowerCase()}`

export const createInvoiceDraft = (desk: Desk) =>
  defineTool({
    name: 'create_invoice_draft_v2',
    owner: 'billing',
    description:
      'EXECUTE ONLY to create a draft invoice. Writes an internal draft; does not notify the customer, send, charge or finalize anything. ' +
      'If customer_id is missing, ask the user rather than guessing.',
    useWhen: ['New work is to be invoiced and a person will look at the draft.'],
    avoidWhen: ['Changing an existing invoice.', 'Refunds, payment capture, customer changes.'],
    effect: 'LOW_RISK_INTERNAL',
    compensation: 'void_invoice_v1',
    scopes: ['billing:write'],
    tenantScoped: true,
    classification: 'confidential',
    operation: ['/draft_reference'],
    resource: '/draft_reference',
    input: {
      type: 'object',
      properties: {
        draft_reference: {
          type: 'string',
          pattern: '^[A-Z0-9][A-Z0-9-]{2,23}$',
          description: 'Your own name for this draft, such as HALDEN-2026-11. One draft per reference.',
        },
        customer_id: customerId,
        currency,
        issue_date: { type: 'string', format: 'date' },
        due_date: { type: 'string', format: 'date' },
        line_items: lineItems,
        total_cents: {
          type: 'integer',
          minimum: 0,
          description: 'Sum of all lines including VAT, each line rounded to the cent; checked against the lines.',
        },
      },
      required: ['draft_reference', 'customer_id', 'currency', 'issue_date', 'due_date', 'line_items', 'total_cents'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { invoice_id: { type: 'string' }, version: { type: 'integer' }, total_cents: { type: 'integer' } },
      required: ['invoice_id', 'version', 'total_cents'],
      additionalProperties: false,
    },
    examples: [
      {
        description: 'Two lines for a Norwegian customer, 25 % VAT.',
        arguments: {
          draft_reference: 'HALDEN-2026-11',
          customer_id: 'cus_halden',
          currency: 'EUR',
          issue_date: '2026-11-01',
          due_date: '2026-12-01',
          line_items: [
            { description: 'Workshop software, November', quantity: 1, unit_price_cents: 24900, vat_percent: 25 },
            { description: 'Bench tablet', quantity: 3, unit_price_cents: 38000, vat_percent: 25 },
          ],
          total_cents: 173625,
        },
      },
    ],
    trusted: true,
    rules: [
      {
        id: 'customer-is-known',
        fields: ['/customer_id'],
        message: 'There is no such customer. Ask the user which one is meant.',
        check: ({ customer_id }) => desk.customers.has(customer_id),
      },
      {
        id: 'currency-of-the-customer',
        fields: ['/currency'],
        message: 'This customer is invoiced in another currency; fetch one of their invoices to see which.',
        check: ({ customer_id, currency: stated }) => (desk.customers.get(customer_id)?.currency ?? stated) === stated,
      },
      {
        id: 'due-after-issue',
        fields: ['/due_date'],
        message: 'An invoice cannot be due before it is issued.',
        when: 'args.due_date >= args.issue_date',
      },
      {
        id: 'total-is-the-sum',
        fields: ['/total_cents'],
        message: 'The lines with their VAT do not come to this total. Add them up again, each line in whole cents.',
        check: ({ line_items, total_cents }) => totalOf(line_items) === total_cents,
      },
    ],
    async execute({ draft_reference, total_cents, ...content }, context) {
      const invoice = { invoice_id: idOf(draft_reference), status: 'draft', version: 1, ...content } as const
      await desk.drafts.append({ ...originOf(context), draft_reference, invoice })
      return { invoice_id: invoice.invoice_id, version: 1, total_cents }
    },
    async verify({ draft_reference, total_cents }) {
      const draft = await desk.invoice(idOf(draft_reference))
      if (draft === undefined) return { status: 'absent', message: 'The draft is not in the books.' }
      const same = totalOf(draft.line_items) === total_cents
      return same ? { status: 'verified' } : { status: 'failed', message: 'The draft in the books has another total.' }
    },
  })
