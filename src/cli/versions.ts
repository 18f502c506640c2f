// `proviso versions`: which version of a tool is in force, who decided so, and how two of them did; and a person's word that another one is
// to be. What is decided here holds in every process that shares the ledger.
import { type CommandRow, flag, type Given, misuse, type Outcome, text } from './command.ts'
import { ownKeyOption } from './keys/own-key.ts'
import { ledgerOptions } from './ledger/ledger-place.ts'
import type { Terminal } from './terminal.ts'

export const versions: CommandRow = {
  name: 'versions',
  group: 'Tools:',
  summary: 'list, promote, try out, roll back and compare versions of tools, and releases',
  arguments: [
    { syntax: '[action]', about: 'list, history, promote, canary, rollback, release or compare; without one, list' },
    { syntax: '[tool]', about: 'the tool; with release: the file of the manifest' },
    { syntax: '[version]', about: 'with promote, canary and compare: its version' },
    { syntax: '[other]', about: 'with compare: the version to compare with' },
  ],
  options: [
    { flags: '--why <text>', about: 'why; recorded with every decision' },
    { flags: '--share <part>', about: 'with canary: the part of the runs that get it, from 0 to 1' },
    { flags: '--tenants <names>', about: 'with canary: only runs of these tenants', repeats: true },
    { flags: '--end', about: 'with canary: nobody else gets it; runs that began with it keep it' },
    { flags: '--release', about: 'with rollback: the last release instead of one tool' },
    { flags: '--since <when>', about: 'with compare: only calls since this date or time, such as 2026-11-01' },
    { flags: '--tenant <name>', about: 'with compare: only calls of this tenant' },
    ownKeyOption,
    ...ledgerOptions,
    { flags: '--json', about: 'print one JSON value, snake_case' },
  ],
  examples: [
    'proviso versions',
    'proviso versions canary refund 2.0.0 --share 0.1 --tenants acme,globex --why "first week"',
    'proviso versions compare refund 1.4.0 2.0.0 --since 2026-11-01',
    'proviso versions promote refund 2.0.0 --why "no refusals in a week"',
    'proviso versions rollback refund --why "amounts are rounded wrong"',
    'proviso versions release release.json --why "new model"',
  ],
  exits: [
    'listed, compared, or decided and recorded',
    'the key does not do, or there is nothing to decide, and nothing was changed',
    'wrong usage, a file that is no manifest, or a ledger that is missing or cannot be opened',
  ],
  async run(given, terminal) {
    const [action = 'list'] = given.words
    switch (action) {
      case 'list':
      case 'history':
        return show(action, given, terminal)
      case 'compare':
        return compare(given, terminal)
      case 'promote':
      case 'canary':
      case 'rollback':
      case 'release':
        return decide(action, given, terminal)
      default:
        return misuse(`There is no action ${action.slice(0, 64)}.`, [
          'Known are list, history, promote, canary, rollback, release and compare.',
        ])
    }
  },
}

async function show(what: 'list' | 'history', given: Given, terminal: Terminal): Promise<Outcome> {
  if (given.words.length > 2) return misuse(`proviso versions ${what} takes one tool, or none.`)
  const [{ withLedger }, { showVersions }] = await Promise.all([
    import('./ledger/open-ledger.ts'),
    import('./versions/show-versions.ts'),
  ])
  return withLedger(given, terminal, (ledger) => showVersions(ledger, what, given, terminal))
}

async function compare(given: Given, terminal: Terminal): Promise<Outcome> {
  const [, tool, a, b] = given.words
  if (tool === undefined || a === undefined || b === undefined)
    return misuse('Say which tool and which two versions: proviso versions compare TOOL A B.')
  const since = text(given, 'since')
  const moment = since === undefined ? undefined : Date.parse(since)
  if (Number.isNaN(moment)) return misuse('--since takes a date or a time, such as 2026-11-01 or 2026-11-01T12:00Z.')
  const [{ withLedger }, { showComparison }] = await Promise.all([
    import('./ledger/open-ledger.ts'),
    import('./versions/show-comparison.ts'),
  ])
  const wanted = { tool, versions: [a, b], since: moment } as const
  return withLedger(given, terminal, (ledger) => showComparison(ledger, wanted, given, terminal))
}

async function decide(
  action: 'promote' | 'canary' | 'rollback' | 'release',
  given: Given,
  terminal: Terminal,
): Promise<Outcome> {
  const why = text(given, 'why')?.trim() ?? ''
  if (why === '') return misuse('Say why: --why TEXT. It is recorded.')
  if (action !== 'rollback' && flag(given, 'release')) return misuse('--release belongs to proviso versions rollback.')
  const { readOrder } = await import('./versions/read-order.ts')
  const order = await readOrder(action, given, terminal)
  if (!order.ok) return misuse(order.message, order.details)
  const { ownKey } = await import('./keys/own-key.ts')
  const own = await ownKey(given, terminal)
  if (!own.ok) return misuse(own.message)
  const [{ withPeople }, { decideVersion }] = await Promise.all([
    import('./approvals/with-people.ts'),
    import('./versions/decide-version.ts'),
  ])
  return withPeople(given, terminal, async ({ verify }, ledger) => {
    const { user } = await verify(own.key)
    return decideVersion(ledger, order.make, { by: user, why }, given, terminal)
  })
}
