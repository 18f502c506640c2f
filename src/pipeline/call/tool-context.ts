// What a tool's own code may see of a call. It gets copies: it can change them, and the call that was judged is still the call that runs.

import type { AdmittedCall, JudgedCall, OpenedCall } from '../../contract/call/stages.ts'
import type { ToolContext, VerifierContext } from '../../contract/tool/executor.ts'
import { isThenable } from '../../execute/within.ts'
import { ownCopy } from '../../json/copy.ts'
import type { JsonObject } from '../../json/value.ts'

export function toolContext(call: OpenedCall): ToolContext {
  return { callId: call.id, tenant: call.tenant, user: call.principal.user, run: call.run, traceId: call.traceId }
}

/** A verifier is also told the key that the provider was given, to find the effect by. */
export function verifierContext(call: AdmittedCall): Omit<VerifierContext, 'signal' | 'credentials'> {
  return { ...toolContext(call), idempotencyKey: call.idempotencyKey }
}

/** call_input as the tool's own code takes it: it was written for what its schema gives, and the schema has accepted this. */
export function typedInput({ callInput }: Pick<JudgedCall, 'callInput'>): JsonObject {
  return ownCopy(callInput ?? {}) as JsonObject
}

/** Asks a function of the host that has to answer at once. One that throws or promises an answer has none. */
export function askHost<T>(ask: () => T): { readonly ok: true; readonly value: T } | { readonly ok: false } {
  try {
    const value = ask()
    if (!isThenable(value)) return { ok: true, value }
    // It is not waited for; a rejection must not end the process.
    Promise.resolve(value).catch(() => undefined)
    return { ok: false }
  } catch {
    return { ok: false }
  }
}
