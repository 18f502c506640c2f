// LOW_RISK_INTERNAL: a line in our own books for a payment that came in. One entry per invoice, however often it is asked for.
import { defineTool } from '../../../src/index.ts'
import { cents, invoiceId } from '../fields.ts'
import type { Desk } from '../world/desk.ts'
import { originOf } from './origin.ts'

export const bookEntry = (desk: Desk) =>
  defineTool({
    name: 'book_entry_v1',
    owner: 'billing',
    description: 'EXECUTE ONLY to book a payment that has come in. Writes one line in our own books.',
    effect: 'LOW_RISK_INTERNAL',
    semantics: 'retryable_post_pivot',
    scopes: ['billing:write'],
    tenantScoped: true,
    classification: 'confidential',
    trusted: true,
    operation: ['/invoice_id'],
    resource: '/invoice_id',
    input: {
      type: 'object',
      properties: { invoice_id: invoiceId, charge_id: { type: 'string', pattern: '^ch_' }, amount_cents: cents },
      required: ['invoice_id', 'charge_id', 'amount_cents'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { entry: { type: 'integer' } },
      required: ['entry'],
      additionalProperties: false,
    },
    async execute({ invoice_id, charge_id, amount_cents }, context) {
      await desk.entries.append({ ...originOf(context), invoice_id, charge_id, amount_cents })
      return { entry: (await desk.entries.read()).length }
    },
    async verify({ invoice_id }) {
      const booked = (await desk.entries.read()).filter((entry) => entry.invoice_id === invoice_id)
      if (booked.length === 0) return { status: 'absent', message: 'The entry is not in the books.' }
      return booked.length === 1
        ? { status: 'verified' }
        : { status: 'failed', message: `The payment is booked ${booked.length} times.` }
    },
  })
