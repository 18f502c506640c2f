// The ledger on Postgres 15 and later: opens the database and puts the parts together.
import { randomUUID } from 'node:crypto'
import { systemClock } from '../../json/clock.ts'
import { atMost, closable } from '../closing.ts'
import type { Ledger } from '../ports/ledger.ts'
import { withStanding } from '../standing.ts'
import { type Database, openDatabase } from './driver/database.ts'
import { throughCuts } from './driver/errors.ts'
import { openLog } from './log/open-log.ts'
import { migrate } from './migrate.ts'
import { checkPostgres, type PostgresOptions } from './options.ts'
import { type Outside, openOutside } from './outside.ts'
import { createReadings } from './read/look-up.ts'
import { createApprovalRows } from './stores/approvals.ts'
import { createCallRows } from './stores/calls.ts'
import { createKeyRows } from './stores/keys.ts'
import { createLimitRows } from './stores/limits.ts'
import { createPinRows } from './stores/pins.ts'
import { createRepairRows } from './stores/repairs.ts'
import { createResultRows } from './stores/results.ts'
import { createRunRows } from './stores/runs.ts'
import { createSagaRows } from './stores/sagas.ts'
import { createTokenKey } from './stores/token-key.ts'
import { createVerifications } from './stores/verifications.ts'
import { createVersionRows } from './stores/versions.ts'
import { admitToolRole } from './tool-role.ts'
import { startJobs } from './upkeep/jobs.ts'
import { type Chore, choresOf, ensurePartitions } from './upkeep/maintenance.ts'
import type { StoreWork } from './work.ts'
import { createOperations } from './write/operations.ts'
import { type OwnerSession, openOwner } from './write/owner.ts'
import { createRunKeys } from './write/run-keys.ts'

/** A ledger in the database behind this URL; its tables are made or brought up to date first. */
export async function postgres(url: string, options: PostgresOptions = {}): Promise<Ledger> {
  checkPostgres(url, options)
  // What was being made when a connection was cut is made again, or found done.
  return throughCuts(options.patienceMs ?? 10_000, () => openOnce(url, options))
}

async function openOnce(url: string, options: PostgresOptions): Promise<Ledger> {
  const opened = (connectionString: string) =>
    openDatabase({
      connectionTimeoutMillis: 5_000,
      application_name: 'proviso',
      // A server that is gone without a word is found out also where its answer is waited for.
      keepAlive: true,
      ...options.driver,
      connectionString,
      max: options.connections ?? 10,
      answerMs: options.answerMs,
      patienceMs: options.patienceMs,
    })
  const database = opened(url)
  try {
    await migrate(database, { make: options.make ?? true, connection: { ...options.driver, connectionString: url } })
    // Without them rows go to the default partition: no reason not to open.
    await ensurePartitions(database).catch(() => undefined)
    if (options.toolUrl !== undefined) await admitToolRole(database, options.toolUrl)
  } catch (error) {
    await database.end()
    throw error
  }
  try {
    const writer = randomUUID()
    const owner = await openOwner(database, writer, (fault) => options.onFault?.(fault))
    try {
      const { checkpoint } = options
      const outside = checkpoint && (await openOutside(database, checkpoint, (fault) => options.onFault?.(fault)))
      const tools = options.toolUrl === undefined ? undefined : opened(options.toolUrl)
      return ledgerOn(database, { writer, owner, tools, outside }, options)
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
  /** The connections of tools that commit with the ledger. */
  readonly tools: Database | undefined
  /** What is kept of the ledger outside, where something is. */
  readonly outside: Outside | undefined
}

function ledgerOn(database: Database, { writer, owner, tools, outside }: Process, options: PostgresOptions): Ledger {
  const { leaseMs = 15_000, patienceMs = 10_000, clock = systemClock } = options
  const report = (fault: unknown) => options.onFault?.(fault)
  const work: StoreWork = { database, clock, leaseMs, patienceMs, writer, report, runKeys: createRunKeys() }
  const readings = createReadings(work)
  const runs = createRunRows(work, readings)
  const operations = createOperations(work, { readings, owner, tools })
  // On an older copy nothing is written, not even by this process itself.
  const isOlder = () => outside?.missing() !== undefined
  const log = openLog(database, isOlder() ? { ...options.log, sequence: false } : (options.log ?? {}), report)
  const repairs = createRepairRows(database)
  const chores = choresOf(database, { log, repairs }, { retentionDays: options.retentionDays, now: () => clock.now() })
  const jobs = startJobs(
    database,
    chores.map((chore) => reporting(chore, report, isOlder)),
  )

  const ports: Omit<Ledger, 'close'> = {
    durability: 'durable',
    operations,
    calls: createCallRows(database),
    approvals: createApprovalRows(database, createTokenKey(database, clock, options.log?.keyFile)),
    limits: createLimitRows(database),
    runs,
    repairs,
    results: createResultRows(database),
    sagas: createSagaRows(database, { leaseMs, patienceMs }),
    versions: createVersionRows(database),
    pins: createPinRows(database),
    verifications: createVerifications(database, writer),
    keys: createKeyRows(database),
    log,
  }
  const ledger = outside === undefined ? ports : withStanding(ports, outside)
  /** Each is tried, also after another failed; the first failure is thrown. */
  const ends: readonly (() => unknown)[] = [
    () => atMost(patienceMs, Promise.all([readings.idle(), operations.flush(), runs.idle()])),
    operations.close,
    owner.close,
    () => atMost(patienceMs, Promise.all([jobs.close(), log.close()])),
    () => outside?.close(),
    () => tools?.end(),
    database.end,
    () => options.onClose?.(),
  ]
  return closable(ledger, {
    patienceMs,
    async end() {
      const faults: unknown[] = []
      for (const end of ends) {
        try {
          await end()
        } catch (fault) {
          faults.push(fault)
        }
      }
      if (faults.length > 0) throw faults[0]
    },
  })
}

/** A chore that fails is tried again with its next turn; the host is told that it failed. */
const reporting = (chore: Chore, report: (fault: unknown) => void, isOlder: () => boolean): Chore => ({
  ...chore,
  run: () =>
    (isOlder() ? Promise.resolve() : chore.run()).catch((fault: unknown) => {
      report(fault)
      throw fault
    }),
})
