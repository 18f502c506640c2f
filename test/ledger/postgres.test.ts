import { afterAll, beforeAll } from 'vitest'
import { type Databases, startDatabases } from './databases.ts'
import { type PostgresEngines, postgresEngines } from './postgres-engine.ts'
import { ledgerSuite } from './suite.ts'

let databases: Databases
let engines: PostgresEngines

beforeAll(async () => {
  databases = await startDatabases()
  engines = await postgresEngines(await databases.fresh())
}, 60_000)

afterAll(async () => {
  await engines.end()
  await databases.end()
}, 60_000)

ledgerSuite('Postgres', () => engines.start())
