// HIGH_RISK_EXTERNAL: the receipt of a paid invoice. Once it is out the customer has it in writing: in a saga, there is no way back.
import { defineTool, ToolError } from '../../../src/index.ts'
import { customerId, invoiceId } from '../fields.ts'
import type { Desk } from '../world/desk.ts'
import { mailTerms } from './mail-terms.ts'
import { sendMail } from './send-mail.ts'

export const sendReceiptEmail = (desk: Desk) =>
  defineTool({
    name: 'send_receipt_email_v1',
    owner: 'billing',
    description:
      'EXECUTE ONLY to e-mail the receipt of a paid invoice to its customer, at the address on file. It cannot be unsent; a person approves every mail.',
    effect: 'HIGH_RISK_EXTERNAL',
    ...mailTerms,
    operation: ['/invoice_id'],
    errors: { unknown_customer: 'SEMANTIC_INVALIDITY', no_mailbox: 'SEMANTIC_INVALIDITY' },
    input: {
      type: 'object',
      properties: { invoice_id: invoiceId, customer_id: customerId, charge_id: { type: 'string', pattern: '^ch_' } },
      required: ['invoice_id', 'customer_id', 'charge_id'],
      additionalProperties: false,
    },
    state: {
      async read({ invoice_id }) {
        const invoice = await desk.invoice(invoice_id)
        return invoice === undefined ? null : { status: invoice.status, customer_id: invoice.customer_id }
      },
      match: [{ argument: '/customer_id', state: '/customer_id' }],
      allows: ({ status }) =>
        status === 'paid' ? undefined : `A receipt is for a paid invoice; this one is ${status}.`,
      after: (invoice) => invoice,
    },
    consequence: ({ invoice_id, customer_id }) =>
      `E-mails the receipt of invoice ${invoice_id} to ${customer_id}. It cannot be unsent.`,
    async execute({ invoice_id, customer_id, charge_id }, context) {
      const customer = desk.customers.get(customer_id)
      if (customer === undefined)
        throw new ToolError('unknown_customer', `There is no customer ${customer_id}.`, { effect: 'none' })
      const content = {
        invoice_id,
        to: customer.email,
        subject: 'Your receipt',
        body: `Paid by card, charge ${charge_id}.`,
        attachments: [`${invoice_id}.pdf`],
      }
      return sendMail(desk.mail, content, context)
    },
    async verify(_args, _result, { callId }) {
      const sent = (await desk.mail.outbox()).filter((mail) => mail.call_id === callId)
      if (sent.length === 0) return { status: 'absent', message: 'The outbox does not hold this receipt.' }
      return sent.length === 1
        ? { status: 'verified' }
        : { status: 'failed', message: `The outbox holds this receipt ${sent.length} times.` }
    },
  })
