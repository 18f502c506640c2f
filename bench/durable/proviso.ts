// Proviso itself: a MEDIUM_RISK_WRITE through every gate, its slot, rate and budget in the ledger, every fact kept. Each lane is a run of
// its own, as agents are, so that the order of calls within one run makes no call wait; nothing is declared concurrent.
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool, openProviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/index.ts'
import { countItems, type Order, orderSchema, orderText } from '../overhead/order-payload.ts'
import type { Contender } from './contender.ts'
import { argumentBytes } from './setting.ts'

export interface ProvisoOptions {
  readonly name?: string
  /** Whether the log of its calls is written within its own rounds; else whenever the ledger does it by itself. */
  readonly pays?: boolean
}

/** As often as the ledger does it by itself. */
const sequenceEveryMs = 1_000

export async function throughProviso(
  url: string,
  connections: number,
  { name = 'proviso', pays = false }: ProvisoOptions = {},
): Promise<Contender> {
  let executed = 0
  let answered = 0
  const ledger = await postgres(url, { connections, log: { sequence: !pays } })
  const proviso = await openProviso({
    ledger,
    budgets: { write: 1_000_000_000 },
    tools: [
      defineTool({
        name: 'book_items',
        description: 'Books the items of an order.',
        effect: 'MEDIUM_RISK_WRITE',
        input: orderSchema,
        // What it returns is counted here, by itself.
        trusted: true,
        rate: { windowSec: 1, maxRequests: 1_000_000_000 },
        execute: (order: unknown) => {
          executed++
          return countItems(order as Order)
        },
      }),
    ],
  })
  return {
    name,
    async call(number, lane) {
      const proposal = { tool: 'book_items', arguments: orderText(argumentBytes, number), callId: `call_${number}` }
      const { effect, observation } = await proviso.call(proposal, { tenant: 'acme', user: 'ann', run: `run-${lane}` })
      if (effect !== 'happened') throw new Error(`The call did not happen: ${JSON.stringify(observation.status)}`)
      answered++
    },
    // In the middle of each second, and all that was written until then: as much as one second writes.
    async beside(endsAt) {
      for (let at = sequenceEveryMs / 2; pays; at = sequenceEveryMs) {
        if (performance.now() + at > endsAt) return
        await sleep(at)
        await ledger.log?.sequence()
      }
    },
    async close() {
      await proviso.close()
      if (executed !== answered) throw new Error(`Proviso executed ${executed} times for ${answered} calls`)
    },
  }
}
