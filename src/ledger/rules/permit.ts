// Whether people still allow an admission: by an approval of this very call, or by a standing grant that covers it.
import { type Approval, type ApprovalStatus, votesOf } from '../../contract/approval/approval.ts'
import type { StandingGrant } from '../../contract/approval/standing-grant.ts'
import type { EpochMs } from '../../json/clock.ts'
import { decide, type RuleTable } from './table.ts'

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

export const approvalRule: RuleTable<ApprovalCase, 'usable' | 'unusable'> = {
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
  /** It allows more than one call: it counts from its decision on, and is not used up. */
  readonly lasting: boolean
  readonly over: boolean
}

/** How an approval is listed. */
export const approvalStatusRule: RuleTable<ApprovalStatusCase, ApprovalStatus> = {
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

// With this comparison a time that is NaN is never early enough.
const isOver = ({ expiresAt }: Pick<Approval, 'expiresAt'>, now: EpochMs): boolean => !(now < expiresAt)

function verdictOf(approval: Approval): ApprovalCase['verdict'] {
  const { status } = votesOf(approval)
  return status !== 'rejected' && approval.superseded ? 'superseded' : status
}

export const approvalStatus = (approval: Approval, now: EpochMs): ApprovalStatus =>
  decide(approvalStatusRule, {
    verdict: verdictOf(approval),
    used: approval.usedBy !== undefined,
    lasting: approval.kind !== 'call' && approval.token !== undefined,
    over: isOver(approval, now),
  })

/** Whose requests are counted together, beside their run: no user, and no agent of theirs, fills the room of another. */
export const requesterText = ({ question: { requester } }: Pick<Approval, 'question'>): string =>
  JSON.stringify([requester.user ?? null, requester.agent ?? null])

export type GrantCase = { readonly revoked: boolean; readonly over: boolean }

export const grantRule: RuleTable<GrantCase, 'in_force' | 'ended'> = {
  name: 'grant_force',
  over: { revoked: yesOrNo, over: yesOrNo },
  rows: [
    { id: 'stands', when: { revoked: false, over: false }, verdict: 'in_force' },
    { id: 'ended', when: {}, verdict: 'ended' },
  ],
}

/** Whether an admission may use it, where all else is in order. */
export const mayUse = (approval: Approval, given: Omit<ApprovalCase, 'verdict' | 'over'>, now: EpochMs): boolean =>
  isUsable({ ...given, verdict: verdictOf(approval), over: isOver(approval, now) })

export const isUsable = (given: ApprovalCase): boolean => decide(approvalRule, given) === 'usable'
export const isInForce = (grant: StandingGrant, now: EpochMs): boolean =>
  decide(grantRule, { revoked: grant.revoked !== undefined, over: isOver(grant, now) }) === 'in_force'
