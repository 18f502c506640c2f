// Whether rules allow it: the class table's defaults, the host's policies and hooks, under one precedence.
import type { Call } from '../../contract/call.ts'
import type { Tool } from '../../contract/tool.ts'
import { classVoices } from '../../policy/class-defaults.ts'
import { judge, type Voice } from '../../policy/voices.ts'
import type { Policy } from '../deps.ts'
import { type Gate, pass, stop } from '../phase.ts'
import { within } from '../within.ts'

type Evidence = readonly Voice[]

const silent: Evidence = []

export const policy: Gate<Evidence> = {
  name: 'policy',
  does: 'Defaults of the effect class, policies of the host; any deny wins, then the first ask.',
  stopsWith: [{ class: 'POLICY_VIOLATION', reasons: ['policy_blocked'] }],
  gather(call, { policies }) {
    return policies.length === 0 || call.tool === undefined ? silent : hear(call, call.tool, policies)
  },
  decide(call, heard) {
    if (call.tool === undefined) return pass
    const asked = (call.hookOutputs ?? []).flatMap((output): readonly Voice[] =>
      output.ask === undefined ? [] : [{ source: `hook/${output.hook}`, says: 'ask', message: output.ask }],
    )
    const { says, by } = judge([...heard, ...classVoices(call.tool), ...asked])
    if (says === 'allow' || by === undefined) return pass
    if (says === 'deny') return stop('POLICY_VIOLATION', 'policy_blocked', `${by.message} (policy ${by.source})`)
    return { kind: 'pass', gives: { asked: `${by.message} (${by.source})` } }
  },
}

async function hear(call: Call, tool: Tool, policies: readonly Policy[]): Promise<Evidence> {
  const subject = {
    tool: tool.contract,
    arguments: call.permissionInput ?? {},
    tenant: call.tenant,
    principal: call.principal,
    run: call.run,
  }
  const voices: Voice[] = []
  for (const { id, judge: speak } of policies) {
    try {
      const voice = await within(tool.contract.runtime.timeout_ms, speak(subject))
      if (voice !== undefined) voices.push({ source: id, ...voice })
    } catch {
      // A policy that cannot judge denies.
      voices.push({ source: id, says: 'deny', message: 'This policy could not be judged.' })
    }
  }
  return voices
}
