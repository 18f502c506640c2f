// What people are asked about a call at this moment, and what their answer is bound to: made of the call and of what its tool says of it.
// Code of the host may fail; what it would say is then left out, and the request itself is never hidden by it.
import { type AskedQuestion, askedQuestion } from '../../approval/question.ts'
import { idempotencyKey } from '../../contract/call/slot.ts'
import type { Call, JudgedCall } from '../../contract/call/stages.ts'
import { copyResult, ownCopy } from '../../json/copy.ts'
import { hashFields, hashJson } from '../../json/hash.ts'
import { taggedForm } from '../../json/tagged-form.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import { keyFields } from './same-operation.ts'
import { askHost, typedInput } from './tool-context.ts'

export function askAbout(call: JudgedCall, payload: string): AskedQuestion {
  return askedQuestion({
    call,
    tool: call.tool,
    payloadHash: payload,
    fingerprint: call.slotRef === undefined ? payload : idempotencyKey(keyFields(call), call.generation),
    after: stateAfter(call),
    ownSentence: consequenceOf(call),
  })
}

/** The contract, who asked in which run, what people saw, and what the executor will get. Undefined where that cannot be pinned down. */
export function payloadHash({
  tool,
  principal,
  run,
  inputHash,
  permissionInput,
  callInput,
}: JudgedCall): string | undefined {
  const form = taggedForm(callInput)
  if (form === undefined) return undefined
  return hashFields('proviso.payload.v1', [
    tool.contractHash,
    principal.user ?? null,
    run ?? null,
    inputHash,
    hashJson(permissionInput),
    hashJson(form),
  ])
}

/** What the tool's own function says will happen; undefined where it has none, or none that answers with words. */
function consequenceOf(call: JudgedCall): string | undefined {
  const { consequence } = call.tool.binding
  if (typeof consequence !== 'function') return undefined
  const said = askHost(() => consequence(typedInput(call)))
  return said.ok && typeof said.value === 'string' && said.value.trim() !== '' ? said.value : undefined
}

type Foretelling = Pick<Call, 'tool' | 'state' | 'callInput' | 'observableInput'>

/** The state expected afterwards, with sensitive arguments masked; null where the tool does not say. */
export const stateAfter = (call: Foretelling): JsonObject | null =>
  foretold(call, call.tool?.binding.sensitive.length === 0 ? call.callInput : call.observableInput)

/** The same on the true arguments, to be held against what is there; it is shown to no person. */
export const foretoldState = (call: Foretelling): JsonObject | null => foretold(call, call.callInput)

function foretold({ tool, state }: Foretelling, callInput: unknown): JsonObject | null {
  const reader = tool?.binding.state
  if (reader?.after === undefined || state === undefined || state === null) return null
  const said = askHost(() => reader.after?.(ownCopy(state), typedInput({ callInput })))
  const copy = said.ok && said.value !== undefined ? copyResult(said.value) : undefined
  return copy?.ok === true && isObject(copy.value) ? copy.value : null
}
