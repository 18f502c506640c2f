// Asks the host's hooks about one moment of a call. Each is asked once per call id, bounded in time, about copies; what it answers is read
// as data, and what was answered before is used again.
import type { Hook, HookEventName, HookOutput, PermissionResult } from '../../contract/call/hook.ts'
import type { Call, JudgedCall } from '../../contract/call/stages.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import { within } from '../../execute/within.ts'
import { copyParsed, copyResult, ownCopy } from '../../json/copy.ts'
import { hashJson } from '../../json/hash.ts'
import { maskPointers } from '../../json/mask.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { Deps } from '../deps.ts'
import type { Gives } from '../phase.ts'
import { toolContext } from './tool-context.ts'

const methods = {
  pre_tool_use: 'preToolUse',
  permission_request: 'permissionRequest',
  permission_decision: 'permissionDecision',
  post_tool_use: 'postToolUse',
  post_tool_use_failure: 'postToolUseFailure',
  result_persistence: 'resultPersistence',
} as const satisfies Record<HookEventName, keyof Hook>

/** What hooks answered about this moment, in this pass or an earlier one. */
export function outputsOf(
  { hookOutputs = [] }: Pick<Call, 'hookOutputs'>,
  event: HookEventName,
): readonly HookOutput[] {
  return hookOutputs.filter((output) => output.event === event)
}

/** Whether any hook wants to hear of the moment. */
export function isHooked(hooks: readonly Hook[], event: HookEventName): boolean {
  return hooks.some((hook) => hook[methods[event]] !== undefined)
}

type HookedEvent = Readonly<Record<string, unknown>>

/** A hook that answered nothing is on record as well, so that it is not asked again. */
export async function askHooks(
  call: JudgedCall,
  event: HookEventName,
  about: HookedEvent,
  { hooks, progress }: Deps,
): Promise<readonly HookOutput[]> {
  const earlier = outputsOf(call, event)
  if (earlier.length > 0) return earlier
  const { identity, runtime } = call.tool.contract
  const outputs: HookOutput[] = []
  for (const hook of hooks) {
    const method = hook[methods[event]] as ((event: HookedEvent) => Awaitable<unknown>) | undefined
    if (method === undefined) continue
    const input = ownCopy(call.observableInput)
    const given = { ...ownCopy(about), tool: identity.name, input, context: toolContext(call) }
    try {
      const answer = await within(runtime.timeout_ms, method.call(hook, given))
      outputs.push({ event, hook: hook.name, ...readAnswer(answer) })
    } catch {
      outputs.push({ event, hook: hook.name, failed: true })
    }
    const text = outputs.at(-1)?.progress
    if (text !== undefined) progress({ callId: call.id, tool: identity.name, hook: hook.name, event, text })
  }
  return outputs
}

type Answer = Omit<HookOutput, 'event' | 'hook'>

const texts = ['message', 'progress', 'additionalContext', 'stop'] as const
const maxTextLength = 2_000

/** An answer may be anything; what of it is no answer makes the hook one that failed. */
function readAnswer(answer: unknown): Answer {
  if (answer === undefined || answer === null) return {}
  if (typeof answer !== 'object') return { failed: true }
  const given = { ...answer } as Readonly<Record<string, unknown>>
  const read: { -readonly [Key in keyof Answer]: Answer[Key] } = {}
  for (const name of texts) {
    const text = given[name]
    if (typeof text === 'string') read[name] = text.slice(0, maxTextLength)
    // A stop without words stops all the same.
    else if (name === 'stop' && text !== undefined && text !== null && text !== false) read.stop = ''
  }
  if (given.updatedInput !== undefined) {
    const copy = copyParsed(given.updatedInput)
    if (!copy.ok || !isObject(copy.value)) return { ...read, failed: true }
    read.updatedInput = copy.value
  }
  if (given.updatedOutput !== undefined) {
    const copy = copyResult(given.updatedOutput)
    if (!copy.ok) return { ...read, failed: true, stop: 'A hook replaced it by something that is no JSON.' }
    read.updatedOutput = copy.value
  }
  if (given.permissionResult !== undefined) read.permissionResult = readResult(given.permissionResult)
  return read
}

/** A result that cannot be understood denies. */
function readResult(given: unknown): PermissionResult {
  const { says, message } = isObject(given) ? given : {}
  const isKnown = says === 'allow' || says === 'ask' || says === 'deny'
  const words = typeof message === 'string' && message !== '' ? message.slice(0, maxTextLength) : 'No reason was given.'
  return { says: isKnown ? says : 'deny', message: words }
}

export type HookGives = Gives<JudgedCall, never, 'hookOutputs' | 'warnings'>

/** What a call gains from the hooks of a moment: their outputs, and warnings for the reader of the answer. */
export function gainedFrom(call: JudgedCall, outputs: readonly HookOutput[]): HookGives {
  const known = new Set(call.hookOutputs)
  const fresh = outputs.filter((output) => !known.has(output))
  const words = outputs.flatMap(({ hook, message, additionalContext }) => [
    ...(message === undefined ? [] : [`hook_message: ${hook}: ${message}`]),
    ...(additionalContext === undefined ? [] : [`additional_context: ${additionalContext}`]),
  ])
  const added = words.filter((word) => !call.warnings.includes(word))
  return {
    ...(fresh.length === 0 ? {} : { hookOutputs: [...(call.hookOutputs ?? []), ...fresh] }),
    ...(added.length === 0 ? {} : { warnings: [...call.warnings, ...added] }),
  }
}

/** Outputs as a fact may show them: sensitive arguments masked, results as their hash. */
export function shownOutputs(outputs: readonly HookOutput[], sensitive: readonly string[]): readonly HookOutput[] {
  return outputs.map(({ updatedInput, updatedOutput, ...rest }) => ({
    ...rest,
    ...(updatedInput === undefined ? {} : { updatedInput: masked(updatedInput, sensitive) }),
    ...(updatedOutput === undefined ? {} : { updatedOutput: hashOf(updatedOutput) }),
  }))
}

const masked = (input: JsonObject, sensitive: readonly string[]) =>
  sensitive.length === 0 ? input : maskPointers(input, sensitive)

const hashOf = (value: JsonValue) => `sha256:${hashJson(value)}`
