// A transfer that is read back from the bank's own statement: at once, and again while it may still arrive.
import { setTimeout } from 'node:timers/promises'
// #region tool
import { defineTool, type JsonObject, openProviso } from '../../src/index.ts'

/** Stands for the bank's statement, which is not written by the tool. */
const statement = new Map<string, JsonObject>()

const transfer = defineTool({
  name: 'transfer_v1',
  description: 'Transfers an amount to an account.',
  effect: 'LOW_RISK_INTERNAL',
  input: {
    type: 'object',
    properties: { reference: { type: 'string' }, account: { type: 'string' }, euros: { type: 'integer' } },
    required: ['reference', 'account', 'euros'],
    additionalProperties: false,
  },
  operation: ['/reference'],
  execute({ reference, account, euros }, { idempotencyKey }) {
    const entry = { account, euros: `${euros}.00`, key: idempotencyKey ?? null, status: 'booked' }
    // The bank books a little later; a transfer to `closed` is never booked.
    if (account !== 'closed') globalThis.setTimeout(() => statement.set(reference, entry), 20)
    return { accepted: true }
  },
  verify: {
    source: 'statement',
    audit: true, // a record of what was done that the tool does not write itself
    creates: true, // no entry means that nothing happened
    target: { reference: '/args/reference' },
    read: ({ reference }) => statement.get(String(reference)) ?? null,
    expect: [
      { path: '/account', is: 'equals', from: '/args/account', about: 'target' },
      { path: '/euros', is: 'equals', from: '/args/euros', about: 'amount' },
      { path: '/key', is: 'equals', from: '/call/idempotency_key', about: 'key' },
      { path: '/status', is: 'in', value: ['booked', 'cleared'] },
    ],
  },
  verification: { times: 2, everyMs: 50 }, // not there yet: again after 50 ms, then after 100
})
// #endregion tool

const proviso = await openProviso({ tools: [transfer], sweepMs: 10 })
const context = { user: 'ann', run: 'chat-7' }
const send = (reference: string, account: string) =>
  proviso.call({ tool: 'transfer_v1', arguments: { reference, account, euros: 20 } }, context)

// #region later
const answer = await send('t-1', 'DE12')
const lost = await send('t-2', 'closed')
const reportOf = async ({ observation }: typeof answer) =>
  (await proviso.calls.get(observation.tool_identity.call_id))?.verification

const pending = await reportOf(answer)
console.log(pending?.state, pending?.discrepancy) // PENDING propagation_delay

await setTimeout(1_000)
const verified = await reportOf(answer)
console.log(verified?.state, `trust ${verified?.trust}`) // VERIFIED trust 4
const failed = await reportOf(lost)
console.log(failed?.state, failed?.discrepancy, failed?.action) // FAILED no_op_success recover_forward
// #endregion later

const [question] = await proviso.escalations.list()
console.log(question?.kind)
await proviso.close()
