// MEDIUM_RISK_WRITE: takes an invoice back that was never sent. It undoes create_invoice_draft_v2, also after a charge that was refunded.
import { defineTool } from '../../../src/index.ts'
import { invoiceId } from '../fields.ts'
import type { Desk } from '../world/desk.ts'
import { originOf } from './origin.ts'

export const withdrawInvoice = (desk: Desk) =>
  defineTool({
    name: 'withdraw_invoice_v1',
    owner: 'billing',
    description:
      'EXECUTE ONLY to take back an invoice that no customer was sent. It stays in the books, marked void. Moves no money.',
    effect: 'MEDIUM_RISK_WRITE',
    scopes: ['billing:write'],
    tenantScoped: true,
    classification: 'confidential',
    trusted: true,
    operation: ['/invoice_id'],
    resource: '/invoice_id',
    locks: ['/invoice_id'],
    input: {
      type: 'object',
      properties: { invoice_id: invoiceId, why: { type: 'string', minLength: 1, maxLength: 500 } },
      required: ['invoice_id', 'why'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { invoice_id: { type: 'string' }, status: { const: 'void' } },
      required: ['invoice_id', 'status'],
      additionalProperties: false,
    },
    state: {
      async read({ invoice_id }) {
        const invoice = await desk.invoice(invoice_id)
        return invoice === undefined ? null : { status: invoice.status }
      },
      allows: ({ status }) =>
        status === 'paid' ? 'It is paid: refund the charge before the invoice is taken back.' : undefined,
      after: () => ({ status: 'void' }),
    },
    async execute({ invoice_id, why }, context) {
      await desk.voidings.append({ ...originOf(context), invoice_id, reason: 'internal_error', note: why })
      return { invoice_id, status: 'void' as const }
    },
    async verify({ invoice_id }) {
      const invoice = await desk.invoice(invoice_id)
      return invoice?.status === 'void'
        ? { status: 'verified' }
        : { status: 'absent', message: 'The invoice is not void in the books.' }
    },
  })
