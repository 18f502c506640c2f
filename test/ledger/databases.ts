// Databases for tests: one real server per test file, and for every test a database of its own, cloned from one that is migrated.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { toolUrlOf } from '../../src/ledger/embedded/settings.ts'
import { startEmbedded } from '../../src/ledger/embedded/start-embedded.ts'
import type { PostgresOptions } from '../../src/ledger/postgres/options.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'

export interface Databases {
  /** The URL of a new, migrated database. */
  fresh(): Promise<string>
  /** The URL of a new, empty database. */
  empty(): Promise<string>
  end(): Promise<void>
}

/** A server that runs, however it was started. */
export interface Server {
  urlOf(database: string): string
  stop(): Promise<void>
}

export async function startDatabases(settings: Readonly<Record<string, string>> = {}): Promise<Databases> {
  const dir = await mkdtemp(join(tmpdir(), 'proviso-databases-'))
  // The server's own user has to reach its data here; where it cannot, they lie elsewhere and outlive the test.
  await chmod(dir, 0o711)
  // Nothing here has to survive a power cut.
  const server = await startEmbedded({ dir, settings: { fsync: 'off', ...settings } })
  return databasesOn({
    urlOf: (database) => server.url.replace(/\/proviso(?=$|\?)/, `/${database}`),
    async stop() {
      await server.release()
      await rm(dir, { recursive: true, force: true })
    },
  })
}

/** How tools log in that commit with the ledger in this database. */
export const asTools = (url: string): { readonly toolUrl: string } => ({ toolUrl: toolUrlOf(url) })

export async function databasesOn(server: Server): Promise<Databases> {
  const admin = new pg.Client(server.urlOf('postgres'))
  await admin.connect()
  let count = 0
  const create = async (template: string) => {
    const name = `test_${++count}`
    await admin.query(`create database ${name} template ${template}`)
    return server.urlOf(name)
  }
  await admin.query('create database migrated')
  await (await postgres(server.urlOf('migrated'))).close()
  return {
    fresh: () => create('migrated'),
    empty: () => create('template0'),
    async end() {
      await admin.end()
      await server.stop()
    },
  }
}

/** A ledger whose database takes the time to be later than it is. */
export const laterBy = (ms: number): PostgresOptions => ({ driver: { options: `-c proviso.clock_offset_ms=${ms}` } })
