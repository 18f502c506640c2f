// Results too large for an answer, kept under a reference.
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { JsonValue } from '../../json/value.ts'

export interface Results {
  save(tenant: string, callId: string, value: JsonValue): Awaitable<string>
  get(tenant: string, ref: string): Awaitable<JsonValue | undefined>
}
