// Brings the database to this version's tables and functions, once: whoever comes first does it, and the others wait and find it done.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { PoolClient } from 'pg'
import { Fault } from '../../contract/fault.ts'
import type { Database } from './database.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Any fixed number: the lock that migrating processes wait for. */
const lockKey = 7_466_920_141

export async function migrate(database: Database): Promise<void> {
  const wanted = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.slice(0, -'.sql'.length))
  if ((await done(database)).size >= wanted.length) return
  const client = await database.connect()
  let broken = true
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await bringUp(client)
    await client.query('select pg_advisory_unlock($1)', [lockKey])
    broken = false
  } finally {
    client.release(broken)
  }
}

async function done(database: Database): Promise<ReadonlySet<string>> {
  const [present] = await database.run<[boolean]>('migrations-present', [])
  if (present?.[0] !== true) return new Set()
  return new Set((await database.run<[string]>('migrations-done', [])).map(([name]) => name))
}

async function bringUp(client: PoolClient): Promise<void> {
  const { runner } = await loadRunner()
  await runner({
    dbClient: client,
    dir: fileURLToPath(folder),
    direction: 'up',
    schema: 'proviso',
    createSchema: true,
    migrationsTable: 'migrations',
    // Our own lock waits; the library's would fail whoever comes second.
    noLock: true,
    checkOrder: true,
    log: () => undefined,
  })
}

async function loadRunner() {
  try {
    return await import('node-pg-migrate')
  } catch (error) {
    const message =
      'The database has to be brought up to date, and node-pg-migrate, which does that, is not installed. Run `npm install node-pg-migrate` where the tables are made; processes that find them made do not need it.'
    throw new Fault('bad_options', message, { cause: error })
  }
}
