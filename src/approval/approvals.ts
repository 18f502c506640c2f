// People's side of approvals: list what waits, approve it or reject it. A decision is recorded once; the approval stays bound to the
// payload that was shown.
import { type Approval, type ApprovalStatus, approvalStatus } from '../contract/approval.ts'
import { Fault } from '../contract/fault.ts'
import type { Clock } from '../json/clock.ts'
import type { Ledger } from '../ledger/ledger.ts'

export interface ApprovalView extends Approval {
  readonly status: ApprovalStatus
}

export interface DecisionInput {
  /** Who decides. */
  readonly by: string
  readonly reason?: string
}

export interface Approvals {
  list(query?: { readonly tenant?: string; readonly status?: ApprovalStatus }): Promise<readonly ApprovalView[]>
  approve(id: string, decision: DecisionInput): Promise<ApprovalView>
  reject(id: string, decision: DecisionInput): Promise<ApprovalView>
}

export function createApprovals(
  ledger: Ledger,
  clock: Clock,
  onApproved: (approval: Approval) => Promise<void>,
): Approvals {
  const view = (approval: Approval): ApprovalView => ({ ...approval, status: approvalStatus(approval, clock.now()) })

  const decide = async (id: string, verdict: 'approved' | 'rejected', { by, reason }: DecisionInput) => {
    if (typeof by !== 'string' || by === '')
      throw new Fault('bad_options', 'A decision needs to say by whom: { by: "ann" }.')
    const earlier = await ledger.approval(id)
    if (earlier === undefined) throw new Fault('unknown_approval', `There is no approval ${id.slice(0, 64)}.`)
    const decided = await ledger.decide(id, { by, verdict, reason })
    const result = view(decided ?? earlier)
    if (verdict === 'approved' && result.status === 'approved' && result.resume) await onApproved(result)
    return result
  }

  return {
    async list({ tenant, status } = {}) {
      const all = (await ledger.approvals(tenant)).map(view)
      return status === undefined ? all : all.filter((approval) => approval.status === status)
    },
    approve: (id, decision) => decide(id, 'approved', decision),
    reject: (id, decision) => decide(id, 'rejected', decision),
  }
}
