// The newest sagas that fit, newest first.
import { sagaStates } from '../../contract/saga/saga.ts'
import { systemClock, toIso } from '../../json/clock.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { SagaQuery } from '../../ledger/ports/sagas.ts'
import { sagaStandings } from '../../ledger/rules/saga.ts'
import { done, flag, type Given, type Outcome, text } from '../command.ts'
import { lineText, shortText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import { shadeOf, wireSaga } from './saga-line.ts'

export interface ListQuery extends SagaQuery {
  readonly limit: number
  /** Only those that are not over. */
  readonly open: boolean
}

export type QueryReading =
  | { readonly ok: true; readonly query: ListQuery }
  | { readonly ok: false; readonly message: string; readonly details: readonly string[] }

const defaultLimit = 50
const maxLimit = 10_000

export function sagasQuery(given: Given): QueryReading {
  const wanted = text(given, 'state')?.toUpperCase()
  const state = sagaStates.find((known) => known === wanted)
  if (wanted !== undefined && state === undefined)
    return { ok: false, message: 'There is no such state.', details: [`Known are ${sagaStates.join(', ')}.`] }
  const limit = Number(text(given, 'limit') ?? defaultLimit)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    return { ok: false, message: `--limit takes a whole number from 1 to ${maxLimit}.`, details: [] }
  if (text(given, 'why') !== undefined || text(given, 'effect') !== undefined)
    return { ok: false, message: '--why and --effect belong to proviso sagas resume.', details: [] }
  const [tenant, name] = [text(given, 'tenant'), text(given, 'name')]
  return {
    ok: true,
    query: {
      ...(tenant === undefined ? {} : { tenant }),
      ...(name === undefined ? {} : { name }),
      ...(state === undefined ? {} : { state }),
      open: flag(given, 'open'),
      limit,
    },
  }
}

/** A saga that nobody has taken up for so long is nobody's. */
const orphanMs = 600_000

export async function listSagas(
  ledger: Ledger,
  { open, ...query }: ListQuery,
  given: Given,
  terminal: Terminal,
): Promise<Outcome> {
  // What is open may lie behind much that is over.
  const listed = await ledger.sagas.list(open ? { ...query, limit: maxLimit } : query)
  const sagas = listed.filter(({ state }) => !open || !sagaStandings[state].over).slice(0, query.limit)
  if (flag(given, 'json')) {
    terminal.out(JSON.stringify(sagas.map(wireSaga), null, 2))
    return done(true)
  }
  const { colours } = terminal
  if (sagas.length === 0) {
    terminal.note('No sagas fit.')
    return done(true)
  }
  const titles = ['saga', 'name', 'tenant', 'started', 'state'].map(colours.dim)
  const rows = sagas.map((saga) => [
    saga.id,
    lineText(saga.name),
    shortText(saga.tenant, 24),
    colours.dim(toIso(saga.createdAt).replace('T', ' ').slice(0, 19)),
    shadeOf(saga.state, colours)(saga.state),
  ])
  terminal.out(textTable([titles, ...rows]))
  const orphans = sagas.filter(({ dueAt }) => dueAt !== undefined && dueAt < systemClock.now() - orphanMs).length
  if (orphans > 0)
    terminal.note(
      colours.yellow(
        `${orphans} should have gone on long ago: no running process knows their definition, or none runs.`,
      ),
    )
  if (sagas.length === query.limit) terminal.note(colours.dim(`The newest ${query.limit}; --limit shows more.`))
  return done(true)
}
