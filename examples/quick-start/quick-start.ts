// The first sixty seconds: one call refused, one approved and executed, one answered from the record.
// #region quick-start
// #region tool
import { defineTool, keyring, openProviso } from '../../src/index.ts'

const refunds = new Map<string, number>() // stands for the payment provider

const refund = defineTool({
  name: 'refund',
  description: 'Gives the money of one charge back to the customer.',
  effect: 'HIGH_RISK_EXTERNAL',
  input: {
    type: 'object',
    required: ['charge_id', 'amount'],
    additionalProperties: false,
    properties: { charge_id: { type: 'string' }, amount: { type: 'number', minimum: 1, maximum: 500 } },
  },
  operation: ['/charge_id'], // one refund per charge, for every caller and however often
  consequence: ({ charge_id, amount }) => `Refund ${amount} EUR of charge ${charge_id}.`,
  execute({ charge_id, amount }) {
    refunds.set(charge_id, amount)
    return { refunded: amount }
  },
  verify: ({ charge_id, amount }) =>
    refunds.get(charge_id) === amount
      ? { status: 'verified' }
      : { status: 'failed', message: 'The refund is not there.' },
})
// #endregion tool

// #region refused
const people = keyring() // keys of this process; `proviso keys create` makes lasting ones
const proviso = await openProviso({ tools: [refund], identity: people })
const context = { user: 'ann', run: 'chat-17' }

// What a model might emit: a renamed field, a number as text.
const bad = await proviso.call({ tool: 'refund', arguments: '{"chargeId":"ch_1","amount":"20"}' }, context)
console.log(bad.response.error_code, bad.effect)
for (const { field, message } of bad.feedback?.field_errors ?? []) console.log(`  ${field}: ${message}`)
// #endregion refused

// #region approved
// The repaired call is valid, and waits for a person. Nothing has happened yet.
const proposal = { tool: 'refund', arguments: '{"charge_id":"ch_1","amount":20}' }
const waiting = await proviso.call(proposal, context)
console.log(waiting.response.error_code, waiting.effect)

const [request] = await proviso.approvals.list({ status: 'pending' })
console.log(`  ${request?.packet.consequence}`)
const bob = await people.issue({ user: 'bob', roles: ['operator'] })
await proviso.approvals.approve(request?.id ?? '', { credential: bob, packetHash: request?.packetHash ?? '' })

const done = await proviso.call(proposal, context)
console.log(done.response.error_code, done.effect, done.value)
// #endregion approved

// #region again
// The same call once more: answered from the record, executed never again.
const again = await proviso.call(proposal, context)
console.log(again.response.error_code, again.observation.execution_metadata.idempotency_hit, refunds.size)
// #endregion again

await proviso.close()
// #endregion quick-start
