// The starter's code: executors and a state reader over a small file of orders.

export const ordersCode = `// What the two tool files run. Replace the file of orders by your own system; the contracts can stay.
import { readFile, writeFile } from 'node:fs/promises'

const file = new URL('./orders.json', import.meta.url)
const load = async () => JSON.parse(await readFile(file, 'utf8'))

export async function lookupOrder({ order_id }) {
  const { [order_id]: order } = await load()
  return { order_id, ...order }
}

/** Looked at before the tool runs; what it returns goes to the model as a field error. */
export async function orderIsKnown({ order_id }) {
  const orders = await load()
  if (order_id in orders) return undefined
  return { reason: 'invalid_arguments', field: '/order_id', message: \`There is no order \${order_id}. Ask the user for its number.\` }
}

export async function cancelOrder({ order_id }) {
  const orders = await load()
  orders[order_id].status = 'cancelled'
  await writeFile(file, \`\${JSON.stringify(orders, null, 2)}\\n\`)
  return { order_id, status: 'cancelled' }
}

/** Read before every cancellation, and again after any wait: the order must exist and must still be open. */
export const orderState = {
  match: [],
  async read({ order_id }) {
    const { [order_id]: order } = await load()
    return order ?? null
  },
  allows: (order) => (order.status === 'open' ? undefined : \`The order is \${order.status}; only an open order can be cancelled.\`),
  after: (order) => ({ ...order, status: 'cancelled' }),
}
`

export const ordersData = `{
  "ord_1001": { "status": "open", "total_cents": 4200, "currency": "EUR" },
  "ord_1002": { "status": "shipped", "total_cents": 1999, "currency": "EUR" }
}
`
