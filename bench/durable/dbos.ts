// What a user would take instead: a DBOS workflow with one step and `workflowID` as its key, so that a call made twice runs once. Kept are
// the workflow with its input, the end of its step and the end of the workflow. It runs in its own rounds only: its pollers and its
// listener end with each round, since they would take a hundredth of a processor from the rounds of the others.
import { readFileSync } from 'node:fs'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { countItems, type Order, orderText } from '../overhead/order-payload.ts'
import type { Contender } from './contender.ts'
import { argumentBytes } from './setting.ts'

/** What is said in place of a default; its admin server is gone since version 5. */
const settings = {
  name: 'bench',
  // Nothing is written to a console.
  logger: { info: silent, debug: silent, warn: silent, error: console.error },
  // Not exported anywhere: its defaults, but for the environment of its own cloud.
  enableOTLP: false,
  tracingEnabled: false,
}

/** For the report: under which settings its figures were taken. */
export function dbosSettings(connections: number): Readonly<Record<string, string>> {
  const manifest = new URL('../../package.json', import.meta.resolve('@dbos-inc/dbos-sdk'))
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }
  return {
    version,
    workflow: 'one step, started in the process that waits for it',
    system_database: 'its own, on the same server',
    pool: String(connections),
    listen_notify: 'on (default)',
    serializer: 'superjson (default)',
    log: 'off',
    tracing: 'off (default)',
    between_rounds: 'shut down',
  }
}

export async function throughDbos(url: string, connections: number): Promise<Contender> {
  let executed = 0
  let answered = 0
  const book = async (order: Order) => {
    executed++
    return countItems(order)
  }
  const bookItems = DBOS.registerWorkflow(async (order: Order) => DBOS.runStep(() => book(order), { name: 'book' }), {
    name: 'book_items',
  })
  DBOS.setConfig({ ...settings, systemDatabaseUrl: url, systemDatabasePoolSize: connections })

  const call = async (number: number, key: string) => {
    const order = JSON.parse(orderText(argumentBytes, number)) as Order
    const handle = await DBOS.startWorkflow(bookItems, { workflowID: `${key}:${order.order}` })(order)
    const { items } = await handle.getResult()
    if (items !== order.items.length) throw new Error(`The workflow counted ${items} items`)
    answered++
  }

  let woken = 0
  return {
    name: 'dbos',
    call: (number, lane) => call(number, `run-${lane}`),
    async wake() {
      await DBOS.launch()
      const key = `wake-${++woken}`
      // So that its connections are open and have done each of its statements before the time runs.
      for (let turn = 0; turn < 5; turn++) {
        await Promise.all(
          Array.from({ length: 4 * connections }, (_, index) => call(turn * 4 * connections + index, key)),
        )
      }
    },
    rest: () => DBOS.shutdown(),
    async close() {
      if (executed !== answered) throw new Error(`DBOS executed ${executed} times for ${answered} calls`)
    },
  }
}

function silent(): void {}
