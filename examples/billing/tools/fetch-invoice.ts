// READ_ONLY: an invoice as it is now, and which tickets are about it. All of it was written by the desk itself, so the source is trusted;
// what customers wrote in those tickets is read by a tool of its own.
import { defineTool, ToolError } from '../../../src/index.ts'
import { currency, invoiceId, lineItems } from '../fields.ts'
import { tickets } from '../world/data-set.ts'
import type { Desk } from '../world/desk.ts'
import { totalOf } from '../world/money.ts'

export const fetchInvoice = (desk: Desk) =>
  defineTool({
    name: 'fetch_invoice_v1',
    owner: 'billing',
    description:
      'EXECUTE ONLY to read one invoice of this tenant: its lines, total, status and version, its customer, and which tickets are about it. ' +
      'Changes nothing and sends nothing.',
    useWhen: ['Before any call that takes an invoice_id or an expected_version.', 'To read again after STALE_STATE.'],
    avoidWhen: ['Searching by customer name or amount: ask the user for the invoice instead.'],
    effect: 'READ_ONLY',
    scopes: ['billing:read'],
    tenantScoped: true,
    classification: 'confidential',
    trusted: true,
    input: {
      type: 'object',
      properties: { invoice_id: invoiceId },
      required: ['invoice_id'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        invoice_id: { type: 'string' },
        status: { type: 'string', enum: ['draft', 'open', 'paid', 'refunded', 'void'] },
        version: { type: 'integer' },
        customer: {
          type: 'object',
          properties: { customer_id: { type: 'string' }, name: { type: 'string' }, email: { type: 'string' } },
          required: ['customer_id', 'name', 'email'],
          additionalProperties: false,
        },
        currency,
        total_cents: { type: 'integer' },
        due_date: { type: 'string' },
        line_items: lineItems,
        tickets: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              ticket_id: { type: 'string' },
              status: { type: 'string' },
              version: { type: 'integer' },
            },
            required: ['ticket_id', 'status', 'version'],
            additionalProperties: false,
          },
        },
      },
      required: [
        'invoice_id',
        'status',
        'version',
        'customer',
        'currency',
        'total_cents',
        'due_date',
        'line_items',
        'tickets',
      ],
      additionalProperties: false,
    },
    examples: [{ description: 'Read one invoice.', arguments: { invoice_id: 'inv_1007' } }],
    errors: { invoice_not_found: 'SEMANTIC_INVALIDITY' },
    async execute({ invoice_id }) {
      const invoice = await desk.invoice(invoice_id)
      const customer = desk.customers.get(invoice?.customer_id ?? '')
      if (invoice === undefined || customer === undefined) {
        throw new ToolError(
          'invoice_not_found',
          `There is no invoice ${invoice_id}. Ask the user which one is meant.`,
          { effect: 'none' },
        )
      }
      const about = tickets.filter((ticket) => ticket.invoice_id === invoice_id)
      const current = await Promise.all(about.map((ticket) => desk.ticket(ticket.ticket_id)))
      return {
        invoice_id,
        status: invoice.status,
        version: invoice.version,
        customer: { customer_id: customer.customer_id, name: customer.name, email: customer.email },
        currency: invoice.currency,
        total_cents: totalOf(invoice.line_items),
        due_date: invoice.due_date,
        line_items: [...invoice.line_items],
        tickets: current
          .filter((ticket) => ticket !== undefined)
          .map(({ ticket_id, status, version }) => ({ ticket_id, status, version })),
      }
    },
  })
