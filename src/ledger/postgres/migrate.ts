// Brings the database to this version's tables and functions, once: whoever comes first does it, and the others wait and find it done.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ClientConfig } from 'pg'
import pg from 'pg'
import { Fault } from '../../contract/fault.ts'
import type { Database } from './driver/database.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Any fixed number: the lock that migrating processes wait for. */
const lockKey = 7_466_920_141

export interface MigrateOptions {
  /** Whether the tables are made where there are none, and brought up to date where they are old. */
  readonly make: boolean
  readonly connection: ClientConfig
}

export async function migrate(database: Database, { make, connection }: MigrateOptions): Promise<void> {
  const wanted = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.slice(0, -'.sql'.length))
  const found = await done(database)
  if (wanted.every((name) => found.has(name))) return
  if (!make) throw new Fault('bad_options', found.size === 0 ? noLedger : oldLedger)
  // A connection of its own: waiting for others, and the work itself, may take longer than any statement of a call.
  const client = new pg.Client(connection)
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await bringUp(client)
  } catch (error) {
    throw isForbidden(error) ? new Fault('bad_options', forbidden, { cause: error }) : error
  } finally {
    await client.end()
  }
}

const noLedger = 'There is no ledger in this database. Is it the right one? Opening Proviso on it makes one.'
const oldLedger = 'The ledger in this database is of an earlier version. Opening Proviso on it brings it up to date.'
const forbidden =
  'This role may not make the ledger. It has to create a schema and a role (CREATE on the database and CREATEROLE, or a role proviso_reader that exists and that it may grant); docs/guide/durability.md says how.'

const isForbidden = (error: unknown) => error instanceof Error && 'code' in error && error.code === '42501'

async function done(database: Database): Promise<ReadonlySet<string>> {
  const [present] = await database.run<[boolean]>('migrations-present', [])
  if (present?.[0] !== true) return new Set()
  return new Set((await database.run<[string]>('migrations-done', [])).map(([name]) => name))
}

async function bringUp(client: pg.Client): Promise<void> {
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
