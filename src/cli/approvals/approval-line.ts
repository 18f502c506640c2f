// An approval in a list: one row for a person, one object for a program.
import type { ApprovalView } from '../../approval/approval-desk.ts'
import { quorumOf } from '../../contract/approval/approval-pattern.ts'
import { wirePacket } from '../../contract/wire.ts'
import { toIso } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import { lineText, shortText } from '../plain-text.ts'
import type { Colours } from '../terminal.ts'

export function wireApproval(approval: ApprovalView): JsonObject {
  const { id, kind, status, callId, run, packetHash, requirementHash, attached, token, packet } = approval
  return {
    id,
    kind,
    status,
    call_id: callId,
    run: run ?? null,
    packet_hash: packetHash,
    requirement_hash: requirementHash,
    created_at: toIso(approval.createdAt),
    expires_at: toIso(approval.expiresAt),
    attached: attached.map(({ callId: call_id, trace }) => ({ call_id, trace_id: trace })),
    token: token ?? null,
    // A packet is plain data by its making, which its interface types do not show.
    packet: wirePacket(packet) as unknown as JsonObject,
  }
}

export const approvalTitles = ['approval', 'since', 'tenant', 'status', 'votes', 'tool', 'consequence'] as const

export function approvalCells(approval: ApprovalView, { dim, green, red, yellow }: Colours): readonly string[] {
  const { id, status, packet, decisions, requirement, createdAt } = approval
  const shade = status === 'pending' ? yellow : status === 'approved' || status === 'used' ? green : red
  return [
    id,
    dim(toIso(createdAt)),
    lineText(packet.tenant),
    shade(status),
    // Where several kinds of people have to agree, the largest number of one kind may not do.
    `${decisions.length}/${quorumOf(requirement)}${requirement.demands.length > 1 ? '+' : ''}`,
    lineText(packet.actionName.tool),
    shortText(packet.consequence, 72),
  ]
}
