// The ledger on Postgres 15 and later. Calls that arrive together share their reading, their admission and their record; each is still
// decided by itself, and one that the database refuses hurts no other.
import { randomUUID } from 'node:crypto'
import type { PoolConfig } from 'pg'
import type { Escalation } from '../../contract/approval.ts'
import { type Clock, type EpochMs, systemClock } from '../../json/clock.ts'
import { hashFields } from '../../json/hash.ts'
import { isUuid } from '../../json/id.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { newestCalls } from '../call-filter.ts'
import type {
  Admission,
  AdmitRequest,
  Balance,
  CounterRef,
  Ledger,
  LookedUp,
  LookUp,
  PassEntry,
  Settlement,
} from '../ledger.ts'
import { type AdmitItem, type AdmitOutcome, admitBatch } from './admit.ts'
import { admittedOf } from './admitted.ts'
import { createApprovals } from './approvals.ts'
import { createBatcher } from './batch.ts'
import { callRecord } from './call-row.ts'
import { ownedName } from './counter-list.ts'
import { type Database, openDatabase } from './database.ts'
import { isConnectionLoss } from './errors.ts'
import { factsOf } from './facts-row.ts'
import { startJobs } from './jobs.ts'
import { createKeyRows } from './key-rows.ts'
import { type Labelling, labelRun } from './label-run.ts'
import { createLeases } from './leases.ts'
import { type LogOptions, openLog } from './log/open-log.ts'
import { lookUpBatch } from './look-up.ts'
import { type Chore, choresOf } from './maintenance.ts'
import { migrate } from './migrate.ts'
import { ensurePartitions } from './partitions.ts'
import { createPinRows } from './pins.ts'
import { createQuota, wideRate } from './quota.ts'
import { type RecordItem, recordBatch, recordItem } from './record.ts'
import { claimExpired, postponeSlot, resolveSlot, restartSlot, startMs } from './recovery.ts'
import { createSagaRows } from './sagas.ts'
import { createSeenCounters } from './seen-counters.ts'
import { createSightings } from './sightings.ts'
import { createTokenKey } from './token-key.ts'
import { createTrail } from './trail.ts'
import { beginTransaction } from './transaction.ts'
import { createVerifications } from './verifications.ts'
import { createVersionRows } from './versions.ts'

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
  return ledgerOn(database, options)
}

