// The chores of a ledger: partitions made ahead, slots past their time expired, old content retired, checkpoints sent away. Each is safe to
// run twice and at once; jobs.ts runs them.
import { type EpochMs, epochMs, toIso } from '../../../json/clock.ts'
import type { Database } from '../driver/database.ts'
import type { OpenLog } from '../log/open-log.ts'
import type { RepairRows } from '../stores/repairs.ts'

export interface Chore {
  /** Names the queue: only processes that can do it take from it. */
  readonly name: 'upkeep' | 'retention' | 'checkpoints'
  /** When, as cron has it. */
  readonly cron: string
  readonly everyMs: number
  run(): Promise<void>
}

/** A slot may keep its answer longer than it must; a ledger of three million is walked through in a few hours. */
const pieceSize = 2_000
const piecesAtOnce = 40

const weeksAhead = 3

/**
 * Weekly partitions of calls and facts: what has none goes to the default partition and is never lost. It asks first, because making takes
 * a lock that calls wait for.
 */
export async function ensurePartitions(database: Database): Promise<void> {
  const [due] = await database.run<[boolean]>('partitions-due', [])
  if (due?.[0] === true) await database.run('ensure-partitions', [weeksAhead])
}

export interface ChoreOptions {
  readonly retentionDays: number | undefined
  readonly now: () => EpochMs
}

/** Older than every record. */
const firstWeek = Date.UTC(2024, 0, 8)

/** The chores that this process can do. */
export function choresOf(
  database: Database,
  { log, repairs }: { readonly log: OpenLog; readonly repairs: Pick<RepairRows, 'tidy'> },
  { retentionDays, now }: ChoreOptions,
): readonly Chore[] {
  let place = firstPlace
  const chores: Chore[] = [
    {
      name: 'upkeep',
      cron: '*/5 * * * *',
      everyMs: 300_000,
      async run() {
        await ensurePartitions(database)
        place = await expireSlots(database, place)
        await database.run('log-thin-checkpoints', [])
        await repairs.tidy()
      },
    },
  ]
  if (retentionDays !== undefined) {
    const run = async () => {
      const before = epochMs(now() - retentionDays * 86_400_000)
      // Nothing is that old yet.
      if (before < firstWeek) return
      const reason = `kept for ${retentionDays} days, until ${toIso(before)}`
      const retired = await log.retire({ before, reason })
      if (!retired.ok) throw new Error(retired.reason)
    }
    chores.push({ name: 'retention', cron: '17 * * * *', everyMs: 3_600_000, run })
  }
  const { publish } = log
  if (publish !== undefined) {
    const run = async () => {
      const reason = await publish()
      if (reason !== undefined) throw new Error(reason)
    }
    chores.push({ name: 'checkpoints', cron: '* * * * *', everyMs: 60_000, run })
  }
  return chores
}

type Place = readonly [tenant: string, slotKey: string, generation: number]

const firstPlace: Place = ['', '', 0]

/** A slot past its time forgets its answer and stays as a mark that rejects. Gives where the next walk goes on. */
export async function expireSlots(database: Database, from: Place = firstPlace): Promise<Place> {
  let place = from
  for (let piece = 0; piece < piecesAtOnce; piece++) {
    const [row] = await database.run<[string, string, number, number]>('expire', [pieceSize, ...place])
    if (row === undefined) return firstPlace
    place = [row[0], row[1], row[2]]
  }
  return place
}
