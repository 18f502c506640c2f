// Steps of a model on one order: reads and a change that run together, and a change that fails before a read.
// #region tools
import { defineTool, openProviso, ToolError } from '../../src/index.ts'

const orders = new Map([['o-1', 1]])
const input = {
  type: 'object',
  properties: { order: { type: 'string' }, by: { type: 'integer' } },
  required: ['order'],
  additionalProperties: false,
} as const

const readOrder = defineTool({
  name: 'read_order_v1',
  description: 'Reads how many pieces are ordered.',
  effect: 'READ_ONLY',
  trusted: true,
  input,
  locks: ['/order'],
  execute: ({ order }) => ({ pieces: orders.get(order) ?? 0 }),
})

const addPieces = defineTool({
  name: 'add_pieces_v1',
  description: 'Adds pieces to an order.',
  effect: 'LOW_RISK_INTERNAL',
  trusted: true,
  input,
  locks: ['/order'],
  execute: ({ order, by = 1 }) => {
    if (by > 10) throw new ToolError('too_many', 'No more than ten at once.', { effect: 'none' })
    orders.set(order, (orders.get(order) ?? 0) + by)
    return {}
  },
})
// #endregion tools

const proviso = await openProviso({ tools: [readOrder, addPieces] })
const context = { tenant: 'acme', user: 'ann', run: 'chat-1' }

// #region together
const step = [
  { tool: 'read_order_v1', arguments: { order: 'o-1' }, callId: 'c1' },
  { tool: 'add_pieces_v1', arguments: { order: 'o-1', by: 2 }, callId: 'c2' },
  { tool: 'read_order_v1', arguments: { order: 'o-1' }, callId: 'c3' },
]
const answers = await proviso.callAll(step, context)
for (const { observation, value } of answers) console.log(observation.tool_identity.name, JSON.stringify(value))
// read_order_v1 {"pieces":1}, add_pieces_v1 {}, read_order_v1 {"pieces":3}: in the order of the proposals
// #endregion together

// #region streamed
const next = [
  { tool: 'add_pieces_v1', arguments: { order: 'o-1', by: 99 }, callId: 'c4' },
  { tool: 'read_order_v1', arguments: { order: 'o-1' }, callId: 'c5' },
]
const options = { ordering: 'allow_unordered', siblingFailure: 'cancel_dependent' } as const
for await (const { index, answer } of proviso.stream(next, context, options)) {
  console.log(index, answer.effect, answer.observation.result_payload.errors[0]?.code)
}
// 0 none execution_failed, then 1 none sibling_canceled: it would have read what was not changed
// #endregion streamed

await proviso.close()