function ledgerOn(database: Database, options: PostgresOptions): Ledger {
  const { leaseMs = 15_000, patienceMs = 10_000, clock = systemClock } = options
  const writer = randomUUID()
  // On two cores a fourth batch only takes time from the others; on more it would wait for this process.
  const common = { maxItems: 128, maxInFlight: 3, patienceMs }
  const readings = createBatcher<LookUp, LookedUp>({ ...common, send: (items) => lookUpBatch(database, items) })
  const seenCounters = createSeenCounters()
  const admissions = createBatcher<AdmitItem, AdmitOutcome>({
    ...common,
    send: (items) => admitBatch({ database, leaseMs, seenCounters }, items),
    key: ({ request: { slot, tenant } }) => (slot === undefined ? undefined : ownedName(tenant, slot.key)),
  })
  const records = createBatcher<RecordItem, Settlement>({
    ...common,
    send: (items) => recordBatch(database, items, writer),
    key: ({ entry: { call } }) => call.id,
  })
  const labellings = createBatcher<Labelling, readonly string[]>({
    ...common,
    send: (items) => Promise.all(items.map((item) => labelRun(database, item))),
  })
  const leases = createLeases(database, clock, leaseMs)
  const sightings = createSightings(clock, leaseMs)
  const quota = createQuota(database, { clock, patienceMs })
  const report = (fault: unknown) => options.onFault?.(fault)
  const trail = createTrail(async (items) => {
    const written = await Promise.allSettled(items.map((item) => records.add(item)))
    return items.filter((_, index) => {
      const end = written[index]
      if (end?.status !== 'rejected') return false
      if (isConnectionLoss(end.reason)) return true
      // Its answer was given long ago: nobody else would hear of it.
      report(end.reason)
      return false
    })
  })
  const approvals = createApprovals(database)
  const log = openLog(database, options.log ?? {}, report)
  const chores = choresOf(database, log, { retentionDays: options.retentionDays, now: () => clock.now() })
  const jobs = startJobs(
    database,
    chores.map((chore) => reporting(chore, report)),
  )

  const admitSlot = async (request: AdmitRequest): Promise<Admission> => {
    const rated = request.rate.max >= wideRate
    const drawing = rated ? quota.drawRate(request) : undefined
    const waitMs = drawing === undefined ? undefined : await drawing
    if (waitMs !== undefined) return { kind: 'rate', retryAfterMs: waitMs }
    const sentAt = clock.monotonic()
    const admitted = request.entry === undefined ? undefined : admittedOf(request.entry)
    let generation = request.generation
    for (;;) {
      const outcome = await admissions.add({ request, generation, rated, admitted })
      if (outcome.kind === 'stale') {
        generation = outcome.generation
        continue
      }
      if (outcome.kind === 'admitted') leases.begin(request, outcome, sentAt, admitted)
      else if (rated) quota.giveBackRate(request)
      return outcome
    }
  }

  const balances = async (tenant: string, counters: readonly CounterRef[]): Promise<readonly Balance[]> => {
    const asked = [tenant, counters.map(({ name }) => name), counters.map(({ windowMs }) => windowMs ?? 0)]
    const rows = await database.read<[number, number, EpochMs | null]>(tenant, 'balances', asked)
    return rows.map(([used, raised, resetsAt]) => ({ used, raised, resetsAt: resetsAt ?? undefined }))
  }

  const record = async (entry: PassEntry): Promise<Settlement> => {
    const nonce = entry.settle?.nonce
    try {
      return await records.add({
        ...recordItem(entry),
        admitted: nonce === undefined ? undefined : leases.admitted(nonce),
      })
    } finally {
      // Settled or not: an attempt whose end could not be written is for others to look after.
      if (nonce !== undefined) leases.end(nonce)
    }
  }

  return {
    durability: 'durable',
    log,
    sagas: createSagaRows(database, { leaseMs, patienceMs }),
    versions: createVersionRows(database),
    pins: createPinRows(database),
    begin: (tenant) =>
      beginTransaction(database, { tenant, writer, role: options.toolRole, ended: (nonce) => leases.end(nonce) }),

    lookUp: (lookUp) => readings.add(lookUp),
    async slot(tenant, key, providerCallId) {
      const { slot } = await readings.add({ key: { ...nobody, tenant }, slot: { key, providerCallId } })
      return slot ?? { record: undefined, at: clock.now() }
    },
    async admit(request) {
      if (request.slot !== undefined || request.approval !== undefined || request.exact) return admitSlot(request)
      const refusal = await quota.draw(request)
      return refusal ?? { kind: 'admitted', generation: 1, attempt: 1, starts: 0, idempotencyKey: undefined }
    },
    mayStart: leases.mayStart,
    record(entry) {
      if (entry.trails !== true) return record(entry)
      const full = trail.add(entry)
      return full === undefined ? 'settled' : full.then(() => 'settled')
    },

    async call(id, tenant) {
      if (!isUuid(id)) return undefined
      const [row] = await database.read<[Buffer | null]>(tenant, 'call', [id])
      return row?.[0] == null ? undefined : callRecord(row[0])
    },
    async calls(query) {
      const { tenant, run, tool, status, effect, held, after } = query
      const filters = [tenant, run, tool, status, effect, after, held].map((filter) => filter ?? null)
      const [running, rows] = await Promise.all([
        database.read<[Buffer]>(tenant, 'running', [tenant ?? null]),
        database.read<[Buffer]>(tenant, 'calls', [...filters, query.limit ?? 100, query.before ?? null]),
      ])
      return newestCalls(
        running.map(([body]) => callRecord(body)),
        rows.map(([body]) => callRecord(body)),
        query,
      )
    },
    async facts(callId, tenant) {
      if (!isUuid(callId)) return []
      const rows = await database.read<[Buffer]>(tenant, 'facts', [callId])
      return rows.flatMap(([body]) => factsOf(callId, body))
    },

    async claim(query) {
      const sentAt = clock.monotonic()
      const claims = await claimExpired(database, query, sightings, writer)
      // What this process has in hand itself, it brings to its end itself, however long it was standing still.
      const others = claims.filter(({ slot }) => !leases.has(slot.nonce))
      for (const { slot } of others) leases.claim(slot.nonce, sentAt + query.forMs)
      return others
    },
    async restart(slot, restart) {
      const sentAt = clock.monotonic()
      const restarted = await restartSlot(database, slot, restart)
      if (restarted) leases.claim(restart.nonce, sentAt + startMs)
      return restarted
    },
    postpone: (slot, ms) => postponeSlot(database, slot, ms),
    resolve: (resolution) => resolveSlot(database, resolution, writer),
    verifications: createVerifications(database, writer),

    openApproval: approvals.open,
    findApproval: approvals.find,
    approval: approvals.get,
    approvals: approvals.list,
    decide: approvals.decide,
    resumable: approvals.resumable,
    grants: approvals.grants,
    revokeGrant: approvals.revokeGrant,
    signingKeys: createTokenKey(database, clock, options.log?.keyFile),
    keys: createKeyRows(database),

    async escalations(tenant) {
      const rows = await database.read<[Buffer]>(tenant, 'escalations', [tenant ?? null])
      return rows.map(([body]) => JSON.parse(body.toString()) as Escalation)
    },

    async labels(tenant, run) {
      const { labels = [] } = await readings.add({ key: { ...nobody, tenant, run }, slot: undefined, labels: true })
      return labels
    },
    addLabels: (tenant, run, labels, parent) => labellings.add({ tenant, run, labels, parent }),
    async countDenial(tenant, run, tool) {
      const [row] = await database.run<[string]>('count-denial', [tenant, `denied ${JSON.stringify([run, tool])}`])
      return Number(row?.[0] ?? 0)
    },

    async discover(tenant, run, tools) {
      await database.run('discover', [tenant, run, tools])
    },
    async discovered(tenant, run) {
      const [row] = await database.read<[string[]]>(tenant, 'discovered', [tenant, run])
      return new Set(row?.[0] ?? [])
    },

    async saveResult(tenant, callId, value) {
      const ref = hashFields('proviso.result.v1', [tenant, callId])
      await database.run('save-result', [tenant, ref, callId, Buffer.from(JSON.stringify(value))])
      return ref
    },
    async result(tenant, ref) {
      const [row] = await database.read<[Buffer]>(tenant, 'result', [tenant, ref])
      return row === undefined ? undefined : (JSON.parse(row[0].toString()) as JsonValue)
    },

    async saveContracts(contracts) {
      if (contracts.size === 0) return
      const bodies = [...contracts.values()].map((contract) => Buffer.from(JSON.stringify(contract)))
      await database.run('save-contracts', [[...contracts.keys()], bodies])
    },
    async contract(hash) {
      const [row] = await database.run<[Buffer]>('contract', [hash])
      return row === undefined ? undefined : (JSON.parse(row[0].toString()) as JsonObject)
    },

    balances,
    async raise({ id, tenant, name, windowMs, amount, by, why }) {
      await database.run('raise-limit', [tenant, id, name, windowMs ?? 0, amount, by, why])
      const [balance] = await balances(tenant, [{ name, windowMs }])
      return balance ?? { used: 0, raised: amount, resetsAt: undefined }
    },

    async close() {
      try {
        await trail.flush()
        await Promise.all([readings.idle(), admissions.idle(), records.idle(), labellings.idle()])
      } finally {
        leases.close()
        await jobs.close()
        await log.close()
        await database.end()
        await options.onClose?.()
      }
    },
  }
}

/** The key of no call. */
const nobody = { run: undefined, providerCallId: undefined, tool: '', inputHash: '' } as const

/** A chore that fails is tried again with its next turn; somebody should know that it did. */
const reporting = (chore: Chore, report: (fault: unknown) => void): Chore => ({
  ...chore,
  run: () =>
    chore.run().catch((fault: unknown) => {
      report(fault)
      throw fault
    }),
})
