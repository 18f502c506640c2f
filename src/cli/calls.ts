// `proviso calls`: the calls on record, those that are held for a person, and that person's answer.
import { type CommandRow, flag, type Given, misuse, type Outcome, text } from './command.ts'
import { ownKeyOption } from './keys/own-key.ts'
import { ledgerOptions } from './ledger/ledger-place.ts'
import type { Terminal } from './terminal.ts'

export const calls: CommandRow = {
  name: 'calls',
  group: 'Calls:',
  summary: 'list the calls on record, follow them, and resolve the ones that are held',
  arguments: [
    { syntax: '[action]', about: 'resolve, or escalations; without one, calls are listed' },
    { syntax: '[call]', about: 'with resolve: id of the call, or its beginning' },
  ],
  options: [
    { flags: '--tenant <name>', about: 'only of this tenant' },
    { flags: '--run <id>', about: 'only of this run' },
    { flags: '--tool <name>', about: 'only of this tool' },
    { flags: '--status <class>', about: 'only those that ended in this class, or RUNNING' },
    { flags: '--effect <effect>', about: 'only none, happened, unknown or pending; with resolve: happened or none' },
    { flags: '--held', about: 'only those nobody can tell about, with the question to a person' },
    { flags: '--limit <count>', about: 'how many at most, newest first (default: 50)' },
    { flags: '--follow', about: 'go on printing calls as they come and get on, oldest first' },
    { flags: '--why <text>', about: 'with resolve: how you know; recorded' },
    ownKeyOption,
    ...ledgerOptions,
    { flags: '--json', about: 'print one JSON array, snake_case; with --follow one object per line' },
  ],
  examples: [
    'proviso calls --tool send_mail_v1 --effect unknown',
    'proviso calls --follow --json',
    'proviso calls --held',
    'proviso calls resolve 0199c2f1-7a --effect happened --why "the provider shows message 4711"',
    'proviso calls escalations',
  ],
  exits: [
    'listed; with resolve: resolved and recorded',
    'with resolve: the call is not held or the key does not do, and nothing was changed; or others have to say so, too',
    'wrong usage, no such call, or a ledger that is missing or cannot be opened',
  ],
  async run(given, terminal) {
    const [action, ...more] = given.words
    switch (action) {
      case undefined:
        return list(given, terminal)
      case 'escalations':
        return more.length === 0 ? escalations(given, terminal) : misuse('proviso calls escalations takes no call.')
      case 'resolve':
        return resolve(given, terminal)
      default:
        return misuse(`There is no action ${action.slice(0, 64)}.`, [
          'Known are resolve and escalations; proviso explain CALL tells of one call.',
        ])
    }
  },
}

async function list(given: Given, terminal: Terminal): Promise<Outcome> {
  if (text(given, 'why') !== undefined || text(given, 'keyFile') !== undefined)
    return misuse('--why and --key-file belong to proviso calls resolve.')
  const { callsQuery } = await import('./calls/calls-query.ts')
  const reading = callsQuery(given)
  if (!reading.ok) return misuse(reading.message, reading.details)
  const { withLedger } = await import('./ledger/open-ledger.ts')
  return withLedger(given, terminal, async (ledger) => {
    if (flag(given, 'follow')) {
      const { followCalls } = await import('./calls/follow-calls.ts')
      return followCalls(ledger, reading.query, given, terminal)
    }
    const { listCalls } = await import('./calls/list-calls.ts')
    return listCalls(ledger, reading.query, given, terminal)
  })
}

async function escalations(given: Given, terminal: Terminal): Promise<Outcome> {
  const [{ withLedger }, { listEscalations }] = await Promise.all([
    import('./ledger/open-ledger.ts'),
    import('./calls/list-escalations.ts'),
  ])
  return withLedger(given, terminal, (ledger) => listEscalations(ledger, given, terminal))
}

async function resolve(given: Given, terminal: Terminal): Promise<Outcome> {
  const { resolutionWords, resolveCall } = await import('./calls/resolve-call.ts')
  const reading = resolutionWords(given)
  if (!reading.ok) return misuse(reading.message)
  if (flag(given, 'follow') || flag(given, 'held')) return misuse('--follow and --held belong to the list.')
  const { ownKey } = await import('./keys/own-key.ts')
  const own = await ownKey(given, terminal)
  if (!own.ok) return misuse(own.message)
  const { withPeople } = await import('./approvals/with-people.ts')
  const words = { ...reading.words, credential: own.key }
  return withPeople(given, terminal, (people, ledger) => resolveCall(people, ledger, words, given, terminal))
}
