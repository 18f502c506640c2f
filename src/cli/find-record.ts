// Finds the record that a person means: by its id, by the beginning of it, or the latest.
import type { SagaRecord } from '../contract/saga/saga.ts'
import { isUuid } from '../json/id.ts'
import type { CallQuery, CallRecord } from '../ledger/ports/calls.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import { available, missing, type Needed } from './command.ts'

/** The beginning of an id is looked for among this many of the newest records. */
const searched = 1_000
/** A shorter beginning is often a typing mistake. */
const shortest = 8
const shown = 10

/** `among` narrows the search for a beginning; a whole id is found in any case. */
export async function findCall({ calls }: Ledger, wanted: string, among: CallQuery = {}): Promise<Needed<CallRecord>> {
  const id = wanted.toLowerCase()
  const exact = isUuid(id) ? await calls.get(id) : undefined
  if (exact !== undefined) return available(exact)
  const newest = await calls.list({ ...among, limit: searched })
  return among.held === true ? pickRecord('held call', id, newest) : pickRecord('call', id, newest)
}

export async function findSaga(
  { sagas }: Ledger,
  wanted: string,
  among: { readonly tenant?: string },
): Promise<Needed<SagaRecord>> {
  const exact = await sagas.get(wanted, among.tenant)
  if (exact !== undefined) return available(exact)
  return pickRecord('saga', wanted, await sagas.list({ ...among, limit: searched }))
}

function pickRecord<T extends { readonly id: string }>(noun: string, wanted: string, newest: readonly T[]): Needed<T> {
  const [latest] = newest
  if (latest === undefined) return missing(`No ${noun}s are on record.`)
  if (wanted === 'latest') return available(latest)
  const matches = wanted.length < shortest ? [] : newest.filter(({ id }) => id.startsWith(wanted))
  const [only] = matches
  if (only !== undefined && matches.length === 1) return available(only)
  const start = wanted.slice(0, 64)
  const message =
    matches.length > 1 ? `Several ${noun}s begin with ${start}.` : `There is no ${noun} ${start} on record.`
  const known = (matches.length > 1 ? matches : newest).slice(0, shown).map(({ id }) => id)
  return missing(message, ['On record, newest first:', ...known])
}
