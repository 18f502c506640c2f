// Opens a question to a person about one call.
import type { Escalation } from '../contract/approval.ts'
import type { Call } from '../contract/call.ts'
import { uuidv7 } from '../json/id.ts'
import type { Deps } from './deps.ts'

export async function escalate(call: Call, kind: Escalation['kind'], message: string, deps: Deps): Promise<void> {
  const at = deps.clock.now()
  await deps.ledger.escalate({ id: uuidv7(at, deps.entropy), tenant: call.tenant, callId: call.id, kind, message, at })
}
