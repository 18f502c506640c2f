// `proviso explain`: a call on record as a timeline of its facts, and what follows from it. It needs the ledger alone: the process that
// made the call may be gone, and the code of its tool unknown here.
import { type CommandRow, done, flag, jsonOption, misuse } from './command.ts'
import { ledgerOptions } from './ledger/ledger-place.ts'

export const explain: CommandRow = {
  name: 'explain',
  group: 'Calls:',
  summary: 'show why a recorded call ended as it did, phase by phase, and what is promised of its effect',
  arguments: [{ syntax: '<call>', about: 'call id, its beginning, or "latest"' }],
  options: [...ledgerOptions, jsonOption],
  examples: ['proviso explain latest', 'proviso explain 0199c2f1-7a --json'],
  exits: ['explained', 'does not occur', 'no such call, or a ledger that is missing or cannot be opened'],
  async run(given, terminal) {
    const [wanted = ''] = given.words
    const { withLedger } = await import('./ledger/open-ledger.ts')
    return withLedger(given, terminal, async (ledger) => {
      const { findCall } = await import('./ledger/find-call.ts')
      const found = await findCall(ledger, wanted)
      if (!found.ok) return misuse(found.message, found.details)
      const { call } = found
      const { tenant } = call.key
      const [facts, contract, escalations] = await Promise.all([
        ledger.calls.facts(call.id, tenant),
        ledger.calls.contract(call.contractHash),
        ledger.calls.escalations(tenant),
      ])
      const { explanationOf } = await import('./explain/explanation.ts')
      const questions = escalations.filter(({ callId }) => callId === call.id)
      const explanation = explanationOf({ call, facts, contract, questions })
      if (flag(given, 'json')) {
        terminal.out(JSON.stringify(explanation, null, 2))
      } else {
        const { showExplanation } = await import('./explain/show-explanation.ts')
        terminal.out(showExplanation(explanation, terminal.colours))
      }
      return done(true)
    })
  },
}
