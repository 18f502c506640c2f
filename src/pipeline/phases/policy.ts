// Whether rules allow it: the class table's defaults, the host's policies and hooks, under one precedence.
import type { Call } from '../../contract/call.ts'
import type { Tool } from '../../contract/tool.ts'
import { ownCopy } from '../../json/own-copy.ts'
import { classVoices } from '../../policy/class-defaults.ts'
import { judge, type Voice } from '../../policy/voices.ts'
import { inputOf, toolOf } from '../context.ts'
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
    return policies.length === 0 ? silent : hear(call, toolOf(call), policies)
  },
  decide(call, heard) {
    const asked = (call.hookOutputs ?? []).flatMap((output): readonly Voice[] =>
      output.ask === undefined ? [] : [{ source: `hook/${output.hook}`, says: 'ask', message: output.ask }],
    )
    const { says, by } = judge([...heard, ...classVoices(toolOf(call)), ...asked])
    if (says === 'allow' || by === undefined) return pass
    if (says === 'deny') return stop('POLICY_VIOLATION', 'policy_blocked', `${by.message} (policy ${by.source})`)
    return { kind: 'pass', gives: { asked: `${by.message} (${by.source})` } }
  },
}

async function hear(call: Call, tool: Tool, policies: readonly Policy[]): Promise<Evidence> {
  const subject = {
    tool: tool.contract,
    arguments: ownCopy(inputOf(call)),
    tenant: call.tenant,
    principal: call.principal,
    run: call.run,
  }
  const voices: Voice[] = []
  for (const policyOfHost of policies) {
    try {
      const voice = await within(tool.contract.runtime.timeout_ms, policyOfHost.judge(subject))
      if (voice !== undefined) voices.push({ source: policyOfHost.id, ...voice })
    } catch {
      // A policy that cannot judge denies.
      voices.push({ source: policyOfHost.id, says: 'deny', message: 'This policy could not be judged.' })
    }
  }
  return voices
}
