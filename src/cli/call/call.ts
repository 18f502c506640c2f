// `proviso call`: proposes one call, as a model would, and shows the answer. It is kept in the ledger like any other: made again in the
// same run, it is answered from the record. With --approve the people at the keyboard decide with their own keys.
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { ApprovalView } from '../../approval/approval-desk.ts'
import { renderCard } from '../../approval/card.ts'
import type { Fact } from '../../contract/call/fact.ts'
import { type WireAnswer, wireAnswer, wireFact, wirePacket } from '../../contract/wire.ts'
import { systemClock } from '../../json/clock.ts'
import type { CallContext } from '../../pipeline/call/call-context.ts'
import type { Proviso } from '../../runtime/proviso.ts'
import {
  available,
  type CommandBody,
  type CommandIo,
  type CommandResult,
  jsonOption,
  misuse,
  type Needed,
} from '../command.ts'
import { ledgerOptions } from '../ledger/ledger-place.ts'
import { effectWords, nextSteps } from '../outcome-words.ts'
import { ownKeyOption, ownKeys } from '../people.ts'
import { cutText, lineText, safeText } from '../plain-text.ts'
import { fieldTable, printResult, textTable } from '../print.ts'
import { readText } from '../read-input.ts'
import type { Colours } from '../terminal.ts'
import { loadTools, openTrial } from './open-trial.ts'

export const callCommand: CommandBody = {
  arguments: [
    { syntax: '<tool>', about: 'name or alias of the tool' },
    { syntax: '[arguments]', about: 'JSON text, @file, or - for stdin' },
  ],
  options: [
    { flags: '--tools <path>', about: 'tool file, or folder of tool files (default: tools)', repeats: true },
    { flags: '--tenant <name>', about: 'tenant of the caller' },
    { flags: '--user <name>', about: 'user of the caller' },
    { flags: '--run <id>', about: 'run the call belongs to (default: cli)' },
    { flags: '--scope <name>', about: 'scope the caller holds', repeats: true },
    { flags: '--role <name>', about: 'role the caller has', repeats: true },
    { flags: '--operation <id>', about: "the caller's own name of the operation" },
    { flags: '--call-id <id>', about: 'call id as a provider would give it' },
    { flags: '--approve', about: 'if a person is asked, approve what is shown with your own key and call again' },
    { ...ownKeyOption, repeats: true },
    { flags: '--facts', about: 'with --json: the facts as well' },
    { flags: '--memory', about: 'keep nothing: a ledger in memory that ends with this command' },
    ...ledgerOptions,
    jsonOption,
  ],
  examples: [
    `proviso call lookup_order_v1 '{"order_id":"ord_1001"}'`,
    'PROVISO_KEY=pvk_… proviso call send_mail_v1 @mail.json --tools ./mail --approve',
    'echo \'{"order_id":"ord_1001"}\' | proviso call lookup_order_v1 - --json --facts --memory',
  ],
  exits: [
    'the call succeeded',
    'it was refused, failed or waits for a person',
    'wrong usage, a tool file that cannot be used, or a ledger that cannot be opened',
  ],
  async run(io) {
    const [name = '', word] = io.words
    const keys = io.flag('approve') ? await ownKeys(io) : available([])
    if (!keys.ok) return keys.result
    const source = await readArguments(word, io)
    if (!source.ok) return source.result
    const durable = !io.flag('memory')
    const { tools, aside } = await loadTools(io, { durable })
    if (aside.includes(name)) {
      return misuse(
        `${name} is a CRITICAL_MUTATION and needs a ledger that survives a crash; --memory keeps it in memory.`,
        ['Leave --memory out.'],
      )
    }
    if (aside.length > 0) io.note(`Set aside, because they need a durable ledger: ${aside.map(lineText).join(', ')}`)
    if (tools.length === 0)
      return misuse('There are no tools to call.', [
        'Tool files end in .tool.yaml, .tool.yml or .tool.json; proviso init writes two.',
      ])
    const opened = await openTrial(tools, io)
    if (!opened.ok) return opened.result
    const proviso = opened.value
    try {
      return await tryCall({ io, proviso, durable, name, argumentText: source.value, keys: keys.value })
    } finally {
      await proviso.close()
    }
  },
}

/** The word itself, a file (@name) or stdin (-). The text is handed on unread: judging it is the pipeline's work. */
async function readArguments(word: string | undefined, io: CommandIo): Promise<Needed<string | undefined>> {
  if (word === '-') return readText(word, io)
  if (word?.startsWith('@') !== true) return available(word)
  const file = word.slice(1)
  return readText(file === '-' ? './-' : file, io, { what: `The file of the arguments, ${file},` })
}

interface Trial {
  readonly io: CommandIo
  readonly proviso: Proviso
  readonly durable: boolean
  readonly name: string
  readonly argumentText: string | undefined
  /** Of the people who approve. */
  readonly keys: readonly string[]
}

