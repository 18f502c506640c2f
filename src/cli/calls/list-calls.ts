// The newest calls that fit, newest first; of held ones also what a person is asked.
import type { CallQuery } from '../../ledger/ports/calls.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { done, flag, type Given, type Outcome } from '../command.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import { callCells, callTitles, questionLines, questionsByCall, wireCall } from './call-line.ts'

type Query = CallQuery & { readonly limit: number }

export async function listCalls(ledger: Ledger, query: Query, given: Given, terminal: Terminal): Promise<Outcome> {
  const [calls, escalations] = await Promise.all([ledger.calls.list(query), ledger.calls.escalations(query.tenant)])
  const questions = questionsByCall(escalations)
  if (flag(given, 'json')) {
    terminal.out(
      JSON.stringify(
        calls.map((call) => wireCall(call, questions)),
        null,
        2,
      ),
    )
    return done(true)
  }
  const { colours } = terminal
  if (calls.length === 0) {
    terminal.note(query.held === true ? 'No call is held.' : 'No calls fit.')
    return done(true)
  }
  const rows = [callTitles.map(colours.dim), ...calls.map((call) => callCells(call, questions, colours))]
  const [titles = '', ...lines] = textTable(rows).split('\n')
  terminal.out(titles)
  lines.forEach((line, index) => {
    terminal.out(line)
    const call = calls[index]
    if (query.held !== true || call === undefined) return
    for (const question of questionLines(call, questions, colours)) terminal.out(question)
  })
  if (calls.length === query.limit) terminal.note(colours.dim(`The newest ${query.limit}; --limit shows more.`))
  if (query.held === true)
    terminal.note(
      colours.dim('Find out what became of each, then: proviso calls resolve CALL --effect happened|none --why TEXT'),
    )
  return done(true)
}
