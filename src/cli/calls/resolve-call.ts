// A person says what became of a held operation. The ledger records who said so and why; what is not held stays as it is.
import { userInfo } from 'node:os'
import type { Ledger, Resolved } from '../../ledger/ledger.ts'
import { done, flag, type Given, misuse, type Outcome, text } from '../command.ts'
import { findCall } from '../ledger/find-call.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'

export interface ResolutionWords {
  readonly wanted: string
  readonly effect: 'happened' | 'none'
  readonly by: string
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
  const by = (text(given, 'by') ?? systemUser())?.trim() ?? ''
  if (by === '') return { ok: false, message: 'Say who you are: --by NAME. It is recorded.' }
  return { ok: true, words: { wanted, effect, by, why } }
}

/** Undefined where the process runs under a number that has no name. */
function systemUser(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

export async function resolveCall(
  ledger: Ledger,
  { wanted, effect, by, why }: ResolutionWords,
  given: Given,
  terminal: Terminal,
): Promise<Outcome> {
  const found = await findCall(ledger, wanted, { held: true })
  if (!found.ok) return misuse(found.message, found.details)
  const { call } = found
  const outcome = await ledger.resolve({ tenant: call.key.tenant, callId: call.id, effect, by, why })
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
