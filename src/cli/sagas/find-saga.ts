// Finds the saga that a person means: by its id, by the beginning of it, or the latest.
import type { SagaRecord } from '../../contract/saga/saga.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'

export type FoundSaga =
  | { readonly ok: true; readonly saga: SagaRecord }
  | { readonly ok: false; readonly message: string; readonly details: readonly string[] }

const searched = 1_000
/** A shorter beginning is a slip as often as a name. */
const shortest = 8
const shown = 10

export async function findSaga({ sagas }: Ledger, wanted: string, tenant?: string): Promise<FoundSaga> {
  const exact = await sagas.get(wanted, tenant)
  if (exact !== undefined) return { ok: true, saga: exact }
  const newest = await sagas.list({ ...(tenant === undefined ? {} : { tenant }), limit: searched })
  const [latest] = newest
  if (latest === undefined) return { ok: false, message: 'No sagas are on record.', details: [] }
  if (wanted === 'latest') return { ok: true, saga: latest }
  const matches = wanted.length < shortest ? [] : newest.filter(({ id }) => id.startsWith(wanted))
  const [only] = matches
  if (only !== undefined && matches.length === 1) return { ok: true, saga: only }
  const message =
    matches.length > 1
      ? `Several sagas begin with ${wanted.slice(0, 64)}.`
      : `There is no saga ${wanted.slice(0, 64)} on record.`
  const known = (matches.length > 1 ? matches : newest).slice(0, shown).map(({ id }) => id)
  return { ok: false, message, details: ['On record, newest first:', ...known] }
}
