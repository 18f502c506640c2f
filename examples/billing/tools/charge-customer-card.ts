// CRITICAL_MUTATION: takes money. One charge per invoice, two people, a durable ledger, and a refund that undoes it. The provider honours
// the key for a while, so a charge whose process died is sent again: it is taken once.
import { defineTool, ToolError } from '../../../src/index.ts'
import { amount, customerId, invoiceId } from '../fields.ts'
import type { Desk } from '../world/desk.ts'
import { formatMoney, totalOf } from '../world/money.ts'
import { cardTerms } from './card-terms.ts'
import { originOf } from './origin.ts'

export const chargeCustomerCard = (desk: Desk) =>
  defineTool({
    name: 'charge_customer_card_v2',
    owner: 'payments',
    description:
      'EXECUTE ONLY to charge the card on file for exactly the total of one open invoice. Moves money; two people approve every charge. ' +
      'One charge per invoice, ever. Does not send the invoice and cannot charge part of it.',
    useWhen: ['The customer agreed to pay this invoice by the card on file.'],
    avoidWhen: [
      'Instalments, deposits or another amount than the total.',
      'Trying again after a decline: ask the customer first.',
    ],
    effect: 'CRITICAL_MUTATION',
    ...cardTerms,
    compensation: {
      tool: 'refund_charge_v1',
      arguments: {
        charge_id: { $from: '/result/charge_id' },
        amount: { $from: '/arguments/amount' },
        reason: 'internal_error',
      },
    },
    scopes: ['payments:charge'],
    operation: ['/invoice_id'],
    resource: '/invoice_id',
    locks: ['/invoice_id'],
    input: {
      type: 'object',
      properties: { invoice_id: invoiceId, customer_id: customerId, amount },
      required: ['invoice_id', 'customer_id', 'amount'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { charge_id: { type: 'string' }, amount_cents: { type: 'integer' } },
      required: ['charge_id', 'amount_cents'],
      additionalProperties: false,
    },
    examples: [
      {
        description: 'Charge the total of an open invoice.',
        arguments: { invoice_id: 'inv_1007', customer_id: 'cus_halden', amount: { cents: 126125, currency: 'EUR' } },
      },
    ],
    errors: {
      card_declined: 'SEMANTIC_INVALIDITY',
      no_card_on_file: 'SEMANTIC_INVALIDITY',
      unknown_customer: 'SEMANTIC_INVALIDITY',
    },
    rules: [
      {
        id: 'charged-currency',
        fields: ['/amount/currency'],
        message: 'Cards are charged in EUR, GBP and USD. Ask the user for another way to pay.',
        when: 'args.amount.cents > 0 && args.amount.currency in ["EUR", "GBP", "USD"]',
      },
      {
        id: 'invoice-is-open',
        fields: ['/invoice_id'],
        message:
          'Only an open invoice is charged, or a draft that is about to be sent; this one is neither, or no longer.',
        when: 'state.status in ["open", "draft"]',
      },
    ],
    state: {
      schema: {
        type: 'object',
        properties: {
          status: { type: 'string', enum: ['draft', 'open', 'paid', 'refunded', 'void'] },
          customer_id: { type: 'string' },
          cents: { type: 'integer' },
          currency: { type: 'string' },
        },
        required: ['status', 'customer_id', 'cents', 'currency'],
        additionalProperties: false,
      },
      async read({ invoice_id }) {
        const invoice = await desk.invoice(invoice_id)
        if (invoice === undefined) return null
        const { status, customer_id, currency } = invoice
        return { status, customer_id, cents: totalOf(invoice.line_items), currency }
      },
      match: [
        { argument: '/customer_id', state: '/customer_id' },
        { argument: '/amount/cents', state: '/cents' },
        { argument: '/amount/currency', state: '/currency' },
      ],
      after: (invoice) => ({ ...invoice, status: 'paid' }),
    },
    consequence: ({ invoice_id, customer_id, amount: { cents, currency } }) =>
      `Charges ${formatMoney(cents, currency)} to the card of ${customer_id} for invoice ${invoice_id}.`,
    async execute({ invoice_id, customer_id, amount: { cents, currency } }, context) {
      const customer = desk.customers.get(customer_id)
      if (customer === undefined)
        throw new ToolError('unknown_customer', `There is no customer ${customer_id}.`, { effect: 'none' })
      const origin = originOf(context)
      const outcome = await desk.cards.charge({ customer, invoiceId: invoice_id, amountCents: cents, currency, origin })
      switch (outcome.kind) {
        case 'declined':
          throw new ToolError('card_declined', 'The card was declined. Nothing was charged.', { effect: 'none' })
        case 'no_card':
          throw new ToolError('no_card_on_file', 'The customer has no card on file. Nothing was charged.', {
            effect: 'none',
          })
        case 'charged':
          return { charge_id: outcome.charge.charge_id, amount_cents: outcome.charge.amount_cents }
      }
    },
    async verify({ invoice_id, amount: { cents, currency } }) {
      const entries = (await desk.cards.entries()).filter(
        (entry) => entry.kind === 'charge' && entry.invoice_id === invoice_id,
      )
      const [charge] = entries
      if (charge?.kind !== 'charge') return { status: 'absent', message: 'The provider knows of no such charge.' }
      if (entries.length > 1)
        return { status: 'failed', message: `The provider charged this invoice ${entries.length} times.` }
      const same = charge.amount_cents === cents && charge.currency === currency
      return same ? { status: 'verified' } : { status: 'failed', message: 'The provider charged another amount.' }
    },
  })
