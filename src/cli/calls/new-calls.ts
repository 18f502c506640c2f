// Calls as they come: each one when it first appears, and again when its status has changed. Ids are in order of time, but a call is
// written when it is admitted or ends, so that a smaller id may appear after a greater one: every query goes back a while.
import { setTimeout } from 'node:timers/promises'
import type { CallQuery, CallRecord, Calls } from '../../ledger/ports/calls.ts'

export interface Follow {
  readonly query: CallQuery & { readonly limit: number }
  readonly signal: AbortSignal
  /** Called once when the ledger stops answering; it is asked again. */
  onSilence(error: unknown): void
}

const everyMs = 300
/** A smaller id may appear this much later than a greater one: a call that runs longer, or a clock that is behind. */
const lookBackMs = 60_000
const firstPage = 500

/** Ends when the signal does. Each batch is in order of time, and never empty. */
export async function* newCalls(
  calls: Pick<Calls, 'list'>,
  { query, signal, onSilence }: Follow,
): AsyncGenerator<readonly CallRecord[]> {
  const seen = new Map<string, string>()
  let found: readonly CallRecord[] = await calls.list(query)
  // Calls of before that did not fit into the first batch count as shown.
  const earlier = found.length < query.limit ? [] : await allAfter(calls, query, floorOf(found.map(({ id }) => id)))
  const shown = new Set(found.map(({ id }) => id))
  for (const call of earlier) if (!shown.has(call.id)) seen.set(call.id, stageOf(call))
  let silent = false
  while (!signal.aborted) {
    const fresh = found.filter((call) => seen.get(call.id) !== stageOf(call))
    for (const call of fresh) seen.set(call.id, stageOf(call))
    if (fresh.length > 0) yield fresh.toReversed()
    // It rejects only when the signal is aborted, which is asked next.
    await setTimeout(everyMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const after = floorOf(seen.keys())
    try {
      found = await allAfter(calls, query, after)
      silent = false
    } catch (error) {
      if (!silent) onSilence(error)
      silent = true
      found = []
    }
    for (const id of seen.keys()) if (after !== undefined && id <= after) seen.delete(id)
  }
}

const stageOf = ({ passes, status, effect }: CallRecord) => `${passes} ${status} ${effect}`

/** The smallest id that the next query asks for; undefined while nothing was seen. */
function floorOf(ids: Iterable<string>): string | undefined {
  let newest = ''
  for (const id of ids) if (id > newest) newest = id
  if (newest === '') return undefined
  const since = Math.max(0, Number.parseInt(newest.slice(0, 13).replace('-', ''), 16) - lookBackMs)
  const stamp = since.toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-0000-0000-000000000000`
}

/** The ledger gives the newest first: the page grows until it reaches back far enough. */
async function allAfter(
  calls: Pick<Calls, 'list'>,
  query: Follow['query'],
  after: string | undefined,
): Promise<readonly CallRecord[]> {
  if (after === undefined) return calls.list(query)
  for (let limit = firstPage; ; limit *= 4) {
    const page = await calls.list({ ...query, after, limit })
    if (page.length < limit) return page
  }
}
