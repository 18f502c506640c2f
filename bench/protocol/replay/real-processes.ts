// The processes of a history on a real database: each a ledger of its own, with its own session and its own clock. The database's clock
// stands still until it is moved.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Awaitable } from '../../../src/contract/tool/executor.ts'
import { type EpochMs, epochMs } from '../../../src/json/clock.ts'
import { toolUrlOf } from '../../../src/ledger/embedded/settings.ts'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import { type Database, openDatabase } from '../../../src/ledger/postgres/driver/database.ts'
import { postgres } from '../../../src/ledger/postgres/postgres.ts'
import { unseenOwner } from '../../../src/ledger/postgres/write/owner.ts'
import { standClock } from '../../../test/ledger/standing-clock.ts'
import { leaseMs, type Setting, tickMs } from '../setting.ts'

export interface RealProcess {
  readonly ledger: Ledger
  /** The lock that its session holds, and each session that it has after it. */
  readonly lock: string
  /** Its own clock, in milliseconds. */
  now: number
}

export interface OwnAttempt {
  readonly tenant: string
  readonly key: string
  readonly generation: number
  readonly nonce: string
}

export interface RealProcesses {
  readonly database: Database
  readonly admin: pg.Client
  /** The database's clock. */
  now(): EpochMs
  /** Moves the database's clock, and that of each process that is named. */
  pass(processes: readonly RealProcess[], ticks?: number): Promise<void>
  /** As the setting has it, it may not end the sessions of others. */
  open(setting: Setting): Promise<RealProcess>
  /** An attempt has an owner: where the setting gives no sessions, one that cannot be seen. */
  admitted(tenant: string, nonce: string, setting: Setting): Promise<void>
  /** Does something while no other operation of this tenant is due. */
  alone<T>(tenant: string, nonce: string, work: () => Awaitable<T>): Promise<T>
  /** Its session is ended, and it is never used again. */
  kill(process: RealProcess): Promise<void>
  /** As a process renews the lease of one attempt: how many were renewed. */
  renew(attempt: OwnAttempt): Promise<number>
  endSession(process: RealProcess): Promise<void>
  /** Waits until it has a session again, where it has lost one. */
  regain(process: RealProcess): Promise<void>
  close(): Promise<void>
}

/** It may do all but end sessions of the server's first role, which all connections have come as. */
const powerlessRole = 'powerless'

/** Any moment will do. */
const beginning = 2_900 * 7 * 86_400_000

export async function openProcesses(url: string): Promise<RealProcesses> {
  const admin = new pg.Client(url)
  await admin.connect()
  const setClock = await standClock(admin)
  await admin.query(
    `create role ${powerlessRole}; do $$ begin execute format('grant %I to ${powerlessRole}', current_user); end $$`,
  )
  let now = beginning
  await setClock(now)
  const database = openDatabase({ connectionString: url, max: 2 })
  const open = new Set<RealProcess>()

  const sessions = async (): Promise<ReadonlyMap<string, number>> => {
    const { rows } = await admin.query<{ lock: string; pid: number }>(
      `select l.classid || ' ' || l.objid as lock, l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'advisory' and l.granted and a.application_name = 'proviso owner' and a.datname = current_database()`,
    )
    return new Map(rows.map(({ lock, pid }) => [lock, pid]))
  }
  const known = new Set<string>()
  const newLock = async (): Promise<string> => {
    for (;;) {
      const lock = [...(await sessions()).keys()].find((each) => !known.has(each))
      if (lock !== undefined) {
        known.add(lock)
        return lock
      }
      await sleep(5)
    }
  }
  const until = async (there: boolean, { lock }: RealProcess): Promise<void> => {
    while ((await sessions()).has(lock) !== there) await sleep(5)
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
    async open({ powerless }) {
      const clock = { now: () => epochMs(process.now), monotonic: () => process.now - beginning }
      const process: RealProcess = { ledger: undefined as unknown as Ledger, lock: '', now }
      const driver = powerless === true ? { options: `-c role=${powerlessRole}` } : {}
      // The role of tools is no member of the one without rights.
      const toolUrl = `${toolUrlOf(url)}${powerless === true ? '&options=-c%20jit%3Doff' : ''}`
      const ledger = await postgres(url, { toolUrl, leaseMs, connections: 2, clock, log: { sequence: false }, driver })
      Object.assign(process, { ledger, lock: await newLock() })
      open.add(process)
      return process
    },
    async admitted(tenant, nonce, { poolers }) {
      if (poolers !== true) return
      await admin.query('update proviso.idempotency_keys set owner = $3 where tenant_id = $1 and nonce = $2', [
        tenant,
        nonce,
        unseenOwner,
      ])
    },
    async alone(tenant, nonce, work) {
      const move = (years: number) =>
        admin.query(
          `update proviso.idempotency_keys set look_after = look_after + $3 * interval '1 year'
           where tenant_id = $1 and nonce <> $2`,
          [tenant, nonce, years],
        )
      await move(100)
      const done = await work()
      await move(-100)
      return done
    },
    async kill(process) {
      open.delete(process)
      await process.ledger.close()
      await until(false, process)
    },
    async renew({ tenant, key, generation, nonce }) {
      const rows = await database.run('renew-leases', [[tenant], [key], [generation], [nonce], leaseMs])
      return rows.length
    },
    async endSession({ lock }) {
      await admin.query('select pg_terminate_backend($1, 1000)', [(await sessions()).get(lock)])
    },
    regain: (process) => until(true, process),
    async close() {
      for (const process of open) await process.ledger.close()
      await database.end()
      await admin.end()
    },
  }
}
