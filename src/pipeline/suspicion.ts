// Denials that a person should hear of: of tools that could do great harm, and of a run that tries the same tool again and again. Asked
// once each, so that a run cannot flood those who look.
import type { Call } from '../contract/call.ts'
import { effectRow } from '../contract/effects.ts'
import type { Deps } from './deps.ts'
import { asks } from './escalate.ts'
import type { Pass } from './run.ts'

/** So many denials of one tool in one run are no slip. */
const repeated = 3

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
    times = await deps.ledger.countDenial(call.tenant, run ?? '', name)
  } catch (fault) {
    // The denial stands all the same.
    deps.report(fault)
    return pass
  }
  const isGrave = effectRow(transactional.side_effect_class).confirmation === 'always'
  if (times !== repeated && !(isGrave && times === 1)) return pass
  const why = times === repeated ? `was denied ${times} times in one run` : 'was denied'
  const effect = transactional.side_effect_class
  return { ...pass, call: { ...call, ...asks(call, 'suspicious_denial', `${name} (${effect}) ${why}.`, deps) } }
}

/** Whether somebody who may object has denied the call. */
export function isDenied({ conclusion, tenantKnown }: Call): boolean {
  return tenantKnown && conclusion?.kind === 'stop' && denials.has(conclusion.reason)
}
