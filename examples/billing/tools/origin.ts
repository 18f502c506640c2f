// Who is behind an effect: every line the tools write carries the call, the person and the key it was made under.
import type { ExecutionContext } from '../../../src/index.ts'
import type { Origin } from '../world/records.ts'

export function originOf({ callId, user, idempotencyKey }: ExecutionContext): Origin {
  return { call_id: callId, by: user ?? 'no user', key: idempotencyKey ?? callId, at: new Date().toISOString() }
}
