// A person says what became of a held operation. The ledger records who said so and why; what is not held stays as it is.
import type { People } from '../../approval/people.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { Resolved } from '../../ledger/ports/operations.ts'
import { done, flag, type Given, misuse, type Outcome, text } from '../command.ts'
import { findCall } from '../ledger/find-call.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'

export interface ResolutionWords {
  readonly wanted: string
  readonly effect: 'happened' | 'none'
  readonly why: string
}

export type ResolutionReading =
  | { readonly ok: true; readonly words: ResolutionWords }
  | { readonly ok: false; readonly message: string }

/** Judged before a ledger is opened. */
export function resolutionWords(given: Given): ResolutionReading {
  const wanted = given.words[1]
  if (wanted === undefined) return { ok: false, message: 'Say which call: proviso calls resolve CALL.' }
  const effect = text(given, 'effect')
  if (effect !== 'happened' && effect !== 'none')
    return { ok: false, message: 'Say what became of it: --effect happened, or --effect none.' }
  const why = text(given, 'why')?.trim() ?? ''
  if (why === '') return { ok: false, message: 'Say how you know: --why TEXT. It is recorded.' }
  return { ok: true, words: { wanted, effect, why } }
}

export async function resolveCall(
  people: People,
  ledger: Ledger,
  { wanted, effect, why, credential }: ResolutionWords & { readonly credential: string },
  given: Given,
  terminal: Terminal,
): Promise<Outcome> {
  const found = await findCall(ledger, wanted, { held: true })
  if (!found.ok) return misuse(found.message, found.details)
  const { call } = found
  const { by, ...outcome } = await people.resolve(call.id, { effect, why, credential })
  if (outcome.kind === 'stated') return stated(call.id, outcome.missing, { by, effect }, given, terminal)
  // A question that was open although nothing is held is answered by the same words.
  const resolved = outcome.kind !== 'not_held'
  if (flag(given, 'json')) {
    const operation = outcome.record === undefined ? null : wireOperation(outcome.record)
    const told = resolved ? { by, why } : { error: { message: notHeld(call.id, outcome), details: [] } }
    terminal.out(JSON.stringify({ call_id: call.id, tool: call.key.tool, resolved, operation, ...told }, null, 2))
  } else if (resolved) {
    const { bold, dim } = terminal.colours
    terminal.out(`${bold(`Resolved: ${effect}`)}  ${lineText(call.key.tool)}, call ${call.id}`)
    terminal.out(dim(`Recorded as said by ${lineText(by)}: ${lineText(why)}`))
    terminal.out(
      dim(outcome.kind === 'answered' ? 'The question is answered; the operation stays as it is.' : followUps[effect]),
    )
  }
  if (!resolved) terminal.note(`${terminal.colours.red('refused')} ${lineText(notHeld(call.id, outcome))}`)
  return done(resolved)
}

/** Kept, and not enough yet: ends with 1. */
function stated(
  id: string,
  missing: number,
  { by, effect }: { readonly by: string; readonly effect: string },
  given: Given,
  terminal: Terminal,
): Outcome {
  const others = missing === 1 ? 'One other person has' : `${missing} other people have`
  if (flag(given, 'json'))
    terminal.out(JSON.stringify({ call_id: id, resolved: false, stated: { by, effect }, missing }, null, 2))
  else terminal.out(`${lineText(by)} says ${effect}. ${others} to say the same.`)
  return done(false)
}

const followUps = {
  happened: 'Whoever makes the same call again is told that it happened.',
  none: 'The same call may be made again, and will then be carried out.',
} as const

const wireOperation = ({ status, effect, held, generation, attempt }: NonNullable<Resolved['record']>) => ({
  status,
  effect,
  held,
  generation,
  attempt,
})

function notHeld(id: string, { record }: Resolved): string {
  const state =
    record === undefined
      ? 'it has no operation that could be held'
      : record.status === 'PENDING'
        ? 'its operation is still under way, or about to be recovered'
        : `its operation is ${record.status}, effect ${record.effect}`
  return `Call ${id} is not held: ${state}. Nothing was changed.`
}
