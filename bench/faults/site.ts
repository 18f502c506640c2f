// Where a scenario takes place: a real server, a database with the ledger and the sql tools' table, the world's folder, and a process
// that looks after what others leave behind.
import { mkdirSync, mkdtempSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { dataFolderOf } from '../../src/ledger/embedded/cluster.ts'
import { findHome } from '../../src/ledger/embedded/home.ts'
import { findServerUser } from '../../src/ledger/embedded/server-user.ts'
import { type EmbeddedServer, startEmbedded } from '../../src/ledger/embedded/start-embedded.ts'
import { isConnectionLoss } from '../../src/ledger/postgres/driver/errors.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { openWorld, type World } from './world.ts'

export interface Server {
  /** A new database, migrated, with the table of the sql tools. */
  site(): Promise<Site>
  /** The data folder, by which its postmaster is found. */
  readonly data: string
  /** Starts it again after it went away. */
  startAgain(): Promise<void>
  stop(): Promise<void>
}

export interface Site {
  readonly url: string
  readonly folder: string
  readonly world: World
  /** How often the effect of an operation is there, counted from outside. */
  fired(op: string): Promise<number>
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  close(): Promise<void>
}

const maxTries = 200

export async function startServer(
  settings: Readonly<Record<string, string>> = { fsync: 'off' },
  place?: string,
): Promise<Server> {
  const dir = place ?? mkdtempSync(join(tmpdir(), 'proviso-faults-'))
  const all = { max_connections: '300', ...settings }
  const servers: EmbeddedServer[] = [await startEmbedded({ dir, settings: all })]
  const url = servers[0]?.url ?? ''
  const urlOf = (database: string) => url.replace(/\/proviso(?=$|\?)/, `/${database}`)
  const data = dataFolderOf(await findHome(dir, await findServerUser()))
  const worlds = mkdtempSync(join(tmpdir(), 'proviso-world-'))
  await chmod(worlds, 0o755)
  let count = 0

  const admin = async (text: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  await admin('create database trial')
  await (await postgres(urlOf('trial'))).close()
  await runIn(
    urlOf('trial'),
    'create schema world; create table world.effects (op text not null); create index on world.effects (op); grant usage on schema world to proviso_tools; grant insert, select on world.effects to proviso_tools',
  )

  return {
    data,
    async site() {
      const name = `trial_${++count}`
      await admin(`create database ${name} template trial`)
      const folder = join(worlds, name)
      mkdirSync(folder)
      return openSite(urlOf(name), folder)
    },
    async startAgain() {
      servers.push(await startEmbedded({ dir, settings: all }))
    },
    async stop() {
      for (const server of servers) await server.release()
      await rm(worlds, { recursive: true, force: true })
      if (place === undefined) await rm(dir, { recursive: true, force: true })
    },
  }
}

function openSite(url: string, folder: string): Site {
  const pool = new pg.Pool({ connectionString: url, max: 4, application_name: 'judge' })
  pool.on('error', () => undefined)
  const world = openWorld(folder)
  pool.on('connect', (client) => client.on('error', () => undefined))
  // The judge outlives what is done to the server: it asks again until it is answered.
  const query = async <Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> => {
    for (let tries = 0; ; tries++) {
      try {
        return (await pool.query(text, values as unknown[])).rows as readonly Row[]
      } catch (error) {
        if (tries >= maxTries || !isConnectionLoss(error)) throw error
        await sleep(100)
      }
    }
  }
  return {
    url,
    folder,
    world,
    query,
    async fired(op) {
      const [row] = await query<{ n: number }>('select count(*)::integer as n from world.effects where op = $1', [op])
      return world.fired(op) + (row?.n ?? 0)
    },
    close: () => pool.end(),
  }
}

async function runIn(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text).finally(() => client.end())
}
