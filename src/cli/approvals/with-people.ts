// Opens the ledger for a person at the keyboard: what they decide is recorded there, by keys that are kept with it or in the key file.
// Nothing is executed here; the process that has the tool does that.
import { resolve } from 'node:path'
import { createPeople, type People } from '../../approval/people.ts'
import { Fault } from '../../contract/fault.ts'
import { defaultKeyFile } from '../../identity/file-key-store.ts'
import { knownKeys } from '../../identity/identity-of.ts'
import { systemClock } from '../../json/clock.ts'
import { systemEntropy } from '../../json/id.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { readBudgets } from '../../policy/budgets/limit.ts'
import { done, flag, type Given, type Outcome, text } from '../command.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'

export async function withPeople(
  given: Given,
  terminal: Terminal,
  use: (people: People, ledger: Ledger) => Promise<Outcome>,
): Promise<Outcome> {
  const signing = text(given, 'signingKey')
  const keyFile = signing === undefined ? {} : { keyFile: resolve(terminal.folder, signing) }
  const opened = await openLedger(given, terminal, { make: false, log: { sequence: false, ...keyFile } })
  if (!opened.ok) return opened.outcome
  const { ledger } = opened
  try {
    return await use(peopleOn(ledger, terminal), ledger)
  } catch (error) {
    if (error instanceof Fault && refusals.has(error.code)) return refused(error, given, terminal)
    throw error
  } finally {
    await ledger.close()
  }
}

function peopleOn(ledger: Ledger, terminal: Pick<Terminal, 'folder'>): People {
  return createPeople({
    ledger,
    clock: systemClock,
    entropy: systemEntropy,
    budgets: readBudgets(),
    identity: knownKeys({ ledger: ledger.keys, clock: systemClock, file: resolve(terminal.folder, defaultKeyFile) }),
    toolNamed: () => undefined,
    // A process that has the tool runs the call: the one that waits for the decision finds it in the ledger.
    resume: async () => {},
  })
}

const refusals: ReadonlySet<string> = new Set(['unknown_credential', 'not_permitted', 'packet_changed'])

/** What was asked for is refused, and nothing is changed: ends with 1. */
export function refused({ code, message }: Fault, given: Given, terminal: Terminal): Outcome {
  if (flag(given, 'json')) terminal.out(JSON.stringify({ error: { code, message } }, null, 2))
  terminal.note(`${terminal.colours.red('refused')} ${lineText(message)}`)
  return done(false)
}
