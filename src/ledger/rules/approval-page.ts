// Which approvals a list shows: a page at a time, oldest first, so that ten thousand that wait are no more to carry than a hundred.
import type { Approval, ApprovalStatus } from '../../contract/approval/approval.ts'
import type { ApprovalQuery } from '../ports/approvals.ts'
import { defaultPage } from '../ports/ledger.ts'

export function approvalPage(
  all: Iterable<Approval>,
  { tenant, status, after, limit = defaultPage }: ApprovalQuery,
  statusOf: (approval: Approval) => ApprovalStatus,
): readonly Approval[] {
  const page: Approval[] = []
  // Kept in the order in which they were opened.
  let isPast = after === undefined
  for (const approval of all) {
    if (page.length >= limit) break
    if (!isPast) isPast = approval.id === after
    else if (tenant !== undefined && approval.subject.tenant !== tenant) continue
    else if (status === undefined || statusOf(approval) === status) page.push(approval)
  }
  return page
}
