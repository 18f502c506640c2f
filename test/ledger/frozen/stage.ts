// Where the rows of a family are played: each in a tenant of its own. In memory every row has a ledger; on Postgres all share one
// database, whose clock is moved once all of them wait for it, so that they share its statements as well.
import pg from 'pg'
import { epochMs } from '../../../src/json/clock.ts'
import { memory } from '../../../src/ledger/memory/memory.ts'
import { openDatabase } from '../../../src/ledger/postgres/driver/database.ts'
import { postgres } from '../../../src/ledger/postgres/postgres.ts'
import { expireSlots } from '../../../src/ledger/postgres/upkeep/maintenance.ts'
import { callId } from '../requests.ts'
import { standClock } from '../standing-clock.ts'
import type { Ledger } from './port.ts'

/** When every row begins. A multiple of all lengths of windows that rows ask for. */
export const beginning = 2_900 * 7 * 86_400_000

/** So long that no owner renews its leases while rows are played. */
export const leaseMs = 3_600_000

/** One row's place: a tenant, ids that are its own, and the clock. */
export interface Place {
  readonly ledger: Ledger
  /** The same store as other processes have it. */
  readonly others: readonly Ledger[]
  readonly tenant: string
  call(number: number): string
  nonce(number: number): string
  question(number: number): string
  /** A thousand more calls, of which nothing else is asked. */
  many(number: number): string
  /** Goes on at so many milliseconds after the beginning. */
  at(ms: number): Promise<void>
  /** The same, once what is past its time was swept; memory sweeps nothing. */
  sweptAt(ms: number): Promise<void>
}

export type Play<T> = (place: Place) => Promise<T>

export interface Stage {
  readonly engine: 'memory' | 'postgres'
  /** All at once; the results in the order of the plays. */
  playAll<T>(plays: readonly Play<T>[]): Promise<readonly T[]>
  /** One after another, so that each has the database's statements to itself. */
  playAlone<T>(plays: readonly Play<T>[]): Promise<readonly T[]>
  close(): Promise<void>
}

/** Ids are unique in a database; each row has room for forty of a kind. */
const idsOf = (row: number) => ({
  tenant: `tenant-${row}`,
  call: (number: number) => callId(10_000_000 + row * 40 + number),
  nonce: (number: number) => callId(20_000_000_000 + row * 40 + number),
  question: (number: number) => callId(30_000_000_000 + row * 40 + number),
  many: (number: number) => callId(40_000_000_000 + row * 2_000 + number),
})

export type Wrap = (ledger: Ledger) => Ledger

/** `wrap` puts a fault between the row and the ledger. */
export function memoryStage(wrap: Wrap = (ledger) => ledger): Stage {
  let rows = 0
  const playOne = <T>(play: Play<T>): Promise<T> => {
    let now = beginning
    const ledger = wrap(memory({ clock: { now: () => epochMs(now), monotonic: () => now - beginning } }))
    const at = async (ms: number) => {
      now = beginning + ms
    }
    return play({ ...idsOf(++rows), ledger, others: [ledger, ledger], at, sweptAt: at })
  }
  const playAll = <T>(plays: readonly Play<T>[]) => Promise.all(plays.map(playOne))
  return { engine: 'memory', playAll, playAlone: playAll, async close() {} }
}

/** More rows at once would wait too long for a connection. */
const crowd = 128

/** On an empty, migrated database. */
export async function postgresStage(url: string): Promise<Stage> {
  const admin = new pg.Client(url)
  await admin.connect()
  const setClock = await standClock(admin)
  await setClock(beginning)
  // A log for each of ten thousand tenants would take half of the time.
  const options = { leaseMs, log: { sequence: false } }
  const ledgers = await Promise.all([4, 1, 1].map((connections) => postgres(url, { ...options, connections })))
  const [ledger, ...others] = ledgers
  if (ledger === undefined) throw new Error('No ledger was opened.')
  const database = openDatabase({ connectionString: url, max: 1 })
  let rows = 0

  const playCrowd = async <T>(plays: readonly Play<T>[]): Promise<readonly T[]> => {
    await setClock(beginning)
    const time = createTime(plays.length, async (ms, swept) => {
      await setClock(beginning + ms)
      if (swept) await expireSlots(database)
    })
    return Promise.all(
      plays.map(async (play) => {
        const at = (ms: number) => time.reach(ms, false)
        const sweptAt = (ms: number) => time.reach(ms, true)
        try {
          return await play({ ...idsOf(++rows), ledger, others, at, sweptAt })
        } finally {
          time.leave()
        }
      }),
    )
  }

  const inCrowds = async <T>(plays: readonly Play<T>[], size: number): Promise<readonly T[]> => {
    const results: T[] = []
    for (let from = 0; from < plays.length; from += size)
      results.push(...(await playCrowd(plays.slice(from, from + size))))
    return results
  }

  return {
    engine: 'postgres',
    playAll: (plays) => inCrowds(plays, crowd),
    playAlone: (plays) => inCrowds(plays, 1),
    async close() {
      for (const each of ledgers) await each.close()
      await database.end()
      await admin.end()
    },
  }
}

interface Waiting {
  readonly ms: number
  readonly swept: boolean
  readonly goOn: () => void
}

/** Moves once all rows that are still playing wait for it, to the earliest moment that one of them waits for. */
function createTime(rows: number, move: (ms: number, swept: boolean) => Promise<void>) {
  let busy = rows
  let waiting: Waiting[] = []
  const pass = async () => {
    if (busy > 0 || waiting.length === 0) return
    const ms = Math.min(...waiting.map((each) => each.ms))
    const due = waiting.filter((each) => each.ms === ms)
    waiting = waiting.filter((each) => each.ms !== ms)
    busy = due.length
    await move(
      ms,
      due.some((each) => each.swept),
    )
    for (const each of due) each.goOn()
  }
  return {
    reach: (ms: number, swept: boolean) =>
      new Promise<void>((goOn, fail) => {
        waiting.push({ ms, swept, goOn })
        busy--
        pass().catch(fail)
      }),
    leave() {
      busy--
      void pass()
    },
  }
}
