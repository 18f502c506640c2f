// The one Postgres that all contenders share: the embedded one, with the settings that users get. Nothing is switched off for speed.
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/ledger/embedded/start-embedded.ts'

export interface Server {
  /** Its version, and the settings that decide what a commit costs. */
  readonly settings: Readonly<Record<string, string>>
  /** The URL of a new, empty database. */
  database(name: string): Promise<string>
  /** How many bytes of log it has written so far, for all its databases. */
  logPosition(): Promise<number>
  stop(): Promise<void>
}

const telling = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_compression',
  'shared_buffers',
  'max_wal_size',
  'checkpoint_timeout',
]

/** A little more than the server keeps between two checkpoints and while the next is written. */
export const logMegabytes = 2_200

/**
 * A server that has run for some time writes its log over files that it has; a new one makes a file for every 16 MB, and all calls wait for
 * that, at 64 lanes 60 ms of every 800. So the log is written through once before anything counts, for all contenders alike,
 * without a checkpoint on the way that gives its files away.
 */
async function runIn(admin: pg.Client): Promise<void> {
  const megabyte = `pg_logical_emit_message(false, 'proviso', repeat('x', 1000000))`
  await admin.query(`alter system set max_wal_size = '${2 * logMegabytes}MB'`)
  await admin.query('select pg_reload_conf()')
  await admin.query(`select count(${megabyte}) from generate_series(1, ${logMegabytes})`)
  await admin.query('checkpoint')
  await admin.query('alter system reset max_wal_size')
  await admin.query('select pg_reload_conf()')
}

export async function startServer(): Promise<Server> {
  const dir = await mkdtemp(join(tmpdir(), 'proviso-bench-'))
  const server = await startEmbedded({ dir })
  const admin = new pg.Client(server.connection)
  await admin.connect()
  const { rows } = await admin.query<{ name: string; value: string }>(
    'select name, current_setting(name) as value from unnest($1::text[]) name',
    [telling],
  )
  await runIn(admin)
  return {
    settings: Object.fromEntries(rows.map(({ name, value }) => [name, value])),
    async database(name) {
      await admin.query(`create database ${name}`)
      return server.url.replace(/\/proviso(?=$|\?)/, `/${name}`)
    },
    async logPosition() {
      const { rows } = await admin.query<{ bytes: string }>(
        `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
      )
      return Number(rows[0]?.bytes)
    },
    async stop() {
      await admin.end()
      await server.release()
      // As root the server's files may lie elsewhere, and the link in its folder says where.
      const home = await realpath(join(dir, 'home')).catch(() => dir)
      for (const folder of [home, dir]) await rm(folder, { recursive: true, force: true })
    },
  }
}
