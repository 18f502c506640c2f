// What code of the host says for people to read: what will happen, and what the state will be. It may fail; what it says is then left
// out, and the request itself is never hidden by it. Sensitive arguments are masked before it is asked what it will show.
import type { Call } from '../../contract/call/call.ts'
import { copyResult } from '../../json/copy.ts'
import { ownCopy } from '../../json/own-copy.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import { askHost, toolOf, typedInput } from './tool-context.ts'

/** What the tool's own function says will happen; undefined where it has none, or none that answers with words. */
export function saidOf(call: Call): string | undefined {
  const { consequence } = toolOf(call).binding
  if (typeof consequence !== 'function') return undefined
  const said = askHost(() => consequence(typedInput(call)))
  return said.ok && typeof said.value === 'string' && said.value.trim() !== '' ? said.value : undefined
}

/** The state expected afterwards; null where nobody can say. */
export function stateAfter(call: Call): JsonObject | null {
  const { sensitive } = toolOf(call).binding
  return after(call, sensitive.length === 0 ? typedInput(call) : ownCopy(call.observableInput ?? {}))
}

/** The same on the true arguments, to be held against what is there; nobody is shown it. */
export const foretoldState = (call: Call): JsonObject | null => after(call, typedInput(call))

function after(call: Call, args: JsonObject): JsonObject | null {
  const { state: reader } = toolOf(call).binding
  const { state } = call
  if (reader?.after === undefined || state === undefined || state === null) return null
  const said = askHost(() => reader.after?.(ownCopy(state), args))
  const copy = said.ok && said.value !== undefined ? copyResult(said.value) : undefined
  return copy?.ok === true && isObject(copy.value) ? copy.value : null
}
