// What the host's hooks see of a call, and what they may say: a masked copy of the input, the moment before rules and people are asked, and
// the moments after the tool. A changed input is judged from the start. Once there is an effect it stands: then a hook may speak, and
// replace what is shown of the result, and nothing more.
import type { Mutation } from '../../contract/call/call.ts'
import type { HookOutput } from '../../contract/call/hook.ts'
import type { AdmittedCall, Call, Conclusion, JudgedCall, ResolvedCall } from '../../contract/call/stages.ts'
import { shownData } from '../../execute/results/map-result.ts'
import { canonicalize } from '../../json/canonical.ts'
import { hashJson } from '../../json/hash.ts'
import { maskPointers } from '../../json/mask.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { askHooks, gainedFrom, type HookGives, isHooked, outputsOf, shownOutputs } from '../call/run-hooks.ts'
import type { Deps } from '../deps.ts'
import { type Act, type Gate, type Gives, pass, passWith, stop, type Verdict } from '../phase.ts'

export const observe: Gate<ResolvedCall, Gives<JudgedCall, 'observableInput'>> = {
  name: 'observe',
  does: 'Copies the input for hooks and people, with sensitive values masked.',
  stopsWith: [{ class: 'UNKNOWN_ERROR', reasons: ['input_mutation_failed'] }],
  decide({ tool, permissionInput }) {
    const { sensitive } = tool.binding
    if (sensitive.length === 0) return passWith({ observableInput: permissionInput })
    try {
      return passWith({ observableInput: maskPointers(permissionInput, sensitive) })
    } catch {
      return stop('UNKNOWN_ERROR', 'input_mutation_failed', 'The input could not be copied for display.')
    }
  },
}

type Evidence = readonly HookOutput[]

type Given = Gives<JudgedCall, never, 'hookOutputs' | 'warnings' | 'permissionInput' | 'mutations'>

export const before: Gate<JudgedCall, Given, Evidence> = {
  name: 'before',
  does: "Lets the host's hooks change, stop or speak about the call.",
  stopsWith: [
    { class: 'POLICY_VIOLATION', reasons: ['hook_blocked'] },
    { class: 'UNKNOWN_ERROR', reasons: ['hook_failed'] },
  ],
  gather(call, deps) {
    const earlier = outputsOf(call, 'pre_tool_use')
    if (earlier.length > 0 || !isHooked(deps.hooks, 'pre_tool_use')) return earlier
    return askHooks(call, 'pre_tool_use', {}, deps)
  },
  decide(call, outputs) {
    if (outputs.length === 0) return pass
    const gives = gainedFrom(call, outputs)
    const broken = outputs.find((output) => output.failed)
    if (broken !== undefined)
      return stop('UNKNOWN_ERROR', 'hook_failed', `The hook ${broken.hook} failed, so the call is refused.`, { gives })
    const stopping = outputs.find((output) => output.stop !== undefined)
    if (stopping?.stop !== undefined) return stop('POLICY_VIOLATION', 'hook_blocked', stopping.stop, { gives })
    const applied = outputsOf(call, 'pre_tool_use').length > 0
    return applied ? passWith(gives) : withInputs(call, outputs, gives)
  },
  keep: (outputs, { tool }) => (outputs.length === 0 ? outputs : shownOutputs(outputs, tool.binding.sensitive)),
}

/** Hooks saw a masked copy, so they name the arguments they replace; what they do not name stays the model's. */
function withInputs(call: JudgedCall, outputs: Evidence, gives: HookGives): Verdict<Given> {
  const input = call.permissionInput
  let next: JsonObject = input
  const mutations: Mutation[] = [...call.mutations]
  for (const { hook, updatedInput } of outputs) {
    if (updatedInput === undefined) continue
    const fromHash = hashJson(next)
    next = { ...next, ...updatedInput }
    const fields = Object.keys(updatedInput)
    mutations.push({ by: hook, reason: 'changed by a hook', fields, fromHash, toHash: hashJson(next) })
  }
  if (next === input) return passWith(gives)
  return { kind: 'again', from: 'structure', gives: { ...gives, permissionInput: next, mutations } }
}

