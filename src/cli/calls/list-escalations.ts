// The open questions to people, oldest first: about held operations, and about effects that were not found as promised.
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { done, flag, type Given, type Outcome, text } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import { wireQuestion } from './call-line.ts'

export async function listEscalations(ledger: Ledger, given: Given, terminal: Terminal): Promise<Outcome> {
  const questions = (await ledger.calls.escalations(text(given, 'tenant'))).map(wireQuestion)
  if (flag(given, 'json')) {
    terminal.out(JSON.stringify(questions, null, 2))
    return done(true)
  }
  if (questions.length === 0) terminal.note('No question is open.')
  const { dim, yellow } = terminal.colours
  const rows = questions.map(({ call_id, at, tenant, kind, message }) => [
    String(call_id),
    dim(String(at)),
    lineText(String(tenant)),
    yellow(String(kind)),
    lineText(String(message)),
  ])
  if (rows.length > 0) terminal.out(textTable([['call', 'since', 'tenant', 'kind', 'question'].map(dim), ...rows]))
  return done(true)
}
