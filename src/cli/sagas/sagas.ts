// `proviso sagas`: sagas on record, the journal of one as a timeline, and a person's word that one may go on. Nothing is called here: a
// process that knows the definition of a saga takes it up.
import { type SagaRecord, sagaStates } from '../../contract/saga/saga.ts'
import { systemClock, toIso } from '../../json/clock.ts'
import type { SagaQuery } from '../../ledger/ports/sagas.ts'
import { sagaStandings } from '../../ledger/rules/saga.ts'
import { resumeSaga, type SagaResumed, type SagaResumption } from '../../pipeline/later/resume-saga.ts'
import { type CommandBody, type CommandIo, type CommandResult, misuse, runActions } from '../command.ts'
import { findSaga } from '../find-record.ts'
import { ledgerOptions } from '../ledger/ledger-place.ts'
import { withLedger } from '../ledger/open-ledger.ts'
import { ownKeyOption, withPerson } from '../people.ts'
import { lineText } from '../plain-text.ts'
import { type Listing, printList, printResult } from '../print.ts'
import { sagaShade, showSaga, wireSaga } from './journal.ts'

export const sagasCommand: CommandBody = {
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
  run: runActions(
    'sagas',
    {
      list: { run: listSagas },
      show: {
        takes: 'SAGA',
        asks: 'which saga',
        run: (io) =>
          withLedger(io, async (ledger) => {
            const found = await findSaga(ledger, io.words[0] ?? '', io.pick('tenant'))
            return found.ok ? showSaga(ledger, found.value, io) : found.result
          }),
      },
      resume: { takes: 'SAGA', asks: 'which saga', run: resumeNamedSaga },
    },
    { default: 'list' },
  ),
}

const defaultLimit = 50
const maxLimit = 10_000
/** A saga that no process has taken up this long after it was due. */
const orphanMs = 600_000

async function listSagas(io: CommandIo): Promise<CommandResult> {
  const wanted = io.option('state')?.toUpperCase()
  const state = sagaStates.find((known) => known === wanted)
  if (wanted !== undefined && state === undefined)
    return misuse('There is no such state.', [`Known are ${sagaStates.join(', ')}.`])
  const limit = Number(io.option('limit') ?? defaultLimit)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    return misuse(`--limit takes a whole number from 1 to ${maxLimit}.`)
  if (io.option('why') !== undefined || io.option('effect') !== undefined)
    return misuse('--why and --effect belong to proviso sagas resume.')
  const open = io.flag('open')
  const query: SagaQuery = { ...io.pick('tenant', 'name'), ...(state === undefined ? {} : { state }) }
  return withLedger(io, async (ledger) => {
    // Open sagas may be older than many that are over.
    const listed = await ledger.sagas.list({ ...query, limit: open ? maxLimit : limit })
    const sagas = listed.filter((saga) => !open || !sagaStandings[saga.state].over).slice(0, limit)
    const result = printList(io, sagas, sagaListing)
    if (io.json) return result
    const due = systemClock.now() - orphanMs
    const orphans = sagas.filter(({ dueAt }) => dueAt !== undefined && dueAt < due).length
    if (orphans > 0)
      io.note(
        io.colours.yellow(
          `${orphans} should have gone on long ago: no running process knows their definition, or none runs.`,
        ),
      )
    if (sagas.length === limit) io.note(io.colours.dim(`The newest ${limit}; --limit shows more.`))
    return result
  })
}

const sagaListing: Listing<SagaRecord> = {
  columns: [
    { title: 'saga', text: ({ id }) => id },
    { title: 'name', text: ({ name }) => name },
    { title: 'tenant', text: ({ tenant }) => tenant, length: 24 },
    {
      title: 'started',
      text: ({ createdAt }) => toIso(createdAt).replace('T', ' ').slice(0, 19),
      shade: (_, { dim }) => dim,
    },
    { title: 'state', text: ({ state }) => state, shade: ({ state }, colours) => sagaShade(state, colours) },
  ],
  wire: wireSaga,
  none: 'No sagas fit.',
}

async function resumeNamedSaga(io: CommandIo): Promise<CommandResult> {
  const why = io.option('why')?.trim() ?? ''
  if (why === '') return misuse('Say what was mended, or how you know: --why TEXT. It is recorded.')
  const effect = io.option('effect')
  if (effect !== undefined && effect !== 'happened' && effect !== 'none') return misuse('--effect is happened or none.')
  if (io.flag('open')) return misuse('--open belongs to the list.')
  return withPerson(io, async ({ credential, people: { verify }, ledger }) => {
    const found = await findSaga(ledger, io.words[0] ?? '', io.pick('tenant'))
    if (!found.ok) return found.result
    const { id } = found.value
    const resumption: SagaResumption = { credential, why, ...(effect === undefined ? {} : { effect }) }
    const resumed = await resumeSaga({ ledger, verify }, id, resumption)
    const fine = resumed.kind === 'resumed' || resumed.kind === 'woken'
    const missing = resumed.kind === 'stated' ? { missing: resumed.missing } : {}
    return printResult(
      io,
      { saga_id: id, outcome: resumed.kind, by: resumed.by, ...missing },
      [
        resumedText(resumed, id),
        ...(fine ? [io.colours.dim('A process that knows its definition goes on with it.')] : []),
      ],
      fine,
    )
  })
}

function resumedText(resumed: SagaResumed, id: string): string {
  const by = lineText(resumed.by)
  switch (resumed.kind) {
    case 'resumed':
      return `Resumed by ${by}: saga ${id}`
    case 'woken':
      return `Saga ${id} was waiting; it looks again now.`
    case 'stated':
      return `${by} has said so. ${resumed.missing === 1 ? 'One other person has' : `${resumed.missing} other people have`} to say the same.`
    case 'not_frozen':
      return `Saga ${id} does not stand still; there is nothing to resume.`
  }
}
