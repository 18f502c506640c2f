// A question to a person about one call; written down with its pass.
import type { Escalation, EscalationKind } from '../../contract/approval/approval.ts'
import type { Call, CallGives } from '../../contract/call/call.ts'
import { uuidv7 } from '../../json/id.ts'
import type { Deps } from '../deps.ts'

export function escalation(
  call: Pick<Call, 'id' | 'tenant'>,
  kind: EscalationKind,
  message: string,
  { clock, entropy }: Pick<Deps, 'clock' | 'entropy'>,
): Escalation {
  const at = clock.now()
  return { id: uuidv7(at, entropy), tenant: call.tenant, callId: call.id, kind, message, at }
}

/** What a verdict gives the call so that the question is asked. */
export function asks(call: Call, kind: EscalationKind, message: string, deps: Deps): Pick<CallGives, 'escalations'> {
  return { escalations: [...(call.escalations ?? []), escalation(call, kind, message, deps)] }
}
