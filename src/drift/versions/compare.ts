// Two versions of a tool side by side, counted from the calls on record: how they ended, what they did, how long they took, and where they
// were refused. Reads a page at a time, newest first, and says where it stopped.
import type { Effect } from '../../contract/call/answer.ts'
import { Fault } from '../../contract/fault.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'

export interface CompareOptions {
  /** Only calls made since then. */
  readonly since?: Date | number
  readonly tenant?: string
  /** How many calls of the tool are looked at in all, newest first; 100,000 by default. */
  readonly limit?: number
}

export interface VersionCount {
  readonly version: string
  readonly calls: number
  readonly statuses: { readonly [status: string]: number }
  readonly effects: { readonly [E in Effect]: number }
  /** Of calls that succeeded, in milliseconds; null where none did. */
  readonly latency: { readonly p50: number | null; readonly p99: number | null }
  /** By the phase that refused, in its last pass. */
  readonly refusals: { readonly [phase: string]: number }
}

export interface VersionComparison {
  readonly tool: string
  readonly versions: readonly [VersionCount, VersionCount]
  /** Calls of the tool that were looked at, other versions included. */
  readonly looked: number
  /** Whether there are older calls that were not looked at. */
  readonly cut: boolean
}

const pageSize = 1_000
const maxCalls = 100_000
/** Facts of refused calls are read this many at a time. */
const atOnce = 16

interface Tally {
  readonly statuses: Map<string, number>
  readonly effects: Record<Effect, number>
  readonly latencies: number[]
  readonly refusals: Map<string, number>
  calls: number
}

export async function compareVersions(
  ledger: Pick<Ledger, 'calls'>,
  { tool, versions }: { readonly tool: string; readonly versions: readonly [string, string] },
  options: CompareOptions = {},
): Promise<VersionComparison> {
  const [a, b] = versions
  if (a === b) throw new Fault('bad_options', 'Two different versions are compared.')
  const { tenant, limit = maxCalls } = options
  const after = options.since === undefined ? undefined : firstIdOf(Number(options.since))
  const tallies = new Map([a, b].map((version) => [version, emptyTally()]))
  let before: string | undefined
  let looked = 0
  for (;;) {
    const room = Math.min(pageSize, limit - looked)
    const page = await ledger.calls.list({
      tool,
      limit: room + 1,
      ...(tenant === undefined ? {} : { tenant }),
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
    })
    const shown = page.slice(0, room)
    const counted = shown.filter(({ version }) => tallies.has(version))
    for (const call of counted) count(tallies.get(call.version) as Tally, call)
    await countRefusals(ledger, counted.filter(isRefused), tallies)
    looked += shown.length
    const isOver = page.length <= room
    if (isOver || looked >= limit) {
      const result = (version: string) => countOf(version, tallies.get(version) as Tally)
      return { tool, versions: [result(a), result(b)], looked, cut: !isOver }
    }
    before = page[room - 1]?.id
  }
}

/** Ids begin with the milliseconds of their time: below every id of this moment, above every earlier one. */
function firstIdOf(since: number): string {
  if (!(since >= 0 && since < 2 ** 48)) throw new Fault('bad_options', 'since is a moment in time.')
  const stamp = Math.trunc(since).toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-0000-0000-000000000000`
}

function count(tally: Tally, { status, effect, latencyMs }: CallRecord): void {
  tally.calls++
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
  tally.effects[effect]++
  if (status === 'SUCCESS') tally.latencies.push(latencyMs)
}

/** Those that ended without a success and without an effect: only their facts say where. */
const isRefused = ({ status, effect }: CallRecord) => status !== 'SUCCESS' && status !== 'RUNNING' && effect === 'none'

async function countRefusals(
  ledger: Pick<Ledger, 'calls'>,
  refused: readonly CallRecord[],
  tallies: ReadonlyMap<string, Tally>,
): Promise<void> {
  for (let from = 0; from < refused.length; from += atOnce) {
    await Promise.all(
      refused.slice(from, from + atOnce).map(async ({ id, version, key }) => {
        const stop = (await ledger.calls.facts(id, key.tenant)).findLast(({ verdict }) => verdict.kind === 'stop')
        const refusals = tallies.get(version)?.refusals
        if (stop !== undefined) refusals?.set(stop.phase, (refusals.get(stop.phase) ?? 0) + 1)
      }),
    )
  }
}

const emptyTally = (): Tally => ({
  calls: 0,
  statuses: new Map(),
  effects: { none: 0, happened: 0, unknown: 0, pending: 0 },
  latencies: [],
  refusals: new Map(),
})

function countOf(version: string, { calls, statuses, effects, latencies, refusals }: Tally): VersionCount {
  const sorted = Float64Array.from(latencies).sort()
  return {
    version,
    calls,
    statuses: Object.fromEntries(statuses),
    effects,
    latency: { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) },
    refusals: Object.fromEntries(refusals),
  }
}

/** The smallest value that at least this part of all is not above. */
function quantile(sorted: Float64Array, part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null
}
