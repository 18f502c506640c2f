// The part of a call that a tool's own code may see.
import type { Call } from '../contract/call.ts'
import type { ToolContext } from '../contract/tool.ts'
import type { JsonObject } from '../json/value.ts'

export function toolContext(call: Call): ToolContext {
  return { callId: call.id, tenant: call.tenant, user: call.principal.user, run: call.run, traceId: call.traceId }
}

/** call_input as the tool's own code takes it: it was written for what its schema gives, and the schema has accepted this. */
export function typedInput(call: Call): JsonObject {
  return (call.callInput ?? {}) as JsonObject
}
