// Which approvals a list shows: a page at a time, oldest first, so that ten thousand that wait are no more to carry than a hundred.
import type { Approval, ApprovalStatus } from '../contract/approval.ts'

export interface ApprovalQuery {
  readonly tenant?: string
  readonly status?: ApprovalStatus
  /** Only approvals that were opened after the one of this id. */
  readonly after?: string
  /** 100 by default. */
  readonly limit?: number
}

export interface GrantQuery {
  readonly tenant?: string | undefined
  readonly tool?: string | undefined
  readonly user?: string | undefined
  /** Only those that are neither revoked nor over. */
  readonly inForce?: boolean
}

export const defaultPage = 100

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
