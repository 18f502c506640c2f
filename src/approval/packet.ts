// The packet: everything a person needs to judge one concrete call, and nothing that should stay hidden.
import type { Packet } from '../contract/approval.ts'
import type { Call } from '../contract/call.ts'
import { effectRow } from '../contract/effects.ts'
import type { Tool } from '../contract/tool.ts'
import { ownCopy } from '../json/own-copy.ts'

export interface PacketInput {
  readonly call: Call
  readonly tool: Tool
  readonly fingerprint: string
  readonly why: string
  readonly consequence: string
  readonly after: Packet['after']
}

export function buildPacket({ call, tool, fingerprint, why, consequence, after }: PacketInput): Packet {
  const { contract, binding } = tool
  const { side_effect_class, compensation_tool } = contract.transactional
  return {
    action: { tool: contract.identity.name, version: contract.identity.version },
    consequence,
    why,
    arguments: ownCopy(call.observableInput ?? {}),
    before: call.state ?? null,
    after,
    fingerprint,
    riskClass: side_effect_class,
    pattern: binding.approval.pattern,
    quorum: Math.max(binding.approval.quorum, effectRow(side_effect_class).quorum),
    compensation:
      compensation_tool === null ? 'Nothing undoes this automatically.' : `Can be undone by ${compensation_tool}.`,
    ifRejected: 'Nothing is done; the agent is told that the call was rejected.',
    traceId: call.traceId,
    requestedBy: call.principal.user,
  }
}
