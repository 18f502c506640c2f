// Compares the ledger with what was kept of it outside: each kept checkpoint has a number in the database that only grows, and is written
// outside after it was committed. A database whose number is lower has lost what was committed since. Nothing is scanned.
import { randomUUID } from 'node:crypto'
import { Fault } from '../../contract/fault.ts'
import type { EpochMs } from '../../json/clock.ts'
import { isUuid } from '../../json/id.ts'
import type { LedgerStanding, MissingPart, OutsideCheckpoint } from '../ports/outside.ts'
import type { Database } from './driver/database.ts'

export interface Outside extends LedgerStanding {
  /** Looks whether a person, at another process, has acknowledged what is missing. */
  lookAgain(): Promise<void>
  /** Something was written. */
  moved(): void
  /** Keeps the last of it. */
  close(): Promise<void>
}

interface Kept {
  readonly id: string
  readonly number: number
  readonly at: EpochMs
  /** The number of the newest group of facts. */
  readonly ticket: number
}

/** What was written so shortly before a crash may be missing without being noticed. */
const keepEveryMs = 200
const format = 'proviso.outside-checkpoint/1'

type WitnessRow = [number: number, at: number, ticket: number]

export async function openOutside(
  database: Database,
  checkpoint: OutsideCheckpoint,
  report: (fault: unknown) => void,
): Promise<Outside> {
  const text = await checkpoint.read()
  let kept = text === undefined ? undefined : readKept(text)
  const id = kept?.id ?? randomUUID()
  let missing = kept === undefined ? undefined : await compare(database, kept)
  let timer: ReturnType<typeof setTimeout> | undefined
  let keeping: Promise<void> = Promise.resolve()
  let isDue = false

  const keep = async () => {
    const [row] = await database.run<WitnessRow>('witness-move', [id, kept?.number ?? 0])
    if (row === undefined) return
    kept = keptOf(id, row)
    await checkpoint.write(writeKept(kept))
  }
  const keepNow = () => {
    clearTimeout(timer)
    timer = undefined
    isDue = false
    keeping = keeping.then(keep).catch((fault: unknown) => {
      // What could not be kept is kept with the next.
      isDue = true
      report(fault)
    })
    return keeping
  }
  if (missing === undefined) await keep()

  return {
    missing: () => missing,
    async lookAgain() {
      if (missing === undefined || kept === undefined) return
      const text = await checkpoint.read()
      const newest = text === undefined ? kept : readKept(text)
      missing = await compare(database, newest)
      if (missing === undefined) kept = newest
    },
    async acknowledge({ by, why }) {
      const found = missing
      if (found === undefined || kept === undefined) return undefined
      const word = { acknowledged: { ...found, by, why } }
      await database.run('witness-acknowledge', [id, kept.number, JSON.stringify(word)])
      missing = undefined
      await keep()
      return found
    },
    moved() {
      if (missing !== undefined) return
      isDue = true
      if (timer !== undefined) return
      timer = setTimeout(() => void keepNow(), keepEveryMs)
      timer.unref()
    },
    async close() {
      if (isDue) await keepNow()
      clearTimeout(timer)
      await keeping
    },
  }
}

async function compare(database: Database, kept: Kept): Promise<MissingPart | undefined> {
  const [row] = await database.run<WitnessRow>('witness', [kept.id])
  if (row === undefined) return { from: undefined, to: kept.at, groups: undefined }
  const [number, at, ticket] = row
  if (number >= kept.number) return undefined
  return { from: at as EpochMs, to: kept.at, groups: Math.max(0, kept.ticket - ticket) }
}

const keptOf = (id: string, [number, at, ticket]: WitnessRow): Kept => ({ id, number, at: at as EpochMs, ticket })

const writeKept = ({ id, number, at, ticket }: Kept): string =>
  `${JSON.stringify({ format, id, number, at: new Date(at).toISOString(), ticket })}\n`

function readKept(text: string): Kept {
  try {
    const { format: found, id, number, at, ticket } = JSON.parse(text) as Record<string, unknown>
    const moment = Date.parse(String(at))
    if (
      found === format &&
      typeof id === 'string' &&
      isUuid(id) &&
      Number.isSafeInteger(number) &&
      !Number.isNaN(moment)
    )
      return { id, number: number as number, at: moment as EpochMs, ticket: Number(ticket) }
  } catch {
    // It is no JSON.
  }
  throw new Fault('bad_options', 'What is kept outside is no checkpoint of a ledger. Is it the right file?')
}
