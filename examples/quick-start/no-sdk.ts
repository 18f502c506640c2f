// The same without an SDK: one tool, a call that is wrong in two ways, and what comes back.
// #region no-sdk
import { defineTool, openProviso } from '../../src/index.ts'

const bookPayment = defineTool({
  name: 'bookPayment',
  description: 'Books a payment of an invoice against the customer account.',
  effect: 'MEDIUM_RISK_WRITE',
  input: {
    type: 'object',
    required: ['invoice', 'amount'],
    additionalProperties: false,
    properties: { invoice: { type: 'string' }, amount: { type: 'number', minimum: 0.01 } },
  },
  execute: ({ amount }) => ({ booked: amount }),
})
const proviso = await openProviso({ tools: [bookPayment] })
const context = { user: 'ann', run: 'chat-17' }

const bad = await proviso.call({ tool: 'bookPayment', arguments: '{"invoiceId":"INV-17","amount":"120"}' }, context)
console.log(bad.response.error_code, bad.effect)
for (const { field, message } of bad.feedback?.field_errors ?? []) console.log(`  ${field}: ${message}`)

const good = await proviso.call({ tool: 'bookPayment', arguments: '{"invoice":"INV-17","amount":120}' }, context)
console.log(good.response.error_code, good.effect, good.value)
await proviso.close()
// #endregion no-sdk
