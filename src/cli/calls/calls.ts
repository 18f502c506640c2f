// `proviso calls`: the calls on record, those that are held for a person, and that person's answer.
import type { Escalation } from '../../contract/approval/approval.ts'
import type { Effect } from '../../contract/call/answer.ts'
import { isTaxonomyClass } from '../../contract/taxonomy.ts'
import { toIso } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import type { CallQuery, CallRecord } from '../../ledger/ports/calls.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import {
  available,
  type CommandBody,
  type CommandIo,
  type CommandResult,
  done,
  missing,
  misuse,
  type Needed,
  runActions,
} from '../command.ts'
import { ledgerOptions } from '../ledger/ledger-place.ts'
import { withLedger } from '../ledger/open-ledger.ts'
import { ownKeyOption } from '../people.ts'
import { lineText } from '../plain-text.ts'
import { type Listing, printItem, printList } from '../print.ts'
import { newCalls } from './new-calls.ts'

export const callsCommand: CommandBody = {
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
    { flags: '--held', about: 'only those whose effect is not known, with the question to a person' },
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
  run: runActions(
    'calls',
    {
      '': { run: showCalls },
      resolve: {
        takes: 'CALL',
        asks: 'which call',
        run: async (io) => (await import('./resolve-call.ts')).resolveCall(io),
      },
      escalations: { run: listEscalations },
    },
    { hint: 'proviso explain CALL tells of one call' },
  ),
}

type ListQuery = CallQuery & { readonly limit: number }

async function showCalls(io: CommandIo): Promise<CommandResult> {
  if (io.option('why') !== undefined || io.option('keyFile') !== undefined)
    return misuse('--why and --key-file belong to proviso calls resolve.')
  const query = callsQuery(io)
  if (!query.ok) return query.result
  return withLedger(io, (ledger) =>
    io.flag('follow') ? followCalls(ledger, query.value, io) : listCalls(ledger, query.value, io),
  )
}

const effects: readonly Effect[] = ['none', 'happened', 'unknown', 'pending']
const defaultLimit = 50
const maxLimit = 10_000

/** The filters, from what was typed to a query of the ledger. */
function callsQuery(io: CommandIo): Needed<ListQuery> {
  const status = io.option('status')?.toUpperCase()
  if (status !== undefined && !isStatus(status))
    return missing('There is no such status.', [
      'Known are RUNNING and the classes of the taxonomy: docs/reference/taxonomy.md.',
    ])
  const named = io.option('effect')
  const effect = effects.find((known) => known === named)
  if (named !== undefined && effect === undefined)
    return missing('There is no such effect.', [`Known are ${effects.join(', ')}.`])
  const limit = Number(io.option('limit') ?? defaultLimit)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    return missing(`--limit takes a whole number from 1 to ${maxLimit}.`)
  return available({
    ...io.pick('tenant', 'run', 'tool'),
    ...(status === undefined ? {} : { status }),
    ...(effect === undefined ? {} : { effect }),
    ...(io.flag('held') ? { held: true } : {}),
    limit,
  })
}

const isStatus = (name: string): name is CallRecord['status'] => name === 'RUNNING' || isTaxonomyClass(name)

/** The newest calls that fit, newest first; of held ones also what a person is asked. */
async function listCalls(ledger: Ledger, query: ListQuery, io: CommandIo): Promise<CommandResult> {
  const [calls, escalations] = await Promise.all([ledger.calls.list(query), ledger.calls.escalations(query.tenant)])
  return printList(io, calls, callListing(escalations, query), [
    ...(calls.length === query.limit ? [`The newest ${query.limit}; --limit shows more.`] : []),
    ...(query.held === true
      ? ['Find out what became of each, then: proviso calls resolve CALL --effect happened|none --why TEXT']
      : []),
  ])
}

