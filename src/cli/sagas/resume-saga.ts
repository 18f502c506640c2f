// A person lets a saga go on. Nothing is called here: a process that knows its definition takes it up.
import type { VerifyPerson } from '../../approval/verify-person.ts'
import { Fault } from '../../contract/fault.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { resumeSaga, type SagaResumed, type SagaResumption } from '../../pipeline/later/resume-saga.ts'
import { done, flag, type Given, misuse, type Outcome, text } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { findSaga } from './find-saga.ts'

export async function resumeNamedSaga(
  people: { readonly ledger: Ledger; readonly verify: VerifyPerson },
  wanted: string,
  resumption: SagaResumption,
  given: Given,
  terminal: Terminal,
): Promise<Outcome> {
  const found = await findSaga(people.ledger, wanted, text(given, 'tenant'))
  if (!found.ok) return misuse(found.message, found.details)
  const { id } = found.saga
  let resumed: SagaResumed
  try {
    resumed = await resumeSaga(people, id, resumption)
  } catch (error) {
    if (error instanceof Fault && error.code === 'bad_options') return misuse(error.message)
    throw error
  }
  const fine = resumed.kind === 'resumed' || resumed.kind === 'woken'
  if (flag(given, 'json')) {
    const missing = resumed.kind === 'stated' ? { missing: resumed.missing } : {}
    terminal.out(JSON.stringify({ saga_id: id, outcome: resumed.kind, by: resumed.by, ...missing }, null, 2))
    return done(fine)
  }
  terminal.out(sentence(resumed, id))
  if (fine) terminal.out(terminal.colours.dim('A process that knows its definition goes on with it.'))
  return done(fine)
}

function sentence(resumed: SagaResumed, id: string): string {
  const by = lineText(resumed.by)
  switch (resumed.kind) {
    case 'resumed':
      return `Resumed by ${by}: saga ${id}`
    case 'woken':
      return `Saga ${id} was waiting; it looks again now.`
    case 'stated':
      return `${by} has said so. ${resumed.missing === 1 ? 'One other person has' : `${resumed.missing} other people have`} to say the same.`
    case 'not_frozen':
      return `Saga ${id} does not stand still; there is nothing to resume.`
  }
}
