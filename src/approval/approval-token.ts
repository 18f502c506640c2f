// Does an approval's token say what its row says, about this packet? The row may have been edited; the token is signed. Each difference
// is refused by name.
import { type Approval, requirementHash } from '../contract/approval/approval.ts'
import type { EpochMs } from '../json/clock.ts'
import type { PublicKey } from '../ledger/log/keys/public-key.ts'
import type { SigningKey } from '../ledger/log/keys/signing-key.ts'
import { type ExpectedToken, readToken, signToken, type TokenRefusal } from './token-format.ts'

export type TokenCheck = 'valid' | 'missing' | TokenRefusal

/** `packet` is the hash of what would be asked now, never the one that the row claims. */
export function checkToken(
  approval: Approval,
  packet: string,
  publicKeys: readonly PublicKey[],
  now: EpochMs,
): TokenCheck {
  if (approval.token === undefined) return 'missing'
  const reading = readToken(approval.token, publicKeys, { ...boundOf(approval), packetHash: packet }, now)
  if (!reading.ok) return reading.reason
  return reading.claims.approvalId === approval.id ? 'valid' : 'other_call'
}

/** Signs an approval that enough people have given. `until` is the end of the packet, or of the grant. */
export function issueToken(approval: Approval, key: SigningKey, at: EpochMs, until: EpochMs): string {
  const approvers = approval.decisions.filter(({ verdict }) => verdict === 'approved').map(({ by }) => by)
  return signToken(
    {
      ...boundOf(approval),
      packetHash: approval.packetHash,
      approvalId: approval.id,
      traceId: approval.question.trace,
      approvers,
      approvedAt: at,
      expiresAt: until,
      scope: approval.kind === 'grant' ? 'grant' : 'single_execution',
      decision: 'approved',
    },
    key,
  )
}

/** Hashed from the requirement itself, not read from the hash that lies beside it: it cannot be lowered unnoticed between two votes. */
function boundOf(approval: Approval): Omit<ExpectedToken, 'packetHash' | 'traceId'> {
  const { subject, question, callId, requirement, policies } = approval
  return {
    tool: question.actionName.tool,
    version: question.actionName.version,
    payloadHash: subject.payloadHash,
    tenant: subject.tenant,
    callId,
    slot: subject.slotKey,
    generation: subject.generation,
    requirementHash: requirementHash(requirement, policies),
  }
}
