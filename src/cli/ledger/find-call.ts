// Finds the call that a person means: by its id, by the beginning of it, or the latest.
import { isUuid } from '../../json/id.ts'
import type { CallQuery, CallRecord } from '../../ledger/ports/calls.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'

export type FoundCall =
  | { readonly ok: true; readonly call: CallRecord }
  | { readonly ok: false; readonly message: string; readonly details: readonly string[] }

/** The beginning of an id is looked for among this many of the newest calls. */
const searched = 1_000
/** A shorter beginning is a slip as often as a name. */
const shortest = 8
const shown = 10

/** `among` narrows where beginnings are looked for; a whole id is found wherever it is. */
export async function findCall(ledger: Ledger, wanted: string, among: CallQuery = {}): Promise<FoundCall> {
  const id = wanted.toLowerCase()
  const exact = isUuid(id) ? await ledger.calls.get(id) : undefined
  if (exact !== undefined) return { ok: true, call: exact }
  const newest = await ledger.calls.list({ ...among, limit: searched })
  const [latest] = newest
  if (wanted === 'latest' && latest !== undefined) return { ok: true, call: latest }
  const matches = id.length < shortest ? [] : newest.filter((call) => call.id.startsWith(id))
  const [only] = matches
  if (only !== undefined && matches.length === 1) return { ok: true, call: only }
  const what = among.held === true ? 'held call' : 'call'
  if (latest === undefined) return { ok: false, message: `No ${what}s are on record.`, details: [] }
  const message =
    matches.length > 1
      ? `Several ${what}s begin with ${wanted.slice(0, 64)}.`
      : `There is no ${what} ${wanted.slice(0, 64)} on record.`
  const known = (matches.length > 1 ? matches : newest).slice(0, shown).map((call) => call.id)
  return { ok: false, message, details: ['On record, newest first:', ...known] }
}
