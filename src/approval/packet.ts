// The packet: everything a person needs to judge one concrete call, and nothing that should stay hidden.
import type { Packet } from '../contract/approval.ts'
import type { Call } from '../contract/call.ts'
import { effectRow } from '../contract/effects.ts'
import type { Tool } from '../contract/tool.ts'
import { ownCopy } from '../json/own-copy.ts'
import type { JsonObject } from '../json/value.ts'

export interface PacketInput {
  readonly call: Call
  readonly tool: Tool
  readonly input: JsonObject
  readonly fingerprint: string
  readonly why: string
}

export function buildPacket({ call, tool, input, fingerprint, why }: PacketInput): Packet {
  const { contract, binding } = tool
  const { side_effect_class, compensation_tool } = contract.transactional
  const state = call.state ?? null
  // Made before any code of the host runs, and of copies: what is shown is what was judged.
  return {
    action: { tool: contract.identity.name, version: contract.identity.version },
    consequence: describe(tool, input),
    why,
    arguments: ownCopy(call.observableInput ?? {}),
    before: state,
    after: state === null ? null : guarded(() => binding.state?.after?.(ownCopy(state), input) ?? null, null),
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

function describe(tool: Tool, input: JsonObject): string {
  const name = tool.contract.identity.name
  const plain = `Runs ${name} with the arguments shown.`
  return guarded(() => tool.binding.consequence?.(input) ?? plain, `${plain} Its own description could not be made.`)
}

/** Descriptions are host code; a failing one must not hide the request itself from the person who decides. */
function guarded<T>(describeIt: () => T, otherwise: T): T {
  try {
    return describeIt()
  } catch {
    return otherwise
  }
}
