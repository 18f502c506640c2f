// One saga: how it stands, and its journal as a timeline. Ends with 1 where it stands still until a person resumes it.
import { viewSaga } from '../../execute/saga/saga-view.ts'
import { toIso } from '../../json/clock.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { done, flag, type Given, misuse, type Outcome, text } from '../command.ts'
import { lineText, shortText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import { findSaga } from './find-saga.ts'
import { entryText, shadeOf, wireEntry, wireView } from './saga-line.ts'

export async function showSaga(ledger: Ledger, wanted: string, given: Given, terminal: Terminal): Promise<Outcome> {
  const found = await findSaga(ledger, wanted, text(given, 'tenant'))
  if (!found.ok) return misuse(found.message, found.details)
  const { saga } = found
  const journal = await ledger.sagas.journal(saga.id, saga.tenant)
  const view = viewSaga(saga, journal)
  const fine = view.frozen === undefined
  if (flag(given, 'json')) {
    terminal.out(JSON.stringify({ ...wireView(view), journal: journal.map(wireEntry) }, null, 2))
    return done(fine)
  }
  const { colours } = terminal
  const { bold, dim } = colours
  terminal.out(`${bold(lineText(view.name))}  ${view.id}  ${shadeOf(view.state, colours)(view.state)}`)
  terminal.out(
    dim(
      `tenant ${lineText(view.tenant)}, run ${lineText(view.run)}, input ${shortText(JSON.stringify(view.input), 200)}`,
    ),
  )
  const rows = view.steps.map(({ id, tool, kind, compensation, state }) => [
    `  ${id}`,
    lineText(tool),
    dim(kind),
    dim(compensation === null ? '' : `undone by ${lineText(compensation)}`),
    state,
  ])
  terminal.out(textTable(rows))
  terminal.out('')
  const startedAt = journal[0]?.at ?? saga.createdAt
  const lines = journal.map((entry) => [
    dim(String(entry.seq)),
    dim(toIso(entry.at).slice(11, 23)),
    dim(`+${((entry.at - startedAt) / 1_000).toFixed(1)} s`),
    dim(`epoch ${entry.epoch}`),
    entryText(entry, colours),
  ])
  terminal.out(textTable(lines))
  if (!fine) terminal.note(dim('Mend the cause, then: proviso sagas resume SAGA --why TEXT'))
  return done(fine)
}
