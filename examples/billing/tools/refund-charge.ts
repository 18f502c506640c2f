// CRITICAL_MUTATION: gives money back, all of a charge or part of it, once. It also undoes charge_customer_card_v2.
import { defineTool, ToolError } from '../../../src/index.ts'
import { amount } from '../fields.ts'
import type { Desk } from '../world/desk.ts'
import { formatMoney } from '../world/money.ts'
import { cardTerms } from './card-terms.ts'
import { originOf } from './origin.ts'

export const refundCharge = (desk: Desk) =>
  defineTool({
    name: 'refund_charge_v1',
    owner: 'payments',
    description:
      'EXECUTE ONLY to refund one card charge, in full or in part, to the card it came from. Moves money; two people approve a refund, unless it is one of a set that was approved. ' +
      'One refund per charge.',
    useWhen: ['A charge was wrong, or the customer is owed money back.'],
    avoidWhen: ['Cancelling an unpaid invoice: use void_invoice_v1.', 'Paying out to another card or account.'],
    effect: 'CRITICAL_MUTATION',
    ...cardTerms,
    scopes: ['payments:refund'],
    operation: ['/charge_id'],
    resource: '/charge_id',
    locks: ['/charge_id'],
    input: {
      type: 'object',
      properties: {
        charge_id: {
          type: 'string',
          pattern: '^ch_[a-z0-9]{4,24}$',
          description: 'As charge_customer_card_v2 returned it.',
        },
        amount,
        reason: { type: 'string', enum: ['duplicate', 'customer_request', 'fraud_review', 'internal_error'] },
      },
      required: ['charge_id', 'amount', 'reason'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { refund_id: { type: 'string' }, amount_cents: { type: 'integer' } },
      required: ['refund_id', 'amount_cents'],
      additionalProperties: false,
    },
    examples: [
      {
        description: 'Refund a whole charge.',
        arguments: { charge_id: 'ch_before1', amount: { cents: 31125, currency: 'EUR' }, reason: 'customer_request' },
      },
    ],
    errors: { charge_not_found: 'SEMANTIC_INVALIDITY' },
    state: {
      async read({ charge_id }) {
        const charge = await desk.cards.findCharge(charge_id)
        if (charge === undefined) return null
        const refunds = (await desk.cards.entries()).filter((entry) => entry.kind === 'refund')
        const refunded_cents = refunds
          .filter((refund) => refund.charge_id === charge_id)
          .reduce((sum, refund) => sum + refund.amount_cents, 0)
        return { charged_cents: charge.amount_cents, refunded_cents, currency: charge.currency }
      },
      match: [{ argument: '/amount/currency', state: '/currency' }],
      allows: ({ charged_cents, refunded_cents }, { amount: { cents } }) => {
        const left = Number(charged_cents) - Number(refunded_cents)
        return cents <= left ? undefined : `Of this charge ${left} cents are left to refund.`
      },
      after: (charge, { amount: { cents } }) => ({ ...charge, refunded_cents: Number(charge.refunded_cents) + cents }),
    },
    consequence: ({ charge_id, amount: { cents, currency }, reason }) =>
      `Refunds ${formatMoney(cents, currency)} of charge ${charge_id} (${reason}).`,
    async execute({ charge_id, amount: { cents } }, context) {
      const charge = await desk.cards.findCharge(charge_id)
      if (charge === undefined)
        throw new ToolError('charge_not_found', `There is no charge ${charge_id}.`, { effect: 'none' })
      const refund = await desk.cards.refund(charge, cents, originOf(context))
      return { refund_id: refund.refund_id, amount_cents: refund.amount_cents }
    },
    async verify({ charge_id, amount: { cents } }) {
      const refunds = (await desk.cards.entries()).filter(
        (entry) => entry.kind === 'refund' && entry.charge_id === charge_id,
      )
      const [refund] = refunds
      if (refund === undefined) return { status: 'absent', message: 'The provider knows of no refund of this charge.' }
      const right = refunds.length === 1 && refund.kind === 'refund' && refund.amount_cents === cents
      return right
        ? { status: 'verified' }
        : { status: 'failed', message: 'The provider does not show this one refund.' }
    },
  })
