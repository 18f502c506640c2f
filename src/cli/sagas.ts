// `proviso sagas`: sagas on record, the journal of one as a timeline, and a person's word that one may go on.
import { type CommandRow, flag, type Given, misuse, type Outcome, text } from './command.ts'
import { ownKeyOption } from './keys/own-key.ts'
import { ledgerOptions } from './ledger/ledger-place.ts'
import type { Terminal } from './terminal.ts'

export const sagas: CommandRow = {
  name: 'sagas',
  group: 'Calls:',
  summary: 'list sagas, show the journal of one, and resume those that stand still',
  arguments: [
    { syntax: '[action]', about: 'list, show or resume; without one, sagas are listed' },
    { syntax: '[saga]', about: 'with show and resume: id of the saga, its beginning, or latest' },
  ],
  options: [
    { flags: '--tenant <name>', about: 'only of this tenant' },
    { flags: '--name <saga>', about: 'only sagas of this name' },
    { flags: '--state <state>', about: 'only in this state, such as WAITING or COMPENSATION_FAILED' },
    { flags: '--open', about: 'only those that are not over' },
    { flags: '--limit <count>', about: 'how many at most, newest first (default: 50)' },
    { flags: '--why <text>', about: 'with resume: what was mended, or how you know; recorded' },
    { flags: '--effect <effect>', about: 'with resume: what became of the step in doubt, happened or none' },
    ownKeyOption,
    ...ledgerOptions,
    { flags: '--json', about: 'print one JSON value, snake_case' },
  ],
  examples: [
    'proviso sagas --open',
    'proviso sagas list --state COMPENSATION_FAILED --json',
    'proviso sagas show latest',
    'proviso sagas resume saga_0199c2f1-7a --why "the provider accepts refunds again"',
  ],
  exits: [
    'listed or shown; with resume: it goes on wherever its definition is known',
    'with resume: the saga does not stand still or the key does not do, and nothing was changed; or others have to say so, too. With show: it stands still until a person resumes it',
    'wrong usage, no such saga, or a ledger that is missing or cannot be opened',
  ],
  async run(given, terminal) {
    const [action = 'list', ...more] = given.words
    switch (action) {
      case 'list':
        return more.length === 0 ? list(given, terminal) : misuse('proviso sagas list takes no saga.')
      case 'show':
        return show(given, terminal)
      case 'resume':
        return resume(given, terminal)
      default:
        return misuse(`There is no action ${action.slice(0, 64)}.`, ['Known are list, show and resume.'])
    }
  },
}

async function list(given: Given, terminal: Terminal): Promise<Outcome> {
  const { listSagas, sagasQuery } = await import('./sagas/list-sagas.ts')
  const reading = sagasQuery(given)
  if (!reading.ok) return misuse(reading.message, reading.details)
  const { withLedger } = await import('./ledger/open-ledger.ts')
  return withLedger(given, terminal, (ledger) => listSagas(ledger, reading.query, given, terminal))
}

async function show(given: Given, terminal: Terminal): Promise<Outcome> {
  const [, wanted, ...more] = given.words
  if (wanted === undefined || more.length > 0) return misuse('Say which saga: proviso sagas show SAGA.')
  const [{ withLedger }, { showSaga }] = await Promise.all([
    import('./ledger/open-ledger.ts'),
    import('./sagas/show-saga.ts'),
  ])
  return withLedger(given, terminal, (ledger) => showSaga(ledger, wanted, given, terminal))
}

async function resume(given: Given, terminal: Terminal): Promise<Outcome> {
  const [, wanted, ...more] = given.words
  if (wanted === undefined || more.length > 0) return misuse('Say which saga: proviso sagas resume SAGA.')
  const why = text(given, 'why')?.trim() ?? ''
  if (why === '') return misuse('Say what was mended, or how you know: --why TEXT. It is recorded.')
  const effect = text(given, 'effect')
  if (effect !== undefined && effect !== 'happened' && effect !== 'none') return misuse('--effect is happened or none.')
  if (flag(given, 'open')) return misuse('--open belongs to the list.')
  const { ownKey } = await import('./keys/own-key.ts')
  const own = await ownKey(given, terminal)
  if (!own.ok) return misuse(own.message)
  const [{ withPeople }, { resumeNamedSaga }] = await Promise.all([
    import('./approvals/with-people.ts'),
    import('./sagas/resume-saga.ts'),
  ])
  const said = effect === undefined ? {} : ({ effect } as const)
  const resumption = { credential: own.key, why, ...said }
  return withPeople(given, terminal, ({ verify }, ledger) =>
    resumeNamedSaga({ ledger, verify }, wanted, resumption, given, terminal),
  )
}
