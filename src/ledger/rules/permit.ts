// Whether what people have allowed still allows an admission: an approval of this very call, or a standing grant that covers it.
import { type Approval, type ApprovalStatus, votesOf } from '../../contract/approval.ts'
import type { StandingGrant } from '../../contract/standing-grant.ts'
import type { EpochMs } from '../../json/clock.ts'
import { decide, type Rule } from './table.ts'

const yesOrNo = [true, false] as const

export type ApprovalCase = {
  readonly verdict: 'pending' | 'approved' | 'rejected' | 'superseded'
  /** Its time is over. */
  readonly over: boolean
  readonly used_by: 'none' | 'this_admission' | 'another'
  /** It was given for these arguments. */
  readonly same_payload: boolean
  /** It was given for this generation of this operation, or the call has none. */
  readonly same_operation: boolean
}

export const approvalRule: Rule<ApprovalCase, 'usable' | 'unusable'> = {
  name: 'approval_use',
  over: {
    verdict: ['pending', 'approved', 'rejected', 'superseded'],
    over: yesOrNo,
    used_by: ['none', 'this_admission', 'another'],
    same_payload: yesOrNo,
    same_operation: yesOrNo,
  },
  rows: [
    {
      id: 'given_for_this',
      when: {
        verdict: 'approved',
        over: false,
        used_by: ['none', 'this_admission'],
        same_payload: true,
        same_operation: true,
      },
      verdict: 'usable',
    },
    { id: 'other', when: {}, verdict: 'unusable' },
  ],
}

export type ApprovalStatusCase = {
  readonly verdict: ApprovalCase['verdict']
  /** A call was admitted with it. */
  readonly used: boolean
  /** It allows more than one call, and was decided: it counts from the decision on, and is not used up. */
  readonly lasting: boolean
  readonly over: boolean
}

/** How an approval is listed. */
export const approvalStatusRule: Rule<ApprovalStatusCase, ApprovalStatus> = {
  name: 'approval_status',
  over: {
    verdict: ['pending', 'approved', 'rejected', 'superseded'],
    used: yesOrNo,
    lasting: yesOrNo,
    over: yesOrNo,
  },
  rows: [
    { id: 'rejected', when: { verdict: 'rejected' }, verdict: 'rejected' },
    { id: 'used', when: { used: true }, verdict: 'used' },
    { id: 'superseded', when: { verdict: 'superseded' }, verdict: 'superseded' },
    { id: 'lasting', when: { lasting: true }, verdict: 'approved' },
    { id: 'over', when: { over: true }, verdict: 'expired' },
    { id: 'approved', when: { verdict: 'approved' }, verdict: 'approved' },
    { id: 'waits', when: {}, verdict: 'pending' },
  ],
}

export function approvalStatus(approval: Approval, now: EpochMs): ApprovalStatus {
  const { status } = votesOf(approval)
  return decide(approvalStatusRule, {
    verdict: status !== 'rejected' && approval.superseded ? 'superseded' : status,
    used: approval.usedBy !== undefined,
    lasting: approval.kind !== 'call' && approval.token !== undefined,
    // Written so that a time which is no number is never early enough.
    over: !(now < approval.expiresAt),
  })
}

export type GrantCase = { readonly revoked: boolean; readonly over: boolean }

export const grantRule: Rule<GrantCase, 'in_force' | 'ended'> = {
  name: 'grant_force',
  over: { revoked: yesOrNo, over: yesOrNo },
  rows: [
    { id: 'stands', when: { revoked: false, over: false }, verdict: 'in_force' },
    { id: 'ended', when: {}, verdict: 'ended' },
  ],
}

export const isUsable = (given: ApprovalCase): boolean => decide(approvalRule, given) === 'usable'
export const isInForce = ({ revoked, expiresAt }: StandingGrant, now: EpochMs): boolean =>
  // Written so that a time which is no number is never early enough.
  decide(grantRule, { revoked: revoked !== undefined, over: !(now < expiresAt) }) === 'in_force'