export type HookedResult = HookGives &
  Gives<AdmittedCall, never, 'json' | 'data' | 'value' | 'resultBytes' | 'warnings' | 'mutations'>

export const after = {
  name: 'after',
  does: "Lets the host's hooks see what came of it, speak, and replace the result that is shown.",
  stopsWith: [],
  act: (call: AdmittedCall, deps: Deps) => (isHooked(deps.hooks, 'post_tool_use') ? afterSuccess(call, deps) : pass),
  keep(call: Call) {
    const outputs = [...outputsOf(call, 'post_tool_use'), ...outputsOf(call, 'post_tool_use_failure')]
    return outputs.length === 0 ? undefined : (shownOutputs(outputs, []) as unknown as JsonValue)
  },
} satisfies Act<AdmittedCall, HookedResult>

async function afterSuccess(call: AdmittedCall, deps: Deps): Promise<Verdict<HookedResult>> {
  const outputs = await askHooks(call, 'post_tool_use', { data: call.data ?? null, effect: call.effect }, deps)
  return passWith(resultAfter(call, outputs))
}

/** What hooks make of the result that the model and every duplicate get. */
export function resultAfter(call: AdmittedCall, outputs: readonly HookOutput[]): HookedResult {
  const gives = gainedFrom(call, outputs)
  const warnings = [...(gives.warnings ?? call.warnings)]
  const mutations: Mutation[] = [...call.mutations]
  let result: Gives<AdmittedCall, never, 'json' | 'data' | 'value' | 'resultBytes'> = {}
  const replace = (hook: string, json: JsonValue, shown: Pick<AdmittedCall, 'data'>) => {
    const fromHash = hashJson(result.json ?? call.json ?? null)
    mutations.push({ by: hook, reason: 'result replaced by a hook', fields: [], fromHash, toHash: hashJson(json) })
    result = { json, value: json, resultBytes: Buffer.byteLength(canonicalize(json)), ...shown }
  }
  for (const { hook, failed, stop, updatedOutput } of outputs) {
    if (failed === true && stop === undefined) warnings.push(`post_hook_failed: the hook ${hook} failed`)
    // A hook that replaces a result does not want the one it had: where the new one cannot be shown, nothing is.
    const misfits = updatedOutput !== undefined && !call.tool.output.matches(updatedOutput)
    if (stop !== undefined || misfits) {
      const why = misfits ? 'its replacement does not fit the output schema' : stop
      warnings.push(`result_withheld: by the hook ${hook}: ${why}`)
      replace(hook, null, { data: null })
    } else if (updatedOutput !== undefined) {
      replace(hook, updatedOutput, { data: shownData(updatedOutput, false, call.parts) })
    }
  }
  return { ...gives, ...result, warnings, ...(mutations.length > call.mutations.length ? { mutations } : {}) }
}

/** Whether the tool was run, has failed, and a hook wants to hear of it. */
export function isFailureHooked({ outcome, parts }: Call, conclusion: Conclusion, { hooks }: Deps): boolean {
  if (conclusion.kind !== 'stop' || outcome === undefined) return false
  // Of work that was done in part they have heard already.
  const isPart = parts !== undefined && conclusion.reason === 'partial_effect'
  return !isPart && isHooked(hooks, 'post_tool_use_failure')
}

export async function afterFailure(call: JudgedCall, conclusion: Conclusion, deps: Deps): Promise<HookGives> {
  if (conclusion.kind !== 'stop') return {}
  const event = { class: conclusion.class, message: conclusion.errors[0]?.message ?? '', effect: call.effect }
  return gainedFrom(call, await askHooks(call, 'post_tool_use_failure', event, deps))
}
