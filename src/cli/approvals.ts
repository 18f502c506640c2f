// `proviso approvals`: what waits for people, and what they say to it.
import { type CommandRow, type Given, jsonOption, misuse, type Outcome } from './command.ts'
import { ownKeyOption } from './keys/own-key.ts'
import { ledgerOptions } from './ledger/ledger-place.ts'
import type { Terminal } from './terminal.ts'

export const approvals: CommandRow = {
  name: 'approvals',
  group: 'People:',
  summary: 'see what waits for people, look at it, approve or reject it; give and revoke standing approvals',
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
      about: 'with approve and reject: the packet you have seen, where nobody is at a terminal',
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
  async run(given, terminal) {
    const [action = '', subject, ...more] = given.words
    const needs = subjects.get(action)
    if (needs === undefined)
      return misuse(`There is no action ${action.slice(0, 64)}.`, [`Known are ${[...subjects.keys()].join(', ')}.`])
    if (more.length > 0 || (needs === '' && subject !== undefined))
      return misuse(`proviso approvals ${action} takes nothing more.`)
    if (needs !== '' && subject === undefined) return misuse(`Say which: proviso approvals ${action} ${needs}.`)
    return act(action, subject ?? '', given, terminal)
  },
}

const subjects: ReadonlyMap<string, string> = new Map([
  ['list', ''],
  ['watch', ''],
  ['show', 'APPROVAL'],
  ['approve', 'APPROVAL'],
  ['reject', 'APPROVAL'],
  ['grant', 'FILE'],
  ['grants', ''],
  ['revoke', 'GRANT'],
])

async function act(action: string, subject: string, given: Given, terminal: Terminal): Promise<Outcome> {
  if (action === 'grant') return (await import('./approvals/manage-grants.ts')).askGrant(subject, given, terminal)
  const { withPeople } = await import('./approvals/with-people.ts')
  return withPeople(given, terminal, async (people) => {
    switch (action) {
      case 'list':
        return (await import('./approvals/list-approvals.ts')).listApprovals(people, given, terminal)
      case 'watch':
        return (await import('./approvals/list-approvals.ts')).watchApprovals(people, given, terminal)
      case 'show':
        return (await import('./approvals/decide.ts')).showApproval(people, subject, given, terminal)
      case 'approve':
      case 'reject':
        return (await import('./approvals/decide.ts')).decide(people, action, subject, given, terminal)
      case 'grants':
        return (await import('./approvals/manage-grants.ts')).listGrants(people, given, terminal)
      default:
        return (await import('./approvals/manage-grants.ts')).revokeGrant(people, subject, given, terminal)
    }
  })
}