async function tryCall({ io, proviso, durable, name, argumentText, keys }: Trial): Promise<CommandResult> {
  const { dim } = io.colours
  const context = contextOf(io)
  const proposal = {
    tool: name,
    ...(argumentText === undefined ? {} : { arguments: argumentText }),
    // Every command is a call of its own, as every proposal of a model has an id of its own.
    callId: io.option('callId') ?? `cli_${randomUUID()}`,
  }
  const propose = async () => wireAnswer(await proviso.call(proposal, context))

  let answer = await propose()
  const approval = answer.approval === undefined ? undefined : await proviso.approvals.get(answer.approval.id)
  if (approval !== undefined && !io.json) io.out(`${renderCard(approval.packet, { now: systemClock.now() })}\n`)
  if (approval !== undefined && keys.length > 0) {
    const approvers = await approvePacket(proviso, approval, keys)
    if (!io.json) io.out(dim(`Approved by ${approvers.map(lineText).join(', ')}; called again.\n`))
    answer = await propose()
  }
  const { call_id: id } = answer.observation.tool_identity
  const facts = io.json && io.flag('facts') ? await completeFacts(proviso, id) : undefined
  const wire = {
    ...answer,
    ...(approval === undefined ? {} : { packet: wirePacket(approval.packet) }),
    ...(facts === undefined ? {} : { facts: facts.map(wireFact) }),
  }
  const isSuccess = answer.observation.status.taxonomy_class === 'SUCCESS'
  const result = printResult(io, wire, showAnswer(answer, io.colours), isSuccess)
  if (durable) io.note(dim(`Recorded; see why with: proviso explain ${id}`))
  return result
}

function contextOf(io: CommandIo): CallContext & { readonly run: string } {
  const operationId = io.option('operation')
  return {
    run: io.option('run') ?? 'cli',
    scopes: io.optionList('scope'),
    roles: io.optionList('role'),
    ...io.pick('tenant', 'user'),
    ...(operationId === undefined ? {} : { operationId }),
  }
}

/** Each person in turn decides on exactly the packet that was shown, until it is decided. */
async function approvePacket(
  proviso: Proviso,
  { id, packetHash }: ApprovalView,
  keys: readonly string[],
): Promise<readonly string[]> {
  let after: ApprovalView | undefined
  for (const credential of keys) {
    if (after !== undefined && after.status !== 'pending') break
    after = await proviso.approvals.approve(id, { credential, packetHash })
  }
  return after?.decisions.map(({ by }) => by) ?? []
}

const askEveryMs = 20
const patienceMs = 2_000

/** Waits for the last fact of a pass, which is written with all the others: the record of a read may come after its answer. */
async function completeFacts(proviso: Proviso, id: string): Promise<readonly Fact[]> {
  for (let waited = 0; ; waited += askEveryMs) {
    const facts = await proviso.calls.facts(id)
    if (facts.at(-1)?.phase === 'emit' || waited >= patienceMs) return facts
    await setTimeout(askEveryMs)
  }
}

/** An answer for a person's eyes: what it came to, whether it happened, what to do next, and every field error. */
function showAnswer(answer: WireAnswer, colours: Colours): string {
  const { observation, effect, response } = answer
  const { status, tool_identity, execution_metadata, result_payload } = observation
  const { bold, dim, green, red, yellow } = colours
  const shade = !status.is_error ? green : effect === 'pending' ? yellow : red
  const reason = result_payload.errors[0]?.code
  const head = [`${shade(bold(status.taxonomy_class))}${reason === undefined ? '' : dim(` · ${lineText(reason)}`)}`]
  const rows: [string, string][] = [
    ['tool', lineText(`${tool_identity.name}${tool_identity.version === '' ? '' : ` ${tool_identity.version}`}`)],
    [
      'call',
      `${tool_identity.call_id}  ${dim(`${execution_metadata.latency_ms} ms${execution_metadata.idempotency_hit ? ', answered from the record' : ''}`)}`,
    ],
    ['effect', `${bold(effect)}  ${dim(effectWords[effect])}`],
    ['next', `${bold(response.next_action)}  ${dim(nextSteps[response.next_action])}`],
  ]
  if (answer.retry_after_ms !== undefined) rows.push(['wait', `${answer.retry_after_ms} ms`])
  if (answer.approval !== undefined)
    rows.push(['approval', `${answer.approval.id}, until ${answer.approval.expires_at}`])
  for (const warning of result_payload.warnings) rows.push(['warning', yellow(lineText(warning))])
  const parts = [...head, fieldTable(rows, colours, { indent: '  ' })]
  parts.push(...errorLines(answer, colours))
  const value = answer.value ?? result_payload.data
  if (value !== null && value !== undefined) parts.push(safeText(JSON.stringify(value, null, 2)))
  return parts.join('\n')
}

function errorLines(answer: WireAnswer, { dim, bold }: Colours): readonly string[] {
  const fields = answer.feedback?.field_errors ?? []
  const general = answer.observation.result_payload.errors
  if (fields.every(({ field }) => field === '$')) return general.map(({ message }) => `  ${lineText(message)}`)
  const rows = fields.map(({ field, expected, actual, message }) => [
    bold(cutText(field, 40)),
    cutText(expected, 48),
    cutText(actual, 32),
    lineText(message),
  ])
  return [
    textTable([['field', 'expected', 'actual', 'what to do'].map((title) => dim(title)), ...rows], { indent: '  ' }),
  ]
}
