// HIGH_RISK_EXTERNAL: an e-mail cannot be unsent. A person approves the exact mail; afterwards the outbox is read back. The provider
// honours the key for a while, so an attempt that was lost can be sent again: it goes out once.
import { defineTool } from '../../../src/index.ts'
import { customerId, invoiceId } from '../fields.ts'
import type { Desk } from '../world/desk.ts'
import { mailTerms } from './mail-terms.ts'
import { sendMail } from './send-mail.ts'

export const sendInvoiceEmail = (desk: Desk) =>
  defineTool({
    name: 'send_invoice_email_v1',
    owner: 'billing',
    description:
      'EXECUTE ONLY to e-mail an open invoice to the customer it belongs to. The customer receives it at once and it cannot be unsent. ' +
      'A person approves every mail first. Does not charge.',
    useWhen: ['The customer asked for the invoice, or it is due to be sent.'],
    avoidWhen: [
      'Drafts, paid or void invoices.',
      'Any address that is not the one on file: ask the user to have it changed.',
    ],
    effect: 'HIGH_RISK_EXTERNAL',
    ...mailTerms,
    rate: { windowSec: 60, maxRequests: 30 },
    input: {
      type: 'object',
      properties: {
        invoice_id: invoiceId,
        to: {
          type: 'object',
          properties: {
            customer_id: customerId,
            email: { type: 'string', format: 'email', description: "The customer's address on file." },
          },
          required: ['customer_id', 'email'],
          additionalProperties: false,
        },
        subject: { type: 'string', minLength: 3, maxLength: 120 },
        body: { type: 'string', minLength: 1, maxLength: 4000, description: 'Plain text.' },
        attach_invoice: { type: 'boolean', description: 'Attach the invoice as a document.' },
      },
      required: ['invoice_id', 'to', 'subject', 'body', 'attach_invoice'],
      additionalProperties: false,
    },
    examples: [
      {
        description: 'Send an invoice that the customer asked for.',
        arguments: {
          invoice_id: 'inv_1007',
          to: { customer_id: 'cus_halden', email: 'accounts@halden.example.com' },
          subject: 'Your October invoice',
          body: 'As you asked, here is your invoice for October.',
          attach_invoice: true,
        },
      },
    ],
    rules: [
      {
        id: 'recipient-is-the-customer',
        fields: ['/to/email'],
        message: 'This is not the address on file for the customer. Invoices go there and nowhere else.',
        check: ({ to }) => desk.customers.get(to.customer_id)?.email === to.email,
      },
    ],
    state: {
      async read({ invoice_id }) {
        const invoice = await desk.invoice(invoice_id)
        return invoice === undefined
          ? null
          : { status: invoice.status, customer_id: invoice.customer_id, version: invoice.version }
      },
      match: [{ argument: '/to/customer_id', state: '/customer_id' }],
      allows: ({ status }) => (status === 'open' ? undefined : `Only an open invoice is sent; this one is ${status}.`),
      after: (invoice) => invoice,
    },
    consequence: ({ invoice_id, to, subject }) =>
      `E-mails invoice ${invoice_id} to ${to.email} as “${subject}”. It cannot be unsent.`,
    async execute({ invoice_id, to, subject, body, attach_invoice }, context) {
      const attachments = attach_invoice ? [`${invoice_id}.pdf`] : []
      return sendMail(desk.mail, { invoice_id, to: to.email, subject, body, attachments }, context)
    },
    async verify({ to, attach_invoice }, _result, { callId }) {
      const sent = (await desk.mail.outbox()).filter((mail) => mail.call_id === callId)
      const [mail] = sent
      if (mail === undefined) return { status: 'absent', message: 'The outbox does not hold this mail.' }
      if (sent.length > 1) return { status: 'failed', message: `The outbox holds this mail ${sent.length} times.` }
      if (mail.to !== to.email)
        return { status: 'failed', message: 'The mail went to another address than the approved one.' }
      if (attach_invoice && mail.attachments.length === 0)
        return { status: 'partial', message: 'The mail went out without the invoice.' }
      return { status: 'verified' }
    },
  })
