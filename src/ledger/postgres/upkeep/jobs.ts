// The runner of chores. Where pg-boss is installed they are durable jobs in a schema of their own: scheduled once for all processes, and run
// by one that is alive. Without it each process has an interval, and the process that gets the lock does the chore.
import type { Database } from '../driver/database.ts'
import type { Chore } from './maintenance.ts'

export interface Jobs {
  close(): Promise<void>
}

const schema = 'proviso_jobs'
/** A process that ends sooner leaves the chores to others: a short command sets up no queues. */
const startAfterMs = 30_000
const pollSeconds = 20

export function startJobs(database: Database, chores: readonly Chore[], delayMs: number = startAfterMs): Jobs {
  let closed = false
  let running: Promise<Jobs> | undefined
  const timer = setTimeout(() => {
    if (!closed) running = runOnQueue(database, chores).catch(() => runOnIntervals(database, chores))
  }, delayMs)
  timer.unref()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await (await running)?.close()
    },
  }
}

async function runOnQueue(database: Database, chores: readonly Chore[]): Promise<Jobs> {
  const { PgBoss } = await import('pg-boss')
  const boss = new PgBoss({
    schema,
    db: { executeSql: (text, values) => execute(database, text, values) },
    superviseIntervalSeconds: 300,
    cronWorkerIntervalSeconds: 20,
    cronMonitorIntervalSeconds: 30,
  })
  // What fails is tried again by the next schedule; no call depends on it.
  boss.on('error', () => undefined)
  boss.on('warning', () => undefined)
  await boss.start()
  for (const { name, cron, run } of chores) {
    // Exclusive: while one is waiting or under way, no second is queued.
    await boss.createQueue(name, { policy: 'exclusive', retryLimit: 2, expireInSeconds: 900 })
    await boss.work(name, { pollingIntervalSeconds: pollSeconds }, run)
    await boss.schedule(name, cron)
  }
  return { close: () => boss.stop({ graceful: true, timeout: 5_000, close: false }) }
}

async function execute(
  database: Database,
  text: string,
  values: readonly unknown[] | undefined,
): Promise<{ rows: Record<string, unknown>[] }> {
  const client = await database.connect()
  let broken = true
  try {
    const result = await client.query<Record<string, unknown>>(text, values as unknown[] | undefined)
    broken = false
    // Several statements in one text have several results; the last one counts.
    const last = Array.isArray(result) ? (result.at(-1) as typeof result | undefined) : result
    return { rows: last?.rows ?? [] }
  } finally {
    client.release(broken)
  }
}

export function runOnIntervals(database: Database, chores: readonly Chore[]): Jobs {
  let closed = false
  const timers = chores.map((chore, index) => {
    const timer = setInterval(() => {
      // A chore reports its own faults; without a connection for the lock, the next turn tries again.
      if (!closed) void underLock(database, index, chore).catch(() => undefined)
    }, chore.everyMs)
    timer.unref()
    return timer
  })
  return {
    async close() {
      closed = true
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** The lock is held by a connection that does nothing else, for as long as the chore takes. */
async function underLock(database: Database, index: number, chore: Chore): Promise<void> {
  await database.transaction(async (client) => {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1, $2) as locked', [
      746_692,
      index,
    ])
    if (rows[0]?.locked === true) await chore.run()
  })
}