/** Prints calls as they come, until the person stops it or the reader of the output is gone. */
async function followCalls(ledger: Ledger, query: ListQuery, io: CommandIo): Promise<CommandResult> {
  const signal = io.interruption()
  const onSilence = () => io.note(io.colours.dim('The ledger does not answer; it is asked again.'))
  for await (const calls of newCalls(ledger.calls, { query, signal, onSilence })) {
    const listing = callListing(await ledger.calls.escalations(query.tenant), query)
    for (const call of calls) printItem(io, call, listing)
  }
  return done(true)
}

/** A call beside the open questions about it. */
function callListing(escalations: readonly Escalation[], { held = false }: ListQuery): Listing<CallRecord> {
  const questions = Map.groupBy(escalations, ({ callId }) => callId)
  const questionsOf = ({ id }: CallRecord) => questions.get(id) ?? []
  return {
    columns: [
      { title: 'call', text: ({ id }) => id },
      {
        title: 'started',
        // To the second, in UTC: the order of calls that began in the same second is that of their ids.
        text: ({ startedAt }) => toIso(startedAt).replace('T', ' ').slice(0, 19),
        shade: (_, { dim }) => dim,
      },
      { title: 'tenant', text: ({ key }) => key.tenant, length: 24 },
      { title: 'run', text: ({ key }) => key.run ?? '–', length: 24 },
      { title: 'tool', text: ({ key }) => key.tool },
      {
        title: 'status',
        text: ({ status }) => status,
        shade: ({ status, effect }, { green, red, yellow }) =>
          status === 'SUCCESS' ? green : status === 'RUNNING' || effect === 'pending' ? yellow : red,
      },
      {
        title: 'effect',
        text: ({ effect }) => effect,
        shade: ({ effect }, { yellow }) => (effect === 'unknown' ? yellow : undefined),
      },
      {
        title: 'open',
        text: (call) => {
          const waits = call.verification?.state === 'PENDING' ? ['verification_pending'] : []
          return [...waits, ...new Set(questionsOf(call).map(({ kind }) => kind))].join(', ')
        },
        shade: (_, { yellow }) => yellow,
      },
    ],
    wire: (call) => wireCall(call, questionsOf(call)),
    none: held ? 'No call is held.' : 'No calls fit.',
    below: (call, { dim }) =>
      held
        ? questionsOf(call).map(
            ({ kind, message, at }) => `    ? ${lineText(message)} ${dim(`${kind}, since ${toIso(at)}`)}`,
          )
        : [],
  }
}

function wireCall(call: CallRecord, questions: readonly Escalation[]): JsonObject {
  const { key, principal, verification } = call
  return {
    id: call.id,
    started_at: toIso(call.startedAt),
    tenant: key.tenant,
    run: key.run ?? null,
    user: principal.user ?? null,
    agent: principal.agent ?? null,
    tool: key.tool,
    version: call.version,
    provider_call_id: key.providerCallId ?? null,
    operation_id: call.operationId ?? null,
    saga: call.saga === undefined ? null : { ...call.saga },
    passes: call.passes,
    status: call.status,
    effect: call.effect,
    latency_ms: call.latencyMs,
    verification:
      verification === undefined
        ? null
        : { state: verification.state, discrepancy: verification.discrepancy, trust: verification.trust },
    questions: questions.map(wireQuestion),
  }
}

/** The open questions to people, oldest first: about held operations, and about effects that were not found as promised. */
function listEscalations(io: CommandIo): Promise<CommandResult> {
  return withLedger(io, async ({ calls }) =>
    printList(io, await calls.escalations(io.option('tenant')), questionListing),
  )
}

const wireQuestion = ({ id, tenant, callId, kind, message, at }: Escalation): JsonObject => ({
  id,
  tenant,
  call_id: callId,
  kind,
  message,
  at: toIso(at),
})

const questionListing: Listing<Escalation> = {
  columns: [
    { title: 'call', text: ({ callId }) => callId },
    { title: 'since', text: ({ at }) => toIso(at), shade: (_, { dim }) => dim },
    { title: 'tenant', text: ({ tenant }) => tenant },
    { title: 'kind', text: ({ kind }) => kind, shade: (_, { yellow }) => yellow },
    { title: 'question', text: ({ message }) => message },
  ],
  wire: wireQuestion,
  none: 'No question is open.',
}
