// The second act, on a durable ledger: what stands between an agent and money. Rules, permission, policies, people, a standing approval,
// budgets and labels each refuse or let through what they are there for.
import type { CallContext, Proviso } from '../../src/index.ts'
import { cashier, clerk, tenant } from './clerk.ts'
import { approve, keyOf, type Person, refusedApproval, reject } from './people.ts'
import { propose, type Stage, type Step } from './step.ts'

const money: CallContext = { ...cashier, run: 'run_money' }

const charge = (invoice_id: string, customer_id: string, cents: number, currency: string) => ({
  invoice_id,
  customer_id,
  amount: { cents, currency },
})

const refund = (charge_id: string, cents: number) => ({
  charge_id,
  amount: { cents, currency: 'EUR' },
  reason: 'customer_request',
})

const brandt = charge('inv_1005', 'cus_brandt', 200_872, 'EUR')
const large = refund('ch_before2', 286_770)
const small = refund('ch_before3', 6_000)
const afterTicket = refund('ch_before4', 2_000)

export const moneyScenario: readonly Step[] = [
  {
    act: 'What moves money',
    title: 'For the clerk, it charges a card',
    proposal: propose('pay_01', 'charge_customer_card_v2', brandt),
    context: { ...clerk, run: 'run_clerk' },
    expect: { class: 'PERMISSION_DENIED', effect: 'none', endedBy: 'permission' },
    says: 'She was never given that scope. A denied call of this class is also a question to people.',
  },
  {
    title: 'For a person of support who was given the scope by mistake',
    needs: 'cedar',
    proposal: propose('pay_02', 'charge_customer_card_v2', brandt),
    context: { ...cashier, user: 'kai', roles: ['support'], run: 'run_support' },
    expect: { class: 'POLICY_VIOLATION', effect: 'none', endedBy: 'policy' },
    says: 'A policy of the organisation, in Cedar. Scopes do not overrule it.',
  },
  {
    title: 'For an auditor, it voids an invoice',
    proposal: propose('pay_03', 'void_invoice_v1', {
      invoice_id: 'inv_1007',
      expected_version: 1,
      reason: 'duplicate',
      note: null,
    }),
    context: { ...clerk, user: 'aud', roles: ['auditor'], run: 'run_audit' },
    expect: { class: 'PERMISSION_DENIED', effect: 'none', endedBy: 'permission' },
    says: 'A permission rule of the organisation, as data.',
  },
  {
    title: 'For the cashier, it charges in a currency that cards are not charged in',
    proposal: propose('pay_04', 'charge_customer_card_v2', charge('inv_1010', 'cus_lumen', 106_500, 'CHF')),
    context: money,
    expect: { class: 'SEMANTIC_INVALIDITY', effect: 'none', endedBy: 'semantics' },
    says: 'A rule in CEL over the arguments, compiled and bounded when the tool was registered.',
  },
  {
    title: 'It charges an invoice that is paid',
    proposal: propose('pay_05', 'charge_customer_card_v2', charge('inv_1001', 'cus_halden', 31_125, 'EUR')),
    context: money,
    expect: { class: 'SEMANTIC_INVALIDITY', effect: 'none', endedBy: 'state' },
    says: 'A rule in CEL over the state, read just now. No person was asked about a call that may not run.',
  },
  {
    title: 'It charges an open invoice',
    card: true,
    proposal: propose('pay_06', 'charge_customer_card_v2', brandt),
    context: money,
    expect: { class: 'CONFIRMATION_MISSING', effect: 'pending', endedBy: 'confirm' },
    says: 'Two people decide, each with a key of their own, on exactly what the card shows.',
  },
  {
    title: 'It asks again after the first approval',
    meanwhile: { says: 'Jon, for whom the agent works, tries to approve it; then Ines does.', act: firstOfTwo },
    proposal: propose('pay_06', 'charge_customer_card_v2', brandt),
    context: money,
    expect: { class: 'CONFIRMATION_MISSING', effect: 'pending', endedBy: 'confirm' },
    says: 'One of two.',
  },
  {
    title: 'And after the second',
    meanwhile: { says: 'Tomas approves the same packet.', act: (stage) => approveOpen(stage, 'tomas') },
    proposal: propose('pay_06', 'charge_customer_card_v2', brandt),
    context: money,
    expect: { class: 'SUCCESS', effect: 'happened', adds: 'charges' },
    says: 'The approval was used up by this one operation; its signed token names the payload, the packet and the people.',
  },
  {
    title: 'It refunds a large charge',
    proposal: propose('pay_09', 'refund_charge_v1', large),
    context: money,
    expect: { class: 'CONFIRMATION_MISSING', effect: 'pending', endedBy: 'confirm' },
    says: 'The class asks for two people, and the policy for compliance: what all of them demand is merged.',
  },
  {
    title: 'All who were asked agree',
    meanwhile: { says: 'Ines and Tomas approve, and Petra of compliance.', act: allAsked },
    proposal: propose('pay_09', 'refund_charge_v1', large),
    context: money,
    expect: { class: 'SUCCESS', effect: 'happened', adds: 'refunds' },
    says: 'Its 2,867.70 EUR were taken from the budget of the day in the same commit that admitted the call.',
  },
  {
    title: 'It refunds a small amount',
    meanwhile: { says: 'Vera asks for a standing approval of small refunds; Ines and Tomas give it.', act: grantSmall },
    proposal: propose('pay_11', 'refund_charge_v1', refund('ch_before1', 9_500)),
    context: money,
    expect: { class: 'SUCCESS', effect: 'happened', adds: 'refunds' },
    says: 'No person was asked: the call is one of the set that people looked at, and is counted against it.',
  },
  {
    title: 'And another small one',
    proposal: propose('pay_12', 'refund_charge_v1', small),
    context: money,
    expect: { class: 'BUDGET_EXHAUSTED', effect: 'none', endedBy: 'admit' },
    says: 'Granted, but the day has not that much left. The model is told what is.',
  },
  {
    title: 'With more of a budget',
    meanwhile: { says: 'The desk asks for 100 EUR more today; Ines and Tomas agree.', act: moreBudget },
    proposal: propose('pay_13', 'refund_charge_v1', small),
    context: money,
    expect: { class: 'SUCCESS', effect: 'happened', adds: 'refunds' },
    says: 'The raise counts once, for today, with who gave it and why.',
  },
  {
    title: 'It reads what a customer wrote',
    proposal: propose('pay_14', 'read_ticket_v1', { ticket_id: 'tck_304' }),
    context: money,
    expect: { class: 'SUCCESS', effect: 'none' },
    says: 'Strangers can write to the desk, so from here on the run is labelled untrusted. The contract says so; nothing is guessed.',
  },
  {
    title: 'And wants to do as it says',
    proposal: propose('pay_15', 'refund_charge_v1', afterTicket),
    context: money,
    expect: { class: 'CONFIRMATION_MISSING', effect: 'pending', endedBy: 'confirm' },
    says: 'The amount is small enough, but the standing approval is not for runs that a stranger may have talked into it.',
  },
  {
    title: 'A person has looked',
    meanwhile: { says: 'Ines reads the ticket and rejects the refund.', act: rejectOpen },
    proposal: propose('pay_15', 'refund_charge_v1', afterTicket),
    context: money,
    expect: { class: 'CONFIRMATION_MISSING', effect: 'none', endedBy: 'confirm' },
    says: 'One rejection is enough, and it stands for the run.',
  },
  {
    title: 'It changes the ticket',
    proposal: propose('pay_17', 'update_ticket_v1', {
      ticket_id: 'tck_304',
      expected_version: 2,
      change: { priority: 'high' },
    }),
    context: money,
    expect: { class: 'CONFIRMATION_MISSING', effect: 'pending', endedBy: 'confirm' },
    says: 'In the first act the same tool asked no person. This run is untrusted.',
  },
  {
    title: 'It looks the customer up on the web',
    proposal: propose('pay_18', 'research_company_v1', { query: 'Mirador Print SL, charge ch_before2' }),
    context: money,
    expect: { class: 'POLICY_VIOLATION', effect: 'none', endedBy: 'policy' },
    says: 'A query is a way out. The run has seen what must not leave.',
  },
]

