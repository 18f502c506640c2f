// Denials that a person should hear of: of tools that could do great harm, and of a run that tries the same tool again and again. Asked
// once each, so that a run cannot flood those who look.
import { shownValue } from '../../approval/shown-text.ts'
import type { Call } from '../../contract/call/call.ts'
import { effectRow } from '../../contract/effects.ts'
import type { Deps } from '../deps.ts'
import type { Pass } from '../run.ts'
import { asks } from './escalate.ts'

/** So many denials of one tool in one run are no slip. */
const repeated = 3
/** Callers choose the names of users and runs. */
const maxName = 100

const denials: ReadonlySet<string> = new Set(['missing_scope', 'rule_denied', 'policy_blocked', 'hook_blocked'])

/** The pass with the question that its denial raises, if it raises one. */
export async function suspected(pass: Pass, deps: Deps): Promise<Pass> {
  const { call } = pass
  const { tool, run } = call
  if (tool === undefined) return pass
  const { identity, transactional } = tool.contract
  const { name } = identity
  let times: number
  try {
    times = await deps.ledger.runs.countDenial(call.tenant, run ?? '', name)
  } catch (fault) {
    // The denial stands all the same.
    deps.report(fault)
    return pass
  }
  const isGrave = effectRow(transactional.side_effect_class).confirmation === 'always'
  if (times !== repeated && !(isGrave && times === 1)) return pass
  const message = `${name} (${transactional.side_effect_class}) ${deniedText(call, times)}.`
  return { ...pass, call: { ...call, ...asks(call, 'suspicious_denial', message, deps) } }
}

/** To whom and where: whoever reads the question decides on that, before they look at the call. */
function deniedText({ run, principal, conclusion }: Call, times: number): string {
  const where = run === undefined ? 'outside of any run' : `in the run ${shownValue(run, maxName)}`
  const who = principal.user === undefined ? 'a call on behalf of nobody' : shownValue(principal.user, maxName)
  const why = conclusion?.kind === 'stop' ? ` (${conclusion.reason})` : ''
  return times === repeated
    ? `was denied ${times} times ${where}, the last time to ${who}${why}`
    : `was denied to ${who} ${where}${why}`
}

/** Whether somebody who may object has denied the call. */
export function isDenied({ conclusion, tenantKnown }: Call): boolean {
  return tenantKnown && conclusion?.kind === 'stop' && denials.has(conclusion.reason)
}
