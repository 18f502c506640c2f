// The part of a call that a tool's own code may see.
import type { Call } from '../contract/call.ts'
import type { ToolContext } from '../contract/tool.ts'

export function toolContext(call: Call): ToolContext {
  return { callId: call.id, tenant: call.tenant, user: call.principal.user, run: call.run, traceId: call.traceId }
}
