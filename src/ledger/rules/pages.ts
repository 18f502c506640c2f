// Which calls and which approvals a list shows: a page at a time.
import type { Approval, ApprovalStatus } from '../../contract/approval/approval.ts'
import type { ApprovalQuery } from '../ports/approvals.ts'
import type { CallQuery, CallRecord } from '../ports/calls.ts'
import { defaultPage } from '../ports/ledger.ts'

export const fitsQuery = (call: CallRecord, query: CallQuery): boolean =>
  (query.tenant === undefined || call.key.tenant === query.tenant) &&
  (query.run === undefined || call.key.run === query.run) &&
  (query.tool === undefined || call.key.tool === query.tool) &&
  (query.status === undefined || call.status === query.status) &&
  (query.effect === undefined || call.effect === query.effect) &&
  (query.after === undefined || call.id > query.after) &&
  (query.before === undefined || call.id < query.before)

/** A call that runs is listed as its slot has it, and not as an earlier pass of it has left it. What runs is never held. */
export function newestCalls(
  running: readonly CallRecord[],
  stored: readonly CallRecord[],
  query: CallQuery,
): readonly CallRecord[] {
  const ids = new Set(running.map(({ id }) => id))
  const listed = running.filter((call) => query.held !== true && fitsQuery(call, query))
  const all = [...listed, ...stored.filter(({ id }) => !ids.has(id))]
  return all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, query.limit ?? defaultPage)
}

/** Oldest first, so that ten thousand that wait are no more to carry than a hundred. */
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
