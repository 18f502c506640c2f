// A person says what became of a held operation. The ledger records who said so and why; what is not held stays as it is.
import type { ResolutionOutcome } from '../../ledger/ports/operations.ts'
import { type CommandIo, type CommandResult, done, misuse } from '../command.ts'
import { findCall } from '../find-record.ts'
import { withPerson } from '../people.ts'
import { lineText } from '../plain-text.ts'
import { printResult } from '../print.ts'

export async function resolveCall(io: CommandIo): Promise<CommandResult> {
  const [wanted = ''] = io.words
  const effect = io.option('effect')
  if (effect !== 'happened' && effect !== 'none')
    return misuse('Say what became of it: --effect happened, or --effect none.')
  const why = io.option('why')?.trim() ?? ''
  if (why === '') return misuse('Say how you know: --why TEXT. It is recorded.')
  if (io.flag('follow') || io.flag('held')) return misuse('--follow and --held belong to the list.')
  return withPerson(io, async ({ credential, people, ledger }) => {
    const found = await findCall(ledger, wanted, { held: true })
    if (!found.ok) return found.result
    const { id, key } = found.value
    const { by, ...outcome } = await people.resolve(id, { effect, why, credential })
    if (outcome.kind === 'stated') {
      const { missing } = outcome
      const others = missing === 1 ? 'One other person has' : `${missing} other people have`
      const wire = { call_id: id, resolved: false, stated: { by, effect }, missing }
      return printResult(io, wire, `${lineText(by)} says ${effect}. ${others} to say the same.`, false)
    }
    const operation = outcome.record === undefined ? null : wireOperation(outcome.record)
    const wire = { call_id: id, tool: key.tool, resolved: outcome.kind !== 'not_held', operation }
    if (outcome.kind === 'not_held') {
      const message = notHeld(id, outcome)
      printResult(io, { ...wire, error: { message, details: [] } }, [])
      io.note(`${io.colours.red('refused')} ${lineText(message)}`)
      return done(false)
    }
    const { bold, dim } = io.colours
    // A question may be open although nothing is held: the person's words answer it then.
    const follow =
      outcome.kind === 'answered' ? 'The question is answered; the operation stays as it is.' : followUps[effect]
    return printResult(io, { ...wire, by, why }, [
      `${bold(`Resolved: ${effect}`)}  ${lineText(key.tool)}, call ${id}`,
      dim(`Recorded as said by ${lineText(by)}: ${lineText(why)}`),
      dim(follow),
    ])
  })
}

const followUps = {
  happened: 'A caller that makes the same call again is told that it happened.',
  none: 'The same call may be made again, and will then be carried out.',
} as const

const wireOperation = ({ status, effect, held, generation, attempt }: NonNullable<ResolutionOutcome['record']>) => ({
  status,
  effect,
  held,
  generation,
  attempt,
})

function notHeld(id: string, { record }: ResolutionOutcome): string {
  const state =
    record === undefined
      ? 'it has no operation that could be held'
      : record.status === 'PENDING'
        ? 'its operation is still under way, or about to be recovered'
        : `its operation is ${record.status}, effect ${record.effect}`
  return `Call ${id} is not held: ${state}. Nothing was changed.`
}
