// What waits for people, or was decided: a page at a time. Watching goes on with what comes, until the person stops it.
import { setTimeout } from 'node:timers/promises'
import type { People } from '../../approval/people.ts'
import type { ApprovalStatus } from '../../contract/approval/approval.ts'
import { done, flag, type Given, misuse, type Outcome, text } from '../command.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import { approvalCells, approvalTitles, wireApproval } from './approval-line.ts'

const statuses: readonly ApprovalStatus[] = ['pending', 'approved', 'rejected', 'expired', 'superseded', 'used']
const maxPage = 1_000
const pollMs = 500

export async function listApprovals({ approvals }: People, given: Given, terminal: Terminal): Promise<Outcome> {
  const word = text(given, 'status') ?? 'pending'
  const status = statuses.find((known) => known === word)
  if (status === undefined && word !== 'all') return misuse(`--status is one of ${statuses.join(', ')}, all.`)
  const limit = Number(text(given, 'limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPage)
    return misuse(`--limit is a number from 1 to ${maxPage}.`)
  const [tenant, after] = [text(given, 'tenant'), text(given, 'after')]
  const page = await approvals.list({
    limit,
    ...(status === undefined ? {} : { status }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(after === undefined ? {} : { after }),
  })
  if (flag(given, 'json')) {
    terminal.out(JSON.stringify(page.map(wireApproval), null, 2))
    return done(true)
  }
  const { dim } = terminal.colours
  if (page.length === 0) terminal.note(status === 'pending' ? 'Nothing waits for people.' : 'No approvals fit.')
  else terminal.out(textTable([approvalTitles.map(dim), ...page.map((one) => approvalCells(one, terminal.colours))]))
  const last = page.at(-1)
  if (last !== undefined && page.length === limit) terminal.note(dim(`There may be more: --after ${last.id}`))
  return done(true)
}

/** Each packet once, as it is opened; those that wait already come first. */
export async function watchApprovals({ approvals }: People, given: Given, terminal: Terminal): Promise<Outcome> {
  const signal = terminal.interruption()
  const tenant = text(given, 'tenant')
  let after = text(given, 'after')
  while (!signal.aborted) {
    const page = await approvals.list({
      status: 'pending',
      limit: maxPage,
      ...(tenant === undefined ? {} : { tenant }),
      ...(after === undefined ? {} : { after }),
    })
    for (const one of page) {
      if (flag(given, 'json')) terminal.out(JSON.stringify(wireApproval(one)))
      else terminal.out(textTable([approvalCells(one, terminal.colours)]))
      after = one.id
    }
    // It rejects only when the reader leaves, which ends the loop.
    if (page.length < maxPage) await setTimeout(pollMs, undefined, { signal }).catch(() => undefined)
  }
  return done(true)
}
