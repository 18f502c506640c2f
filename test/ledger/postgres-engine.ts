// Postgres as the suite wants its engines: empty for every test, with a time that passes when told to.
import pg from 'pg'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { laterBy } from './databases.ts'
import type { Engine } from './suite.ts'

export interface PostgresEngines {
  start(): Promise<Engine>
  end(): Promise<void>
}

/** One database for all tests of a file, emptied for each: a new one would cost half a second a test. */
export async function postgresEngines(url: string): Promise<PostgresEngines> {
  const admin = new pg.Client(url)
  await admin.connect()
  const { rows } = await admin.query<{ names: string }>(
    `select string_agg(format('proviso.%I', tablename), ', ') as names from pg_tables
     where schemaname = 'proviso' and tablename not in ('migrations', 'functions')`,
  )
  const names = rows[0]?.names
  if (names === undefined) throw new Error('The database has no tables.')
  let opened: Ledger[] = []
  const open = async (later: number) => {
    const ledger = await postgres(url, { ...laterBy(later), connections: 3 })
    opened.push(ledger)
    return ledger
  }
  const close = async () => {
    for (const ledger of opened) await ledger.close()
    opened = []
  }
  return {
    async start() {
      await close()
      await admin.query(`truncate ${names}`)
      let later = 0
      let current = await open(later)
      return {
        // Time passes by a setting of the connections, so each moment has a ledger of its own on the same database.
        ledger: new Proxy({} as Ledger, { get: (_, name) => Reflect.get(current, name) }),
        async advance(ms) {
          later += ms
          current = await open(later)
        },
        peer: () => open(later),
      }
    },
    async end() {
      await close()
      await admin.end()
    },
  }
}
