// The moment pre_tool_use: the host's hooks speak before rules and people are asked. A changed input is judged from the start.
import type { Mutation } from '../../contract/call/call.ts'
import type { HookOutput } from '../../contract/call/hook.ts'
import type { JudgedCall } from '../../contract/call/stages.ts'
import { hashJson } from '../../json/hash.ts'
import type { JsonObject } from '../../json/value.ts'
import { askHooks, gainedFrom, type HookGives, isHooked, outputsOf, shownOutputs } from '../call/run-hooks.ts'
import { type Gate, type Gives, pass, passWith, stop, type Verdict } from '../phase.ts'

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
