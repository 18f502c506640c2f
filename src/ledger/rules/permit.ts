// Whether what people have allowed still allows an admission: an approval of this very call, or a standing grant that covers it.
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
