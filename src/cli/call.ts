// `proviso call`: proposes one call on a ledger in memory, as a model would, and shows the answer. With --approve the person at the
// keyboard plays the people who decide.
import { join, resolve } from 'node:path'
import type { WireAnswer, WirePacket } from '../contract/wire.ts'
import type { LoadedTool } from '../load-contracts.ts'
import type { CallContext } from '../pipeline/call-context.ts'
import type { Proviso } from '../runtime.ts'
import { defaultFolder, writeCallFile } from './call-record.ts'
import { type CommandRow, done, flag, type Given, jsonOption, misuse, text, texts } from './command.ts'
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
    { flags: '--approve <by>', about: 'if a person is asked, approve in this name and call again', repeats: true },
    { flags: '--facts', about: 'with --json: the facts as well' },
    { flags: '--dir <folder>', about: `where the record goes (default: ${defaultFolder})` },
    { flags: '--no-record', about: 'write no record' },
    jsonOption,
  ],
  examples: [
    `proviso call lookup_order_v1 '{"order_id":"ord_1001"}'`,
    'proviso call send_mail_v1 @mail.json --tools ./mail --approve ann',
    'echo \'{"order_id":"ord_1001"}\' | proviso call lookup_order_v1 - --json --facts',
  ],
  exits: [
    'the call succeeded',
    'it was refused, failed or waits for a person',
    'wrong usage, or a tool file that cannot be used',
  ],
  async run(given, terminal) {
    const [name = '', word] = given.words
    const { readArguments } = await import('./call/read-arguments.ts')
    const source = await readArguments(word, terminal)
    if (!source.ok) return misuse(source.message)
    const [{ loadTrialTools }, { openProviso }] = await Promise.all([
      import('./call/load-tools.ts'),
      import('../runtime.ts'),
    ])
    const paths = texts(given, 'tools')
    const { tools, aside } = await loadTrialTools(paths.length === 0 ? ['tools'] : paths, terminal.folder)
    if (aside.includes(name)) {
      return misuse(
        `${name} is a CRITICAL_MUTATION and needs a ledger that survives a crash; this command keeps its ledger in memory.`,
        [
          'Lower its effect class in a copy of the file to try it, or call it from a program that opens a durable ledger.',
        ],
      )
    }
    if (aside.length > 0)
      terminal.note(`Set aside, because they need a durable ledger: ${aside.map(lineText).join(', ')}`)
    if (tools.length === 0)
      return misuse('There are no tools to call.', [
        'Tool files end in .tool.yaml, .tool.yml or .tool.json; proviso init writes two.',
      ])
    const proviso = await openProviso({ tools })
    try {
      return done(await tryCall({ given, terminal, proviso, tools, name, argumentText: source.text }))
    } finally {
      await proviso.close()
    }
  },
}

interface Trial {
  readonly given: Given
  readonly terminal: Terminal
  readonly proviso: Proviso
  readonly tools: readonly LoadedTool[]
  readonly name: string
  readonly argumentText: string | undefined
}

async function tryCall(trial: Trial): Promise<boolean> {
  const { given, terminal, proviso } = trial
  const { wireAnswer, wireFact } = await import('../contract/wire.ts')
  const { showAnswer, showPacket } = await import('./call/show-answer.ts')
  const json = flag(given, 'json')
  const callId = text(given, 'callId')
  const proposal = {
    tool: trial.name,
    ...(trial.argumentText === undefined ? {} : { arguments: trial.argumentText }),
    ...(callId === undefined ? {} : { callId }),
  }
  let kept: string | undefined
  const propose = async () => {
    const answer = wireAnswer(await proviso.call(proposal, contextOf(given)))
    kept = await keep(trial, answer)
    return answer
  }

  let answer = await propose()
  const packet = await packetOf(proviso, answer)
  const approvers = texts(given, 'approve')
  if (packet !== undefined && !json) terminal.out(`${showPacket(packet, terminal.colours)}\n`)
  if (answer.approval !== undefined && approvers.length > 0) {
    for (const by of approvers) await proviso.approvals.approve(answer.approval.id, { by })
    if (!json) terminal.out(terminal.colours.dim(`Approved by ${approvers.map(lineText).join(', ')}; called again.\n`))
    answer = await propose()
  }
  if (json) {
    const facts = flag(given, 'facts') ? await proviso.calls.facts(answer.observation.tool_identity.call_id) : undefined
    const extra = {
      ...(packet === undefined ? {} : { packet }),
      ...(facts === undefined ? {} : { facts: facts.map(wireFact) }),
    }
    terminal.out(JSON.stringify({ ...answer, ...extra }, null, 2))
  } else {
    terminal.out(showAnswer(answer, terminal.colours))
  }
  if (kept !== undefined) terminal.note(terminal.colours.dim(lineText(kept)))
  return answer.observation.status.taxonomy_class === 'SUCCESS'
}

function contextOf(given: Given): CallContext {
  const tenant = text(given, 'tenant')
  const user = text(given, 'user')
  const operationId = text(given, 'operation')
  return {
    run: text(given, 'run') ?? 'cli',
    scopes: texts(given, 'scope'),
    roles: texts(given, 'role'),
    ...(tenant === undefined ? {} : { tenant }),
    ...(user === undefined ? {} : { user }),
    ...(operationId === undefined ? {} : { operationId }),
  }
}

async function packetOf(proviso: Proviso, answer: WireAnswer): Promise<WirePacket | undefined> {
  if (answer.approval === undefined) return undefined
  const { wirePacket } = await import('../contract/wire.ts')
  const waiting = await proviso.approvals.list()
  const packet = waiting.find(({ id }) => id === answer.approval?.id)?.packet
  return packet === undefined ? undefined : wirePacket(packet)
}

/** The answer comes first: a record that cannot be written is a note, never a reason to hide what happened. */
async function keep({ given, terminal, proviso, tools }: Trial, answer: WireAnswer): Promise<string | undefined> {
  if (given.options.record === false) return undefined
  const { recordOf } = await import('./call/record-of.ts')
  const name = answer.observation.tool_identity.name
  const record = await recordOf(
    proviso,
    answer,
    tools.find(({ contract }) => contract.identity.name === name),
  )
  if (record === undefined) return undefined
  const dir = text(given, 'dir') ?? defaultFolder
  try {
    await writeCallFile(resolve(terminal.folder, dir), record)
  } catch (error) {
    return `No record was written: ${error instanceof Error ? error.message : 'unknown'}`
  }
  const option = text(given, 'dir') === undefined ? '' : ` --dir ${dir}`
  return `Recorded in ${join(dir, 'calls', `${record.call.id}.json`)}; read it with: proviso explain latest${option}`
}
