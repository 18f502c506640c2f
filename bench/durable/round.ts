// One round: so many lanes, each making one call after the other until the time is up. Invariant: a call counts when it has ended, and
// the round lasts until the last one has, and what is done beside them: no other round pays for it.
import type { Contender } from './contender.ts'

export interface Round {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Of this process, in microseconds a call; the database's own is not in it. */
  readonly cpuMicros: number
  /** What the server wrote into its log meanwhile, in bytes a call. */
  readonly walBytes: number
}

export interface Setting {
  readonly lanes: number
  readonly seconds: number
  /** How many bytes of log the server has written so far. */
  readonly logPosition: () => Promise<number>
}

let lastNumber = 0

export async function runRound(contender: Contender, { lanes, seconds, logPosition }: Setting): Promise<Round> {
  await contender.wake?.()
  const millis: number[] = []
  const positionBefore = await logPosition()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  const walk = async (lane: number) => {
    for (let from = performance.now(); from < endsAt; ) {
      await contender.call(++lastNumber, lane)
      const now = performance.now()
      millis.push(now - from)
      from = now
    }
  }
  await Promise.all([contender.beside?.(endsAt), ...Array.from({ length: lanes }, (_, lane) => walk(lane))])
  const elapsed = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  const written = (await logPosition()) - positionBefore
  await contender.rest?.()
  millis.sort((a, b) => a - b)
  return {
    perSecond: (millis.length / elapsed) * 1_000,
    p50: millis[Math.floor((millis.length - 1) * 0.5)] ?? Number.NaN,
    p99: millis[Math.floor((millis.length - 1) * 0.99)] ?? Number.NaN,
    cpuMicros: (user + system) / millis.length,
    walBytes: written / millis.length,
  }
}

/** Rounds of all contenders in turn, each time in the other order, so that a busy machine disturbs all of them alike. */
export async function alternate(
  contenders: readonly Contender[],
  { rounds, ...setting }: Setting & { readonly rounds: number },
): Promise<ReadonlyMap<string, readonly Round[]>> {
  const taken = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      taken.get(contender.name)?.push(await runRound(contender, setting))
    }
  }
  return taken
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** The median of one round against the round of the same turn. */
export function medianRatio(ours: readonly Round[], theirs: readonly Round[], pick: (round: Round) => number): number {
  return median(ours.map((round, index) => pick(round) / pick(theirs[index] as Round)))
}
