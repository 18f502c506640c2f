// Writes a decision about versions. Nothing is called here: processes that have the tools hear of it within a second.
import { Fault } from '../../contract/fault.ts'
import type { VersionChange } from '../../contract/release/version-decision.ts'
import type { InForce } from '../../drift/versions/in-force.ts'
import { createVersionWatch, type DecisionNote, refreshMs } from '../../drift/versions/version-watch.ts'
import { systemClock } from '../../json/clock.ts'
import { systemEntropy } from '../../json/id.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { refused } from '../approvals/with-people.ts'
import { done, flag, type Given, type Outcome } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { changeText, wireDecision } from './version-line.ts'

export async function decideVersion(
  ledger: Ledger,
  make: (state: InForce) => VersionChange,
  said: DecisionNote,
  given: Given,
  terminal: Terminal,
): Promise<Outcome> {
  const watch = createVersionWatch({ ledger, clock: systemClock, entropy: systemEntropy, report: () => undefined })
  try {
    await watch.decide(said, make)
  } catch (error) {
    if (error instanceof Fault && error.code === 'bad_options') return refused(error, given, terminal)
    throw error
  }
  const decision = (await watch.history()).findLast(({ by, why }) => by === said.by && why === said.why)
  if (decision === undefined) throw new Fault('internal', 'A decision that was written is not there.')
  if (flag(given, 'json')) {
    terminal.out(JSON.stringify(wireDecision(decision), null, 2))
    return done(true)
  }
  const { bold, dim } = terminal.colours
  terminal.out(`${bold('Decided:')} ${changeText(decision.change)}`)
  terminal.out(dim(`Recorded as said by ${lineText(said.by)}: ${lineText(said.why)}`))
  terminal.out(dim(`It holds in every process on this ledger ${refreshMs / 1_000} second later.`))
  return done(true)
}
