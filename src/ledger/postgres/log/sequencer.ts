// Puts committed groups into the log soon after, in an order without latecomers, one batch per transaction: leaves, tree, heads and cursor
// change together or not at all. Any process may do it; the one that holds the lock does, and no call ever waits for it.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { contentTag } from '../../log/tree/leaf.ts'
import type { Database } from '../driver/database.ts'
import { type Query, queryOn } from '../driver/query-on.ts'
import { createGroupAppender, type PendingRow } from './append-groups.ts'
import { frontierOf, type HeadRow } from './stored-tree.ts'

/** How long a group may be committed, with no older transaction running, and not be in the log while any process is alive. */
export const mergeDelayMs = 5_000
/** A fifth of the delay: each tick costs ten round trips, however little there is to do. */
const tickMs = 1_000
/** While the log is less far behind than this, the sequencer rests after each batch for three times as long as it took. */
const mayLagMs = mergeDelayMs / 2
const restFactor = 3
/** Small enough that a transaction stays short, large enough that its round trips do not count: 1,000 take about 50 ms. */
const batchSize = 1_000
/** Hashing pauses after so many, so that calls of the same process wait for a millisecond at most. */
const sliceSize = 100

export type CursorRow = [xid: string, ticket: number, at: number, moved: boolean, horizon: string, now: number]

interface Batch {
  readonly count: number
  /** `busy`: another process has the lock. */
  readonly end: 'done' | 'more' | 'busy'
  /** The last transaction that was put into the log, and the first that could not be yet. */
  readonly reached: bigint
  readonly horizon: bigint
}

export interface Sequencer {
  /** Puts everything into the log that may be put there now. Returns how many groups it was. */
  run(): Promise<number>
  /** Ends after the batch under way. */
  close(): Promise<void>
}

export interface SequencerOptions {
  /** False: only when it is asked to. */
  readonly ticks: boolean
  /** Called with the number of groups that a tick has put into the log; an error of it is reported, as one of a tick is. */
  readonly afterTick: (count: number) => Promise<void>
  readonly report: (fault: unknown) => void
}

export function createSequencer(database: Database, { ticks, afterTick, report }: SequencerOptions): Sequencer {
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false
  let drainedAt = performance.now()
  let current: Promise<unknown> = Promise.resolve()

  /** Groups that come after it began are left to the next turn: under traffic there would be no end. */
  const drain = async (wait: boolean): Promise<number> => {
    let count = 0
    let target: bigint | undefined
    for (;;) {
      const startedAt = performance.now()
      const batch = await sequenceBatch(database, wait)
      count += batch.count
      target ??= batch.horizon
      if (batch.end === 'done') drainedAt = performance.now()
      if (batch.end !== 'more' || batch.reached >= target || (closed && !wait)) return count
      const endedAt = performance.now()
      if (wait || endedAt - drainedAt > mayLagMs) await nextTurn()
      else await pause(restFactor * (endedAt - startedAt))
    }
  }

  const tick = async () => {
    try {
      const count = await drain(false)
      if (!closed) await afterTick(count)
    } catch (fault) {
      // The cursor has not moved: the next tick, of this process or another, begins there.
      report(fault)
    }
  }

  const schedule = () => {
    if (closed || !ticks) return
    timer = setTimeout(() => {
      current = tick().finally(schedule)
    }, tickMs)
    timer.unref()
  }
  schedule()

  return {
    run: () => drain(true),
    async close() {
      closed = true
      clearTimeout(timer)
      await current
    },
  }
}

function sequenceBatch(database: Database, wait: boolean): Promise<Batch> {
  return database.transaction(async (client) => {
    const query = queryOn(client)
    if (wait) await query('log-lock-wait')
    else {
      const [lock] = await query<[boolean]>('log-lock')
      if (lock?.[0] !== true) return { end: 'busy', count: 0, reached: 0n, horizon: 0n }
    }
    await query('log-settings')
    const [cursor] = await query<CursorRow>('log-cursor')
    if (cursor === undefined) throw new Error('The cursor of the log is gone.')
    const [xid, ticket, , moved, oldest] = cursor
    const horizon = BigInt(oldest)
    if (moved) return catchUp(query, cursor)
    const rows = await query<PendingRow>('log-pending', [xid, ticket, batchSize, contentTag])
    const last = rows.at(-1)
    if (last === undefined) return { end: 'done', count: 0, reached: horizon, horizon }
    const count = await appendRows(query, rows)
    await moveCursor(query, [xid, ticket], [last[0], last[1]])
    return { end: rows.length < batchSize ? 'done' : 'more', count, reached: BigInt(last[0]), horizon }
  })
}

/**
 * The database was moved to a server that counts transactions from a lower number: the old numbers mean nothing here. Groups without a leaf
 * are looked for row by row, once, and the cursor begins anew.
 */
async function catchUp(query: Query, [xid, ticket, , , horizon]: CursorRow): Promise<Batch> {
  const rows = await query<PendingRow>('log-unlogged', [null, null, batchSize, contentTag])
  const count = await appendRows(query, rows)
  if (rows.length < batchSize) await moveCursor(query, [xid, ticket], [horizon, 0])
  return { end: 'more', count, reached: 0n, horizon: BigInt(horizon) }
}

async function appendRows(query: Query, rows: readonly PendingRow[]): Promise<number> {
  const tenants = [...new Set(rows.map(([, , tenant]) => tenant))]
  const heads = await query<HeadRow>('log-heads', [tenants])
  const appender = createGroupAppender(new Map(heads.map((row) => [row[0], frontierOf(row)])))
  let at = 0
  for (const row of rows) {
    if (!row[7]) appender.add(row)
    if (++at % sliceSize === 0) await nextTurn()
  }
  if (appender.count > 0) await query('log-append', appender.values())
  return appender.count
}

async function moveCursor(query: Query, from: readonly [string, number], to: readonly [string, number]): Promise<void> {
  const moved = await query('log-move-cursor', [...from, ...to])
  if (moved.length !== 1) throw new Error('Another process has appended to the log meanwhile.')
}
