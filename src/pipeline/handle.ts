// One proposal from beginning to end: opened, run, written down. Whatever is lost on the way — a ledger that does not answer, a
// proposal that throws when it is read — still ends as an answer.
import type { Answer } from '../contract/answer.ts'
import type { Call } from '../contract/call.ts'
import type { Surface } from '../contract/surface.ts'
import type { Awaitable } from '../contract/tool.ts'
import { makeAnswer } from './answers.ts'
import type { Deps } from './deps.ts'
import { findAgain, type OpenCallInput, openCall } from './open-call.ts'
import { stop } from './phase.ts'
import { recordPass } from './record-pass.ts'
import { mayHaveHappened, type Pass, run } from './run.ts'

export type HandleInput = Omit<OpenCallInput, 'surface'> & { readonly surface: () => Awaitable<Surface> }

export async function handle(input: HandleInput): Promise<Answer> {
  const { deps } = input
  let opened = openCall({ ...input, surface: nothing })
  let call: Call
  try {
    const surface = input.surface()
    opened = { ...opened, surface: surface instanceof Promise ? await surface : surface }
    const found = findAgain(opened, input)
    call = found instanceof Promise ? await found : found
  } catch {
    return lost(opened, deps)
  }
  return written(await run(call, deps), deps)
}

const nothing: Surface = { entries: new Map(), aliases: new Map() }

async function written(pass: Pass, deps: Deps): Promise<Answer> {
  try {
    return await recordPass(pass, deps)
  } catch {
    const { observation } = pass.answer
    const warnings = [
      ...observation.result_payload.warnings,
      'not_recorded: the ledger did not take the facts of this call',
    ]
    return {
      ...pass.answer,
      observation: { ...observation, result_payload: { ...observation.result_payload, warnings } },
    }
  }
}

/** The ledger could not be asked, so nobody can say whether this operation was done before. */
function lost(call: Call, { clock }: Deps): Answer {
  const entry = call.surface.entries.get(call.proposal.tool)
  const known: Call = entry === undefined ? call : { ...call, tool: entry.tool }
  const effect = mayHaveHappened(known) ? 'unknown' : 'none'
  const conclusion = stop(
    'DEPENDENCY_UNAVAILABLE',
    'dependency_unavailable',
    'The ledger did not answer, so nothing was started.',
  )
  return makeAnswer({ ...known, effect }, conclusion, clock.now())
}
