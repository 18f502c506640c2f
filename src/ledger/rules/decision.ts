// The effect of a decision on an approval, and the packet that a request belongs to: every engine asks here, under its own lock.
import {
  type Approval,
  type ApprovalRequest,
  type ApprovalStatus,
  type Decision,
  votesOf,
} from '../../contract/approval/approval.ts'
import { covers, personOf } from '../../contract/approval/approval-pattern.ts'
import type { EpochMs } from '../../json/clock.ts'
import { hashJson } from '../../json/hash.ts'
import type { Raise } from '../ports/limits.ts'
import { approvalStatus } from './permit.ts'

/** Signs what was decided; called within the step that writes it. */
export type IssueToken = (approved: Approval, at: EpochMs) => string

export type DecisionOutcome =
  /** The decision is not taken: too late, for another packet, or by a person whose approval would not count. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'decided'; readonly approval: Approval; readonly status: ApprovalStatus }

export function judgeDecision(
  approval: Approval,
  decision: Omit<Decision, 'at'>,
  at: EpochMs,
  issue: IssueToken,
): DecisionOutcome {
  const status = approvalStatus(approval, at)
  const isRejection = decision.verdict !== 'approved'
  // An approval may be withdrawn as long as nothing has used it.
  if (status !== 'pending' && !(status === 'approved' && isRejection && approval.kind === 'call')) return unchanged
  if (decision.packetHash !== approval.packetHash) return unchanged
  const decided: Approval = { ...approval, decisions: [...approval.decisions, { ...decision, at }] }
  if (!isRejection && !counts(decided, decision.by)) return unchanged
  const after = approvalStatus(decided, at)
  const token = after === 'approved' ? issue(decided, at) : undefined
  return { kind: 'decided', approval: { ...decided, token }, status: after }
}

const unchanged: DecisionOutcome = { kind: 'unchanged' }

/** One person, one vote: the newest decision counts, and it is the only one of its person. */
function counts(decided: Approval, by: string): boolean {
  const votes = votesOf(decided)
  if (votes.status === 'rejected') return false
  return !votes.uncounted.some((other) => personOf(other.by) === personOf(by))
}

/** Whether an open packet already asks what a request asks, of people whose approval would be enough for it. */
export function isSameQuestion(
  open: Approval,
  request: Omit<ApprovalRequest, 'ttlMs' | 'replaces' | 'waiting'>,
): boolean {
  return (
    open.packetHash === request.packetHash &&
    open.subject.payloadHash === request.subject.payloadHash &&
    covers(open.requirement, request.requirement)
  )
}

/** Calls that wait for the same decision are kept up to this number. */
export const maxAttached = 100

/**
 * What an approved request for more of a budget adds, and to which counter; undefined where nothing is raised, or where it is not what
 * people were shown. Every engine adds it in the step that records the last vote: an approval whose raise is missing does not exist.
 */
export function raiseOf({ id, kind, subject, ground, content, decisions }: Approval): Raise | undefined {
  const { name, window_ms: windowMs, amount, why } = content ?? {}
  if (kind !== 'budget' || typeof name !== 'string' || typeof amount !== 'number' || typeof why !== 'string')
    return undefined
  if (hashJson(content ?? {}) !== ground.payloadHash) return undefined
  const by = decisions.map((decision) => decision.by).join(', ')
  return {
    id,
    tenant: subject.tenant,
    name,
    windowMs: typeof windowMs === 'number' ? windowMs : undefined,
    amount,
    by,
    why,
  }
}
