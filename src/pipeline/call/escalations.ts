// Questions to people about one call, written down with its pass. Denials raise one by themselves: of tools that could do great harm, and of
// a run that tries the same tool again and again. Each of them is asked once, so that a run cannot flood those who look.
import { shownValue } from '../../approval/shown-text.ts'
import type { Escalation, EscalationKind } from '../../contract/approval/approval.ts'
import type { EndedCall, OpenedCall } from '../../contract/call/stages.ts'
import { effectRow } from '../../contract/effects.ts'
import { hashFields } from '../../json/hash.ts'
import { uuidv7 } from '../../json/id.ts'
import type { Deps } from '../deps.ts'

export function escalation(
  { id, tenant }: Pick<OpenedCall, 'id' | 'tenant'>,
  kind: EscalationKind,
  message: string,
  { clock, entropy }: Pick<Deps, 'clock' | 'entropy'>,
): Escalation {
  const at = clock.now()
  return { id: uuidv7(at, entropy), tenant, callId: id, kind, message, at }
}

type Escalated = { readonly escalations: readonly Escalation[] }

/** What a verdict gives the call so that the question is asked. */
export function escalated(call: OpenedCall, kind: EscalationKind, message: string, deps: Deps): Escalated {
  return { escalations: [...(call.escalations ?? []), escalation(call, kind, message, deps)] }
}

/** The call with the question what became of an operation whose record was changed. It is asked once, however many calls meet it. */
export function withContradiction(call: EndedCall, { clock }: Deps): EndedCall {
  const { tenant, slotRef } = call
  if (slotRef === undefined) return call
  const id = uuidOf(hashFields('proviso.contradiction.v1', [tenant, slotRef.key]))
  const where = slotRef.run === '' ? '' : `, run ${shownValue(slotRef.run, maxName)}`
  const message = `The record of an operation (${shownValue(slotRef.operation, maxName)}${where}) is not as its facts say, or is gone. Verify the ledger, and bring it back from a copy.`
  const question = { id, tenant, callId: call.id, kind: 'record_contradicted', message, at: clock.now() } as const
  return { ...call, escalations: [...(call.escalations ?? []), question] }
}

export const isContradicted = ({ conclusion }: EndedCall): boolean =>
  conclusion.kind === 'stop' && conclusion.reason === 'record_contradicted'

const uuidOf = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')

/** So many denials of one tool in one run are no slip. */
const repeated = 3
/** Callers choose the names of users and runs. */
const maxName = 100

const denials: ReadonlySet<string> = new Set(['missing_scope', 'rule_denied', 'policy_blocked', 'hook_blocked'])

/** The call with the question that its denial raises, if it raises one. */
export async function withSuspicion(call: EndedCall, deps: Deps): Promise<EndedCall> {
  const { tool, run } = call
  if (tool === undefined) return call
  const { identity, transactional } = tool.contract
  const { name } = identity
  let times: number
  try {
    times = await deps.ledger.runs.countDenial(call.tenant, run ?? '', name)
  } catch (fault) {
    // The denial stands all the same.
    deps.report(fault)
    return call
  }
  const isGrave = effectRow(transactional.side_effect_class).confirmation === 'always'
  if (times !== repeated && !(isGrave && times === 1)) return call
  const message = `${name} (${transactional.side_effect_class}) ${denialText(call, times)}.`
  return { ...call, ...escalated(call, 'suspicious_denial', message, deps) }
}

/** To whom and where it was denied: a person who reads the question decides by that whether to look at the call. */
function denialText({ run, principal, conclusion }: EndedCall, times: number): string {
  const where = run === undefined ? 'outside of any run' : `in the run ${shownValue(run, maxName)}`
  const who = principal.user === undefined ? 'a call without a user' : shownValue(principal.user, maxName)
  const why = conclusion.kind === 'stop' ? ` (${conclusion.reason})` : ''
  return times === repeated
    ? `was denied ${times} times ${where}, the last time to ${who}${why}`
    : `was denied to ${who} ${where}${why}`
}

/** Whether a scope, a rule, a policy or a hook has denied the call. */
export function isDenied({ conclusion, tenantKnown }: EndedCall): boolean {
  return tenantKnown && conclusion.kind === 'stop' && denials.has(conclusion.reason)
}
