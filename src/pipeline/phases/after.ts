// Lets the host's hooks see the result. The effect stands: a hook can warn here, and nothing more.
import type { Call } from '../../contract/call.ts'
import type { Hook } from '../../contract/hook.ts'
import { ownCopy } from '../../json/own-copy.ts'
import { toolContext, toolOf } from '../context.ts'
import { type Act, pass, type Verdict } from '../phase.ts'
import { within } from '../within.ts'

export const after: Act = {
  name: 'after',
  does: "Lets the host's hooks see the result and add warnings.",
  stopsWith: [],
  act(call, { hooks }) {
    return hooks.some((hook) => hook.after !== undefined) ? runHooks(call, hooks) : pass
  },
}

async function runHooks(call: Call, hooks: readonly Hook[]): Promise<Verdict> {
  const { identity, runtime } = toolOf(call).contract
  const warnings = [...call.warnings]
  for (const hook of hooks) {
    if (hook.after === undefined) continue
    try {
      const seen = hook.after({
        tool: identity.name,
        input: ownCopy(call.observableInput ?? {}),
        data: ownCopy(call.data ?? null),
        context: toolContext(call),
      })
      const result = await within(runtime.timeout_ms, seen)
      warnings.push(...(result?.warnings ?? []))
    } catch {
      warnings.push(`post_hook_failed: the hook ${hook.name} failed`)
    }
  }
  return { kind: 'pass', gives: { warnings } }
}
