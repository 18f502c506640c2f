// Lets the host's hooks speak before anything is decided. Each hook runs once per call id; a changed input is judged from the start.
import type { Call, Mutation } from '../../contract/call.ts'
import type { Hook, HookOutput } from '../../contract/hook.ts'
import { copyParsed } from '../../json/copy.ts'
import { hashJson } from '../../json/hash.ts'
import { maskPointers } from '../../json/mask.ts'
import { ownCopy } from '../../json/own-copy.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import { toolContext, toolOf } from '../context.ts'
import { type Gate, pass, stop, type Verdict } from '../phase.ts'
import { within } from '../within.ts'

type Evidence = readonly HookOutput[]

const silent: Evidence = []

export const before: Gate<Evidence> = {
  name: 'before',
  does: "Lets the host's hooks change, stop or send the call to a person.",
  stopsWith: [
    { class: 'POLICY_VIOLATION', reasons: ['hook_blocked'] },
    { class: 'UNKNOWN_ERROR', reasons: ['hook_failed'] },
  ],
  gather(call, { hooks }) {
    if (call.hookOutputs !== undefined) return call.hookOutputs
    return hooks.some((hook) => hook.before !== undefined) ? runHooks(call, hooks) : silent
  },
  decide(call, outputs) {
    if (outputs.length === 0) return pass
    const broken = outputs.find((output) => output.failed)
    if (broken !== undefined)
      return stop('UNKNOWN_ERROR', 'hook_failed', `The hook ${broken.hook} failed, so the call is refused.`)
    const stopping = outputs.find((output) => output.stop !== undefined)
    if (stopping?.stop !== undefined) return stop('POLICY_VIOLATION', 'hook_blocked', stopping.stop)
    return call.hookOutputs === undefined ? apply(call, outputs) : pass
  },
  keep(outputs, { tool }) {
    const sensitive = tool?.binding.sensitive ?? []
    if (outputs.length === 0 || sensitive.length === 0) return outputs
    return outputs.map((output) =>
      output.updatedInput === undefined
        ? output
        : { ...output, updatedInput: maskPointers(output.updatedInput, sensitive) },
    )
  },
}

async function runHooks(call: Call, hooks: readonly Hook[]): Promise<Evidence> {
  const { identity, runtime } = toolOf(call).contract
  const outputs: HookOutput[] = []
  const context = toolContext(call)
  for (const hook of hooks) {
    if (hook.before === undefined) continue
    try {
      const event = { tool: identity.name, input: ownCopy(call.observableInput ?? {}), context }
      const result = await within(runtime.timeout_ms, hook.before(event))
      // Also one that said nothing is on record: it is not asked again.
      outputs.push({ hook: hook.name, ...result })
    } catch {
      outputs.push({ hook: hook.name, failed: true })
    }
  }
  return outputs
}

/** Hooks saw a masked copy, so they name the arguments they replace; what they do not name stays the model's. */
function apply(call: Call, outputs: Evidence): Verdict {
  const input = call.permissionInput ?? {}
  let next: JsonObject = input
  const mutations: Mutation[] = [...call.mutations]
  for (const output of outputs) {
    if (output.updatedInput === undefined) continue
    const copy = copyParsed(output.updatedInput)
    if (!copy.ok || !isObject(copy.value)) {
      return stop('UNKNOWN_ERROR', 'hook_failed', `The hook ${output.hook} gave an input that is not a JSON object.`)
    }
    const fromHash = hashJson(next)
    next = { ...next, ...copy.value }
    const fields = Object.keys(copy.value)
    mutations.push({ by: output.hook, reason: 'changed by a hook', fields, fromHash, toHash: hashJson(next) })
  }
  if (next === input) return { kind: 'pass', gives: { hookOutputs: outputs } }
  return { kind: 'again', from: 'structure', gives: { hookOutputs: outputs, permissionInput: next, mutations } }
}
