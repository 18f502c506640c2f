// The calls of the process that dies: an e-mail and a charge, each approved beforehand, each at a provider that honours a key.
import type { CallContext, Proposal } from '../../../src/index.ts'
import { cashier, clerk } from '../clerk.ts'
import type { Person } from '../people.ts'
import type { Desk } from '../world/desk.ts'

export interface ProviderRequest {
  readonly outcome: string
  readonly key: string
  readonly request_hash: string
}

export interface LostCall {
  readonly what: 'mail' | 'charge'
  readonly proposal: Proposal
  readonly context: CallContext
  readonly approvedBy: readonly Person[]
  /** What the provider was asked for this invoice, oldest first, and how often it did something. */
  requests(desk: Desk): Promise<readonly ProviderRequest[]>
  done(desk: Desk): Promise<number>
}

const mail = {
  invoice_id: 'inv_1009',
  to: { customer_id: 'cus_brandt', email: 'rechnung@brandt.example.com' },
  subject: 'Your October invoice',
  body: 'Here is your invoice for October.',
  attach_invoice: true,
}

const charge = { invoice_id: 'inv_1007', customer_id: 'cus_halden', amount: { cents: 126_125, currency: 'EUR' } }

const mailsSent = async ({ mail: provider }: Desk) =>
  (await provider.outbox()).filter(({ invoice_id }) => invoice_id === mail.invoice_id)

const charged = async ({ cards }: Desk) =>
  (await cards.entries())
    .filter((entry) => entry.kind === 'charge')
    .filter(({ invoice_id }) => invoice_id === charge.invoice_id)

export const lostCalls: readonly LostCall[] = [
  {
    what: 'mail',
    proposal: { tool: 'send_invoice_email_v1', callId: 'lost_mail', arguments: JSON.stringify(mail) },
    context: { ...clerk, run: 'run_lost_mail' },
    approvedBy: ['ines'],
    async requests(desk) {
      const [sent] = await mailsSent(desk)
      return (await desk.mail.requests()).filter(({ key }) => key === sent?.key)
    },
    done: async (desk) => (await mailsSent(desk)).length,
  },
  {
    what: 'charge',
    proposal: { tool: 'charge_customer_card_v2', callId: 'lost_charge', arguments: JSON.stringify(charge) },
    context: { ...cashier, run: 'run_lost_charge' },
    approvedBy: ['ines', 'tomas'],
    async requests(desk) {
      const [made] = await charged(desk)
      const ours = (await desk.cards.entries()).filter(({ key }) => key === made?.key)
      return ours.map(({ kind, key, request_hash }) => ({
        outcome: kind === 'repeat' ? 'already_charged' : 'charged',
        key,
        request_hash,
      }))
    },
    done: async (desk) => (await charged(desk)).length,
  },
]
