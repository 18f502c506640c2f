// The oldest Postgres that the ledger promises to run on, where the machine has it.
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findServerUser } from '../../src/ledger/embedded/server-user.ts'
import { type Databases, databasesOn } from './databases.ts'
import { type PostgresEngines, postgresEngines } from './postgres-engine.ts'
import { ledgerSuite } from './suite.ts'

const binaries = '/usr/lib/postgresql/15/bin'
const absent = !existsSync(join(binaries, 'postgres'))
if (absent) console.warn(`Skipped: this machine has no Postgres 15 in ${binaries}.`)

let databases: Databases
let engines: PostgresEngines
let url = ''

async function startServer(): Promise<Databases> {
  const dir = mkdtempSync(join(tmpdir(), 'proviso-15-'))
  const { uid, gid, spawnAs } = await findServerUser()
  chownSync(dir, uid, gid)
  const data = join(dir, 'data')
  const as = { ...spawnAs, cwd: dir, stdio: 'ignore' } as const
  execFileSync(join(binaries, 'initdb'), ['-D', data, '-U', 'tester', '-A', 'trust', '-N', '-E', 'UTF8'], as)
  const settings = ['fsync=off', 'listen_addresses=', `unix_socket_directories=${dir}`, 'unix_socket_permissions=0777']
  const control = (...args: readonly string[]) =>
    execFileSync(join(binaries, 'pg_ctl'), ['-D', data, '-w', '-s', '-l', join(dir, 'log'), ...args], as)
  control('start', '-o', settings.map((setting) => `-c ${setting}`).join(' '))
  return databasesOn({
    urlOf: (database) => `postgres://tester@${encodeURIComponent(dir)}/${database}?sslmode=disable`,
    async stop() {
      control('stop', '-m', 'fast')
      rmSync(dir, { recursive: true, force: true })
    },
  })
}

describe.skipIf(absent)('Postgres 15', () => {
  beforeAll(async () => {
    databases = await startServer()
    url = await databases.fresh()
    engines = await postgresEngines(url)
  }, 60_000)

  afterAll(async () => {
    await engines.end()
    await databases.end()
  }, 60_000)

  it('is what answers', async () => {
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    await client.end()
    expect(rows[0]?.server_version).toMatch(/^15\./)
  })

  ledgerSuite('Postgres 15', () => engines.start())
})
