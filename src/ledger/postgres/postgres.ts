// The ledger on Postgres 15 and later: opens the database and puts the parts together.
import { randomUUID } from 'node:crypto'
import type { PoolConfig } from 'pg'
import { type Clock, systemClock } from '../../json/clock.ts'
import type { Ledger } from '../ports/ledger.ts'
import { type Database, openDatabase } from './driver/database.ts'
import { type LogOptions, openLog } from './log/open-log.ts'
import { migrate } from './migrate.ts'
import { createReadings } from './read/look-up.ts'
import { createApprovals } from './stores/approvals.ts'
import { createCallRows } from './stores/calls.ts'
import { createKeyRows } from './stores/keys.ts'
import { createLimitRows } from './stores/limits.ts'
import { createPinRows } from './stores/pins.ts'
import { createResultRows } from './stores/results.ts'
import { createRunRows } from './stores/runs.ts'
import { createSagaRows } from './stores/sagas.ts'
import { createTokenKey } from './stores/token-key.ts'
import { createVerifications } from './stores/verifications.ts'
import { createVersionRows } from './stores/versions.ts'
import { startJobs } from './upkeep/jobs.ts'
import { type Chore, choresOf, ensurePartitions } from './upkeep/maintenance.ts'
import type { Work } from './work.ts'
import { createOperations } from './write/operations.ts'
import { type OwnerSession, openOwner } from './write/owner.ts'

export interface PostgresOptions {
  /** Connections of this process; 10 by default. */
  readonly connections?: number
  /** For how long an attempt counts as alive after its process was last heard of; 15 s by default. */
  readonly leaseMs?: number
  /** How long a call waits for a database that is gone; 10 s by default. */
  readonly patienceMs?: number
  /** A connection on which an answer is owed for so long counts as lost; 15 s by default, 0: for ever. */
  readonly answerMs?: number
  readonly clock?: Clock
  /** The transparency log of what is recorded here. */
  readonly log?: LogOptions
  /** Calls older than this lose their content, by whole weeks; kept for ever by default. */
  readonly retentionDays?: number
  /** The role that tools which commit with the ledger run their statements as; it should see their own tables and none of the ledger's. */
  readonly toolRole?: string
  /** Whether the tables are made where there are none; otherwise that is an error. */
  readonly make?: boolean
  /** What the driver takes besides, such as certificates; in place of its `query_timeout` there is `answerMs`. Lifetimes of connections are kept to within ten seconds. */
  readonly driver?: Omit<
    PoolConfig,
    'connectionString' | 'max' | 'pipeline' | 'maxUses' | 'allowExitOnIdle' | 'query_timeout'
  >
  /** Told what fails behind the calls: sequencing the log, upkeep. */
  readonly onFault?: (fault: unknown) => void
  /** Called when the ledger is closed. */
  readonly onClose?: () => Promise<void>
}

/** A ledger in the database behind this URL; its tables are made or brought up to date first. */
export async function postgres(url: string, options: PostgresOptions = {}): Promise<Ledger> {
  const database = openDatabase({
    connectionTimeoutMillis: 5_000,
    application_name: 'proviso',
    // A server that is gone without a word is found out also where its answer is waited for.
    keepAlive: true,
    ...options.driver,
    connectionString: url,
    max: options.connections ?? 10,
    answerMs: options.answerMs,
  })
  try {
    await migrate(database, { make: options.make ?? true, connection: { ...options.driver, connectionString: url } })
    // Without them rows go to the default partition: no reason not to open.
    await ensurePartitions(database).catch(() => undefined)
  } catch (error) {
    await database.end()
    throw error
  }
  try {
    const writer = randomUUID()
    const owner = await openOwner(database, writer, (fault) => options.onFault?.(fault))
    try {
      return ledgerOn(database, { writer, owner }, options)
    } catch (error) {
      await owner.close()
      throw error
    }
  } catch (error) {
    await database.end()
    throw error
  }
}

interface Process {
  /** Names this process in what it writes. */
  readonly writer: string
  readonly owner: OwnerSession
}

function ledgerOn(database: Database, { writer, owner }: Process, options: PostgresOptions): Ledger {
  const { leaseMs = 15_000, patienceMs = 10_000, clock = systemClock } = options
  const report = (fault: unknown) => options.onFault?.(fault)
  const work: Work = { database, clock, leaseMs, patienceMs, writer, report }
  const readings = createReadings(work)
  const runs = createRunRows(work, readings)
  const operations = createOperations(work, { readings, owner, toolRole: options.toolRole })
  const log = openLog(database, options.log ?? {}, report)
  const chores = choresOf(database, log, { retentionDays: options.retentionDays, now: () => clock.now() })
  const jobs = startJobs(
    database,
    chores.map((chore) => reporting(chore, report)),
  )

  return {
    durability: 'durable',
    operations,
    calls: createCallRows(database),
    approvals: createApprovals(database, createTokenKey(database, clock, options.log?.keyFile)),
    limits: createLimitRows(database),
    runs,
    results: createResultRows(database),
    sagas: createSagaRows(database, { leaseMs, patienceMs }),
    versions: createVersionRows(database),
    pins: createPinRows(database),
    verifications: createVerifications(database, writer),
    keys: createKeyRows(database),
    log,
    async close() {
      try {
        await Promise.all([readings.idle(), operations.flush(), runs.idle()])
      } finally {
        operations.close()
        await owner.close()
        await jobs.close()
        await log.close()
        await database.end()
        await options.onClose?.()
      }
    },
  }
}

/** A chore that fails is tried again with its next turn; the host is told that it failed. */
const reporting = (chore: Chore, report: (fault: unknown) => void): Chore => ({
  ...chore,
  run: () =>
    chore.run().catch((fault: unknown) => {
      report(fault)
      throw fault
    }),
})
