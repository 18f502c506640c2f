import { afterAll, beforeAll } from 'vitest'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, laterBy, startDatabases } from './databases.ts'
import { ledgerSuite } from './suite.ts'

let databases: Databases
const opened: Ledger[] = []

beforeAll(async () => {
  databases = await startDatabases()
})

afterAll(async () => {
  for (const ledger of opened) await ledger.close()
  await databases.end()
})

ledgerSuite('Postgres', async () => {
  const url = await databases.fresh()
  let later = 0
  let current = await open(url, later)
  return {
    // Time passes by a setting of the connections, so each moment has a ledger of its own on the same database.
    ledger: new Proxy({} as Ledger, { get: (_, name) => Reflect.get(current, name) }),
    async advance(ms) {
      later += ms
      current = await open(url, later)
    },
  }
})

async function open(url: string, later: number): Promise<Ledger> {
  const ledger = await postgres(url, { ...laterBy(later), connections: 3 })
  opened.push(ledger)
  return ledger
}
