// `proviso approvals`: what waits for people, and what they say to it.
import { setTimeout } from 'node:timers/promises'
import type { ApprovalView } from '../../approval/approval-desk.ts'
import type { People } from '../../approval/people.ts'
import type { ApprovalStatus } from '../../contract/approval/approval.ts'
import { quorumOf } from '../../contract/approval/approval-pattern.ts'
import { toIso } from '../../json/clock.ts'
import {
  type CommandBody,
  type CommandIo,
  type CommandResult,
  done,
  jsonOption,
  misuse,
  runActions,
} from '../command.ts'
import { ledgerOptions } from '../ledger/ledger-place.ts'
import { ownKeyOption, withPeople } from '../people.ts'
import { type Listing, printItem, printList } from '../print.ts'
import { decideApproval, showApproval, wireApproval } from './decide.ts'

export const approvalsCommand: CommandBody = {
  arguments: [
    { syntax: '<action>', about: 'list, watch, show, approve, reject, grant, grants or revoke' },
    { syntax: '[subject]', about: 'the approval; with grant: a file; with revoke: the standing approval' },
  ],
  options: [
    { flags: '--tenant <name>', about: 'with list, watch and grants: only of this tenant' },
    {
      flags: '--status <status>',
      about: 'with list: pending (default), approved, rejected, expired, superseded, used or all',
    },
    { flags: '--limit <count>', about: 'with list: how many at most, oldest first (default: 50)' },
    { flags: '--after <approval>', about: 'with list and watch: go on behind this one' },
    {
      flags: '--packet <hash>',
      about: 'with approve and reject: the packet you have seen, where there is no terminal',
    },
    {
      flags: '--whole',
      about: 'with show: every argument and state in full; a packet whose card is cut shows its hash only then',
    },
    { flags: '--reason <text>', about: 'with approve, reject and revoke: why; recorded, and told to the agent' },
    {
      flags: '--tools <path>',
      about: 'with grant: tool file, or folder of tool files (default: tools)',
      repeats: true,
    },
    { flags: '--signing-key <file>', about: "the ledger's private key, where its processes were given one" },
    ownKeyOption,
    ...ledgerOptions,
    jsonOption,
  ],
  examples: [
    'proviso approvals list',
    'proviso approvals show appr_0199c2f1-7a04-7c3e-9d51-2f6d4c1b8e70',
    'proviso approvals approve appr_0199c2f1-7a04-7c3e-9d51-2f6d4c1b8e70 --key-file ~/.proviso-key',
    'proviso approvals reject appr_0199c2f1-7a04-7c3e-9d51-2f6d4c1b8e70 --packet 4be1… --reason "wrong customer"',
    'proviso approvals grant small-refunds.json',
    'proviso approvals revoke grant_0199c2f1-7a04-7c3e-9d51-2f6d4c1b8e70 --reason "the campaign is over"',
    'proviso approvals watch --json',
  ],
  exits: [
    'listed or shown; the decision was taken',
    'refused: the key does not do, the packet is another, or it was decided before; nothing was changed',
    'wrong usage, no such approval, or a ledger that is missing or cannot be opened',
  ],
  run: runActions('approvals', {
    list: { run: (io) => withPeople(io, (people) => listApprovals(people, io)) },
    watch: { run: (io) => withPeople(io, (people) => watchApprovals(people, io)) },
    show: { takes: 'APPROVAL', run: showApproval },
    approve: { takes: 'APPROVAL', run: (io) => decideApproval('approve', io) },
    reject: { takes: 'APPROVAL', run: (io) => decideApproval('reject', io) },
    grant: { takes: 'FILE', run: async (io) => (await import('./grants.ts')).requestGrant(io) },
    grants: { run: async (io) => (await import('./grants.ts')).listGrants(io) },
    revoke: { takes: 'GRANT', run: async (io) => (await import('./grants.ts')).revokeGrant(io) },
  }),
}

const statuses: readonly ApprovalStatus[] = ['pending', 'approved', 'rejected', 'expired', 'superseded', 'used']
const maxPage = 1_000
const pollMs = 500

async function listApprovals({ approvals }: People, io: CommandIo): Promise<CommandResult> {
  const word = io.option('status') ?? 'pending'
  const status = statuses.find((known) => known === word)
  if (status === undefined && word !== 'all') return misuse(`--status is one of ${statuses.join(', ')}, all.`)
  const limit = Number(io.option('limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPage)
    return misuse(`--limit is a number from 1 to ${maxPage}.`)
  const page = await approvals.list({
    limit,
    ...(status === undefined ? {} : { status }),
    ...io.pick('tenant', 'after'),
  })
  const none = status === 'pending' ? 'Nothing waits for people.' : 'No approvals fit.'
  const more = page.length === limit ? [`There may be more: --after ${page.at(-1)?.id}`] : []
  return printList(io, page, { ...approvalListing, none }, more)
}

/** Each packet once, as it is opened; those that wait already come first. */
async function watchApprovals({ approvals }: People, io: CommandIo): Promise<CommandResult> {
  const signal = io.interruption()
  let behind: { readonly after?: string } = io.pick('after')
  while (!signal.aborted) {
    const page = await approvals.list({ status: 'pending', limit: maxPage, ...io.pick('tenant'), ...behind })
    for (const one of page) {
      printItem(io, one, approvalListing)
      behind = { after: one.id }
    }
    // It rejects only when the reader leaves, which ends the loop.
    if (page.length < maxPage) await setTimeout(pollMs, undefined, { signal }).catch(() => undefined)
  }
  return done(true)
}

const approvalListing: Listing<ApprovalView> = {
  columns: [
    { title: 'approval', text: ({ id }) => id },
    { title: 'since', text: ({ createdAt }) => toIso(createdAt), shade: (_, { dim }) => dim },
    { title: 'tenant', text: ({ packet }) => packet.tenant },
    {
      title: 'status',
      text: ({ status }) => status,
      shade: ({ status }, { green, red, yellow }) =>
        status === 'pending' ? yellow : status === 'approved' || status === 'used' ? green : red,
    },
    {
      title: 'votes',
      // The plus: several kinds of people have to agree, so that this number alone may not be enough.
      text: ({ decisions, requirement }) =>
        `${decisions.length}/${quorumOf(requirement)}${requirement.demands.length > 1 ? '+' : ''}`,
    },
    { title: 'tool', text: ({ packet }) => packet.actionName.tool },
    { title: 'consequence', text: ({ packet }) => packet.consequence, length: 72 },
  ],
  wire: wireApproval,
  none: 'No approvals fit.',
}
