// The processes of a history on a real database: each a ledger of its own, with its own session and its own clock. The database's clock
// stands still until it is moved.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type EpochMs, epochMs } from '../../src/json/clock.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { type Database, openDatabase } from '../../src/ledger/postgres/driver/database.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { standClock } from '../../test/ledger/standing-clock.ts'
import { leaseMs, tickMs } from './setting.ts'

export interface RealProcess {
  readonly ledger: Ledger
  /** The number of the server's process behind its session. */
  session: number
  /** Its own clock, in milliseconds. */
  now: number
}

export interface RealProcesses {
  readonly database: Database
  readonly admin: pg.Client
  /** The database's clock. */
  now(): EpochMs
  /** Moves the database's clock, and that of each process that is named. */
  pass(processes: readonly RealProcess[], ticks?: number): Promise<void>
  open(): Promise<RealProcess>
  /** Its session is ended, and it is never used again. */
  kill(process: RealProcess): Promise<void>
  endSession(process: RealProcess): Promise<void>
  /** Waits until it has a session again, where it has lost one. */
  regain(process: RealProcess): Promise<void>
  close(): Promise<void>
}

/** Any moment will do. */
const beginning = 2_900 * 7 * 86_400_000

export async function openProcesses(url: string): Promise<RealProcesses> {
  const admin = new pg.Client(url)
  await admin.connect()
  const setClock = await standClock(admin)
  let now = beginning
  await setClock(now)
  const database = openDatabase({ connectionString: url, max: 2 })
  const open = new Set<RealProcess>()

  const sessions = async (): Promise<readonly number[]> => {
    const { rows } = await admin.query<{ pid: number }>(
      `select l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'advisory' and l.granted and a.application_name = 'proviso owner' and a.datname = current_database()`,
    )
    return rows.map(({ pid }) => pid)
  }
  const newSession = async (): Promise<number> => {
    for (;;) {
      const known = new Set([...open].map(({ session }) => session))
      const found = (await sessions()).find((pid) => !known.has(pid))
      if (found !== undefined) return found
      await sleep(5)
    }
  }

  return {
    database,
    admin,
    now: () => epochMs(now),
    async pass(processes, ticks = 1) {
      now += ticks * tickMs
      await setClock(now)
      for (const process of processes) process.now += ticks * tickMs
    },
    async open() {
      const clock = { now: () => epochMs(process.now), monotonic: () => process.now - beginning }
      const process: RealProcess = { ledger: undefined as unknown as Ledger, session: 0, now }
      const ledger = await postgres(url, { leaseMs, connections: 2, clock, log: { sequence: false } })
      Object.assign(process, { ledger, session: await newSession() })
      open.add(process)
      return process
    },
    async kill(process) {
      open.delete(process)
      await process.ledger.close()
    },
    async endSession(process) {
      await admin.query('select pg_terminate_backend($1, 1000)', [process.session])
    },
    async regain(process) {
      if ((await sessions()).includes(process.session)) return
      process.session = 0
      process.session = await newSession()
    },
    async close() {
      for (const process of open) await process.ledger.close()
      await database.end()
      await admin.end()
    },
  }
}
