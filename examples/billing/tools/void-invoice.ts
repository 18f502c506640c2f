// MEDIUM_RISK_WRITE: takes an unpaid invoice out of the books, for one of four reasons.
import { defineTool } from '../../../src/index.ts'
import { expectedVersion, invoiceId } from '../fields.ts'
import type { Desk } from '../world/desk.ts'
import { originOf } from './origin.ts'

const voidable: ReadonlySet<unknown> = new Set(['draft', 'open'])

export const voidInvoice = (desk: Desk) =>
  defineTool({
    name: 'void_invoice_v1',
    owner: 'billing',
    description:
      'EXECUTE ONLY to void a draft or an unpaid invoice. It stays in the books, marked void, for good; the customer is not told. ' +
      'Moves no money.',
    useWhen: ['An invoice is a duplicate or should never have been written.'],
    avoidWhen: ['Refunds, payment capture, customer deletion, access changes.', 'Paid invoices: those are refunded.'],
    effect: 'MEDIUM_RISK_WRITE',
    scopes: ['billing:write'],
    tenantScoped: true,
    classification: 'confidential',
    trusted: true,
    resource: '/invoice_id',
    locks: ['/invoice_id'],
    input: {
      type: 'object',
      properties: {
        invoice_id: invoiceId,
        expected_version: expectedVersion,
        reason: {
          type: 'string',
          enum: ['duplicate', 'customer_request', 'fraud_review', 'internal_error'],
          description: 'Why; if none of these is true, ask the user.',
        },
        note: { type: ['string', 'null'], maxLength: 500, description: 'For the auditors, or null.' },
      },
      required: ['invoice_id', 'expected_version', 'reason', 'note'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { invoice_id: { type: 'string' }, status: { const: 'void' }, version: { type: 'integer' } },
      required: ['invoice_id', 'status', 'version'],
      additionalProperties: false,
    },
    examples: [
      {
        description: 'Void an invoice that was written twice.',
        arguments: { invoice_id: 'inv_1008', expected_version: 1, reason: 'duplicate', note: 'Same as inv_1007.' },
      },
    ],
    state: {
      async read({ invoice_id }) {
        const invoice = await desk.invoice(invoice_id)
        return invoice === undefined ? null : { status: invoice.status, version: invoice.version }
      },
      match: [{ argument: '/expected_version', state: '/version' }],
      allows: ({ status }) =>
        voidable.has(status) ? undefined : `Only a draft or an open invoice can be voided; this one is ${status}.`,
      after: (_invoice, { expected_version }) => ({ status: 'void', version: expected_version + 1 }),
    },
    async execute({ invoice_id, expected_version, reason, note }, context) {
      await desk.voidings.append({ ...originOf(context), invoice_id, reason, note })
      return { invoice_id, status: 'void' as const, version: expected_version + 1 }
    },
    async verify({ invoice_id }) {
      const invoice = await desk.invoice(invoice_id)
      return invoice?.status === 'void'
        ? { status: 'verified' }
        : { status: 'absent', message: 'The invoice is not void in the books.' }
    },
  })
