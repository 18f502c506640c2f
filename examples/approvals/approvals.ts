// Approvals: what a person is shown, what a rejection does, what changed arguments do, a call that the decision itself runs, and a standing
// approval for the small cases.
// #region tool
import { defineTool, keyring, openProviso } from '../../src/index.ts'
import { renderCard } from '../../src/public/people.ts'

const refunds: number[] = []

const refund = defineTool({
  name: 'refund',
  description: 'Refunds one charge to the card it came from.',
  effect: 'HIGH_RISK_EXTERNAL',
  input: {
    type: 'object',
    required: ['charge_id', 'amount', 'currency'],
    additionalProperties: false,
    properties: {
      charge_id: { type: 'string', maxLength: 40 },
      amount: { type: 'number', minimum: 1, maximum: 10_000 },
      currency: { enum: ['EUR', 'USD'] },
      notify: { type: 'boolean', default: true },
    },
  },
  amount: { pointer: '/amount', currency: '/currency' },
  approval: { pattern: 'dual_control', ttlMs: 60 * 60_000 },
  consequence: 'Refunds {amount} {currency} for charge {charge_id}',
  trusted: true,
  execute({ amount }) {
    refunds.push(amount)
    return { refunded: amount }
  },
  verify: ({ amount }) =>
    refunds.includes(amount) ? { status: 'verified' } : { status: 'failed', message: 'It was not refunded.' },
})
// #endregion tool

// #region keys
const people = keyring() // keys of this process; proviso keys create makes lasting ones
const bob = await people.issue({ user: 'bob', roles: ['approver'] })
const carol = await people.issue({ user: 'carol', roles: ['approver'] })

const proviso = await openProviso({ tools: [refund], identity: people })
// #endregion keys

const context = { user: 'ann', agent: 'support-bot', run: 'chat-17' }
const propose = (charge_id: string, amount: number, more = {}) =>
  proviso.call({ tool: 'refund', arguments: { charge_id, amount, currency: 'EUR' } }, { ...context, ...more })

// #region look
const waiting = await propose('ch_1', 4_200)
const id = waiting.approval?.id ?? ''

const shown = await proviso.approvals.get(id)
const card = shown === undefined ? '' : renderCard(shown.packet, { now: shown.createdAt })
console.log(card.split('\n').slice(0, 20).join('\n')) // its first lines; the rest is a matter of the moment
// #endregion look

// #region people
const decision = { packetHash: shown?.packetHash ?? '' }
const one = await proviso.approvals.approve(id, { ...decision, credential: bob })
const two = await proviso.approvals.approve(id, { ...decision, credential: carol, reason: 'The parcel was lost.' })
console.log('votes:', one.status, two.status)
// #endregion people

// #region edited
const edited = await propose('ch_1', 9_999)
console.log('edited:', edited.response.error_code, edited.effect, refunds.length)

const approved = await propose('ch_1', 4_200)
console.log('approved:', approved.response.error_code, approved.effect, refunds.length)
// #endregion edited

// #region rejected
const other = await proviso.approvals.get(edited.approval?.id ?? '')
await proviso.approvals.reject(other?.id ?? '', {
  credential: bob,
  packetHash: other?.packetHash ?? '',
  reason: 'It cost 42 EUR.',
})
const rejected = await propose('ch_1', 9_999)
console.log('rejected:', rejected.response.next_action, rejected.feedback?.field_errors[0]?.message)
// #endregion rejected

// #region resume
const left = await propose('ch_2', 310, { resumeOnDecision: true })
for (const credential of [bob, carol]) {
  const packetHash = left.approval?.packetHash ?? ''
  await proviso.approvals.approve(left.approval?.id ?? '', { credential, packetHash })
}
console.log('resumed:', refunds.at(-1))
// #endregion resume

// #region grant
const dora = await people.issue({ user: 'dora', roles: ['operator'] })
const asked = await proviso.approvals.grant(
  {
    tool: 'refund',
    principal: 'ann',
    agent: 'support-bot',
    fields: {
      '/charge_id': { any: true },
      '/amount': { min: 1, max: 20 },
      '/currency': { const: 'EUR' },
      '/notify': { absent: true },
    },
    count: 10,
    totalAmount: 50,
    expiresAt: new Date(Date.now() + 7 * 86_400_000).toISOString(),
  },
  { credential: dora },
)
for (const credential of [bob, carol])
  await proviso.approvals.approve(asked.id, { credential, packetHash: asked.packetHash })

for (const amount of [15, 15, 15, 15]) {
  const answer = await propose(`ch_small_${refunds.length}`, amount)
  console.log('small:', amount, answer.effect)
}
// #endregion grant

// #region revoke
await proviso.approvals.revoke(asked.id, { credential: carol, reason: 'The campaign is over.' })
const after = await propose('ch_9', 5)
console.log('revoked:', after.effect)
// #endregion revoke

await proviso.close()
