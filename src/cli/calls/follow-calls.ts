// Prints calls as they come, until the person stops it or nobody reads on.
import type { CallQuery } from '../../ledger/ports/calls.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { done, flag, type Given, type Outcome } from '../command.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import { callCells, questionLines, questionsByCall, wireCall } from './call-line.ts'
import { newCalls } from './new-calls.ts'

type Query = CallQuery & { readonly limit: number }

export async function followCalls(ledger: Ledger, query: Query, given: Given, terminal: Terminal): Promise<Outcome> {
  const signal = terminal.interruption()
  const onSilence = () => terminal.note(terminal.colours.dim('The ledger does not answer; it is asked again.'))
  for await (const calls of newCalls(ledger.calls, { query, signal, onSilence })) {
    const questions = questionsByCall(await ledger.calls.escalations(query.tenant))
    for (const call of calls) {
      if (flag(given, 'json')) {
        terminal.out(JSON.stringify(wireCall(call, questions)))
        continue
      }
      terminal.out(textTable([callCells(call, questions, terminal.colours)]))
      if (query.held === true)
        for (const question of questionLines(call, questions, terminal.colours)) terminal.out(question)
    }
  }
  return done(true)
}
