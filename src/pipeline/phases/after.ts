// The moments after the tool: post_tool_use where it returned, post_tool_use_failure where it did not. The effect stands: a hook may
// speak, and replace what is shown of the result, and nothing more.
import type { Mutation } from '../../contract/call/call.ts'
import type { HookOutput } from '../../contract/call/hook.ts'
import type { AdmittedCall, Call, Conclusion, JudgedCall } from '../../contract/call/stages.ts'
import { shownData } from '../../execute/results/map-result.ts'
import { canonicalize } from '../../json/canonical.ts'
import { hashJson } from '../../json/hash.ts'
import type { JsonValue } from '../../json/value.ts'
import { askHooks, gainedFrom, type HookGives, isHooked, outputsOf, shownOutputs } from '../call/run-hooks.ts'
import type { Deps } from '../deps.ts'
import { type Act, type Gives, pass, passWith, type Verdict } from '../phase.ts'

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
