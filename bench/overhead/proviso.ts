// Proviso itself: a read-only tool on the memory ledger, arguments as text, every fact of every call kept.
import { defineTool, openProviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import type { Contender } from './contender.ts'
import { countItems, type Order, orderSchema } from './order-payload.ts'

export async function throughProviso(): Promise<Contender> {
  let executed = 0
  const proviso = await openProviso({
    ledger: memory({ maxCalls: Number.MAX_SAFE_INTEGER }),
    tools: [
      defineTool({
        name: 'count_items',
        description: 'Counts the items of an order.',
        effect: 'READ_ONLY',
        input: orderSchema,
        rate: { windowSec: 1, maxRequests: 1_000_000_000 },
        execute: (order: unknown) => {
          executed++
          return countItems(order as Order)
        },
      }),
    ],
  })
  return {
    name: 'proviso',
    async run(texts) {
      executed = 0
      for (const text of texts) await proviso.call({ tool: 'count_items', arguments: text })
      if (executed !== texts.length) throw new Error(`Proviso ran ${executed} of ${texts.length} calls`)
    },
  }
}
