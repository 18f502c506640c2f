// What a person is asked and what they said. A packet shows the concrete call; an approval is bound to the exact payload it shows.
import type { EpochMs } from '../json/clock.ts'
import type { JsonObject } from '../json/value.ts'
import type { ApprovalPattern, EffectClass } from './effects.ts'

export interface Packet {
  readonly action: { readonly tool: string; readonly version: string }
  readonly consequence: string
  /** Who asked for a person, and why. */
  readonly why: string
  /** The exact arguments; sensitive values are masked. */
  readonly arguments: JsonObject
  readonly before: JsonObject | null
  readonly after: JsonObject | null
  readonly fingerprint: string
  readonly riskClass: EffectClass
  readonly pattern: ApprovalPattern
  readonly quorum: number
  readonly compensation: string
  readonly ifRejected: string
  readonly traceId: string
  readonly requestedBy: string | undefined
}

export interface Decision {
  readonly by: string
  readonly verdict: 'approved' | 'rejected'
  readonly reason: string | undefined
  readonly at: EpochMs
}

/** What an approval is bound to: any other payload, contract or generation of the operation needs another one. */
export interface ApprovalSubject {
  readonly tenant: string
  readonly slotKey: string
  readonly generation: number
  readonly payloadHash: string
}

export interface Approval {
  readonly id: string
  readonly callId: string
  readonly run: string | undefined
  readonly subject: ApprovalSubject
  readonly packet: Packet
  readonly createdAt: EpochMs
  readonly expiresAt: EpochMs
  readonly decisions: readonly Decision[]
  /** Set while an attempt uses it; cleared when that attempt had no effect. */
  readonly usedBy: string | undefined
  /** The decision itself runs the call again. */
  readonly resume: boolean
}

/** An approval to be opened; the ledger's clock says when it begins and ends. */
export interface ApprovalRequest extends Omit<Approval, 'createdAt' | 'expiresAt' | 'decisions' | 'usedBy'> {
  readonly ttlMs: number
}

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'used'

export function approvalStatus(approval: Approval, now: EpochMs): ApprovalStatus {
  if (approval.decisions.some((decision) => decision.verdict === 'rejected')) return 'rejected'
  if (approval.usedBy !== undefined) return 'used'
  if (approval.expiresAt <= now) return 'expired'
  const { quorum, pattern, requestedBy } = approval.packet
  const approvers = new Set(approval.decisions.map((decision) => person(decision.by)))
  // Under dual control nobody approves what they asked for themselves.
  if (pattern === 'dual_control' && requestedBy !== undefined) approvers.delete(person(requestedBy))
  return approvers.size >= quorum ? 'approved' : 'pending'
}

/** The same person, however the name is spelt. */
const person = (name: string) => name.trim().toLowerCase()

export type EscalationKind =
  | 'unknown_effect'
  | 'unverifiable'
  | 'verification_failed'
  | 'normalization_failed'
  | 'duplicate_side_effect'

/** An open question to a person. It stays open until somebody answers it, or the attempt itself comes to its end after all. */
export interface Escalation {
  readonly id: string
  readonly tenant: string
  readonly callId: string
  readonly kind: EscalationKind
  readonly message: string
  readonly at: EpochMs
}
