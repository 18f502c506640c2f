// `proviso call`: proposes one call, as a model would, and shows the answer. It is kept in the ledger like any other: made again in the
// same run, it is answered from the record. With --approve the people at the keyboard decide with their own keys.
import { randomUUID } from 'node:crypto'
import type { ApprovalView } from '../approval/approval-desk.ts'
import { systemClock } from '../json/clock.ts'
import type { CallContext } from '../pipeline/call/call-context.ts'
import type { Proviso } from '../runtime/proviso.ts'
import { type CommandRow, done, flag, type Given, jsonOption, misuse, text, texts } from './command.ts'
import { ownKeyOption } from './keys/own-key.ts'
import { ledgerOptions } from './ledger/ledger-place.ts'
import { lineText } from './plain-text.ts'
import type { Terminal } from './terminal.ts'

export const call: CommandRow = {
  name: 'call',
  group: 'Calls:',
  summary: 'propose one call to a tool, as a model would, and see what becomes of it',
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
  async run(given, terminal) {
    const [name = '', word] = given.words
    const { ownKeys } = await import('./keys/own-key.ts')
    const own = flag(given, 'approve') ? await ownKeys(given, terminal) : noKeys
    if (!own.ok) return misuse(own.message)
    const { readArguments } = await import('./call/read-arguments.ts')
    const source = await readArguments(word, terminal)
    if (!source.ok) return misuse(source.message)
    const { loadTools } = await import('./call/load-tools.ts')
    const paths = texts(given, 'tools')
    const durable = !flag(given, 'memory')
    const { tools, aside } = await loadTools(paths.length === 0 ? ['tools'] : paths, terminal.folder, { durable })
    if (aside.includes(name)) {
      return misuse(
        `${name} is a CRITICAL_MUTATION and needs a ledger that survives a crash; --memory keeps it in memory.`,
        ['Leave --memory out.'],
      )
    }
    if (aside.length > 0)
      terminal.note(`Set aside, because they need a durable ledger: ${aside.map(lineText).join(', ')}`)
    if (tools.length === 0)
      return misuse('There are no tools to call.', [
        'Tool files end in .tool.yaml, .tool.yml or .tool.json; proviso init writes two.',
      ])
    const { openTrial } = await import('./call/open-trial.ts')
    const opened = await openTrial(tools, given, terminal)
    if (!opened.ok) return opened.outcome
    const { proviso } = opened
    try {
      return done(await tryCall({ given, terminal, proviso, durable, name, argumentText: source.text, keys: own.keys }))
    } finally {
      await proviso.close()
    }
  },
}

interface Trial {
  readonly given: Given
  readonly terminal: Terminal
  readonly proviso: Proviso
  readonly durable: boolean
  readonly name: string
  readonly argumentText: string | undefined
  /** Of the people who approve. */
  readonly keys: readonly string[]
}

const noKeys = { ok: true, keys: [] } as const

async function tryCall(trial: Trial): Promise<boolean> {
  const { given, terminal, proviso } = trial
  const { wireAnswer, wireFact, wirePacket } = await import('../contract/wire.ts')
  const { showAnswer } = await import('./call/show-answer.ts')
  const { renderCard } = await import('../approval/card.ts')
  const json = flag(given, 'json')
  const proposal = {
    tool: trial.name,
    ...(trial.argumentText === undefined ? {} : { arguments: trial.argumentText }),
    // Every command is a call of its own, as every proposal of a model has an id of its own.
    callId: text(given, 'callId') ?? `cli_${randomUUID()}`,
  }
  const propose = async () => wireAnswer(await proviso.call(proposal, contextOf(given)))

  let answer = await propose()
  const shown = answer.approval === undefined ? undefined : await proviso.approvals.get(answer.approval.id)
  const packet = shown === undefined ? undefined : wirePacket(shown.packet)
  if (shown !== undefined && !json) terminal.out(`${renderCard(shown.packet, { now: systemClock.now() })}\n`)
  if (shown !== undefined && trial.keys.length > 0) {
    const approvers = await approveShown(proviso, shown, trial)
    if (!json) terminal.out(terminal.colours.dim(`Approved by ${approvers.map(lineText).join(', ')}; called again.\n`))
    answer = await propose()
  }
  const { ownCallId, factsOf } = await import('./call/own-call.ts')
  const id = await ownCallId(proviso, answer, { run: runOf(given), providerCallId: proposal.callId })
  if (json) {
    const facts = flag(given, 'facts') ? await factsOf(proviso, id) : undefined
    const extra = {
      ...(packet === undefined ? {} : { packet }),
      ...(facts === undefined ? {} : { facts: facts.map(wireFact) }),
    }
    terminal.out(JSON.stringify({ ...answer, ...extra }, null, 2))
  } else {
    terminal.out(showAnswer(answer, terminal.colours))
  }
  if (trial.durable) terminal.note(terminal.colours.dim(`Recorded; see why with: proviso explain ${id}`))
  return answer.observation.status.taxonomy_class === 'SUCCESS'
}

const runOf = (given: Given) => text(given, 'run') ?? 'cli'

function contextOf(given: Given): CallContext {
  const tenant = text(given, 'tenant')
  const user = text(given, 'user')
  const operationId = text(given, 'operation')
  return {
    run: runOf(given),
    scopes: texts(given, 'scope'),
    roles: texts(given, 'role'),
    ...(tenant === undefined ? {} : { tenant }),
    ...(user === undefined ? {} : { user }),
    ...(operationId === undefined ? {} : { operationId }),
  }
}

/** Everybody in turn, on exactly the packet that was shown, until it is decided. */
async function approveShown(
  proviso: Proviso,
  { id, packetHash }: ApprovalView,
  { keys }: Trial,
): Promise<readonly string[]> {
  let after: ApprovalView | undefined
  for (const credential of keys) {
    if (after !== undefined && after.status !== 'pending') break
    after = await proviso.approvals.approve(id, { credential, packetHash })
  }
  return after?.decisions.map(({ by }) => by) ?? []
}