/** The one approval of a call that waits in the run. */
async function openIn({ approvals }: Proviso): Promise<string> {
  const waiting = await approvals.list({ tenant, status: 'pending' })
  return waiting.find(({ kind, run }) => kind === 'call' && run === money.run)?.id ?? ''
}

async function approveOpen({ proviso }: Stage, by: Person): Promise<readonly string[]> {
  await approve(proviso, await openIn(proviso), by)
  return []
}

async function firstOfTwo({ proviso }: Stage): Promise<readonly string[]> {
  const id = await openIn(proviso)
  const told = await refusedApproval(proviso, id, 'jon')
  await approve(proviso, id, 'ines')
  return [`Jon is told: ${told}`]
}

async function allAsked({ proviso }: Stage): Promise<readonly string[]> {
  const id = await openIn(proviso)
  await approve(proviso, id, 'ines', 'tomas')
  // Without the policy two are enough, and no one else is asked.
  if ((await proviso.approvals.get(id, tenant))?.status === 'pending') await approve(proviso, id, 'petra')
  return []
}

async function grantSmall({ proviso }: Stage): Promise<readonly string[]> {
  const asked = await proviso.approvals.grant(
    {
      tool: 'refund_charge_v1',
      principal: 'jon',
      agent: 'billing-agent',
      fields: {
        '/charge_id': { any: true },
        '/amount/cents': { min: 1, max: 10_000 },
        '/amount/currency': { const: 'EUR' },
        '/reason': { enum: ['duplicate', 'customer_request'] },
      },
      count: 20,
      totalAmount: 50_000,
      expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    },
    { credential: await keyOf('vera') },
  )
  await approve(proviso, asked.id, 'ines', 'tomas')
  return [asked.packet.consequence]
}

async function moreBudget({ proviso }: Stage): Promise<readonly string[]> {
  const request = { limit: 'refunds-a-day', amount: 100, why: 'Two late parcels of today.' }
  const asked = await proviso.budgets.request(request, money)
  await approve(proviso, asked.id, 'ines', 'tomas')
  return [asked.packet.consequence]
}

async function rejectOpen({ proviso }: Stage): Promise<readonly string[]> {
  await reject(proviso, await openIn(proviso), 'ines', 'The ticket asks for it, the customer has no claim to it.')
  return []
}
