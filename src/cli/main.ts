// The command line: reads what was typed, runs one row of the table, turns its result into an exit code. Expected failures are said in
// a sentence; a stack is shown only for a bug, and only on request.
import { Command, CommanderError, Option } from 'commander'
import { Fault } from '../contract/fault.ts'
import { wrapperVersion } from '../contract/release/release.ts'
import {
  type CommandBody,
  type CommandResult,
  type CommandRow,
  commandIo,
  done,
  type ExitCode,
  exitCodes,
  misuse,
  type OptionRow,
} from './command.ts'
import { commands } from './commands.ts'
import { jsonText, lineText, safeText } from './plain-text.ts'
import { endSoon, processTerminal, type Terminal } from './terminal.ts'

/** Runs one command. `terminal` is this process's own unless given. */
export async function main(argv: readonly string[], terminal?: Terminal): Promise<number> {
  const own = terminal ?? processTerminal()
  const code = await runCommand(argv, own)
  if (terminal === undefined) void endSoon(code)
  return code
}

async function runCommand(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const json = argv.includes('--json')
  let result = done(true)
  const version = wrapperVersion()
  // Help and version are text; where JSON was asked for, they become a part of it.
  const texts: string[] = []
  const helpTerminal = json ? { ...terminal, out: (text: string) => void texts.push(text) } : terminal
  try {
    const program = programOf(version, helpTerminal)
    const name = argv.find((word) => !word.startsWith('-'))
    for (const row of commands) {
      const command = commandOf(row, helpTerminal)
      if (row.name === name) {
        const body = await row.load()
        describeBody(command, body).action(async () => {
          result = await body.run(commandIo(terminal, command.args, command.opts()))
        })
      }
      program.addCommand(command)
    }
    if (argv.length === 0) program.help()
    await program.parseAsync([...argv], { from: 'user' })
    return finish(result, json, terminal)
  } catch (error) {
    if (error instanceof CommanderError) {
      if (!isRequest(error)) return finish(usageResult(error), json, terminal)
      if (json) terminal.out(jsonText(error.code === 'commander.version' ? { version } : { usage: texts.join('\n') }))
      return 0
    }
    if (error instanceof Fault && error.code !== 'internal') return finish(faultResult(error), json, terminal)
    return finish(crashResult(error, terminal), json, terminal)
  }
}

function programOf(version: string, terminal: Terminal): Command {
  const program = new Command('proviso')
    .description('The deterministic edge between an AI model and real systems.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .showSuggestionAfterError()
    .addHelpText('after', `\n${overview()}`)
  writeOnlyTo(terminal, program)
  return program
}

function commandOf(row: CommandRow, terminal: Terminal): Command {
  const command = new Command(row.name).summary(row.summary).description(row.summary).helpGroup(row.group)
  command.helpOption('-h, --help', 'print this').showSuggestionAfterError()
  writeOnlyTo(terminal, command)
  return command
}

function describeBody(command: Command, body: CommandBody): Command {
  for (const { syntax, about } of body.arguments) command.argument(syntax, about)
  for (const option of body.options) command.addOption(optionOf(option))
  return command.addHelpText('after', `\n${details(body)}`)
}

function optionOf({ flags, about, repeats }: OptionRow): Option {
  const option = new Option(flags, about)
  if (repeats === undefined) return option
  return option.argParser((value: string, earlier: readonly string[] | undefined) => [
    ...(earlier ?? []),
    ...value.split(',').filter((part) => part !== ''),
  ])
}

/** commander neither ends the process nor writes to it: both are ours. */
function writeOnlyTo(terminal: Terminal, command: Command): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => terminal.out(text.trimEnd()),
    writeErr: (text) => terminal.note(text.trimEnd()),
    outputError: () => {},
    getOutHasColors: () => terminal.colours.isColorSupported,
    getErrHasColors: () => terminal.colours.isColorSupported,
  })
}

function overview(): string {
  return [
    'Examples:',
    '  $ proviso init && proviso check tools',
    `  $ proviso call lookup_order_v1 '{"order_id":"ord_1001"}'`,
    '  $ proviso explain latest',
    '',
    'Exit codes:',
    ...exitCodes.map(({ code, means }) => `  ${code}  ${means}`),
  ].join('\n')
}

function details({ examples, exits }: CommandBody): string {
  const shown = examples.map((example) => `  $ ${example}`)
  return ['Examples:', ...shown, '', 'Exit codes:', ...exits.map((means, code) => `  ${code}  ${means}`)].join('\n')
}

/** Help and version end like a success where they were asked for. */
const isRequest = ({ exitCode, code }: CommanderError) => exitCode === 0 || code === 'commander.help'

function usageResult(error: CommanderError): CommandResult {
  const [message = '', ...hints] = error.message.replace(/^error: /, '').split('\n')
  return misuse(`${message}.`, [...hints, 'See proviso --help.'])
}

/** Where the message contains its details, it is cut before them: each detail is printed once, on a line of its own. */
function faultResult({ message, details }: Fault): CommandResult {
  const [first, ...more] = details
  if (first === undefined) return misuse(message)
  if (message.includes('\n')) return misuse('Some files cannot be used.', details)
  if (!details.every((detail) => message.includes(detail))) return misuse(message, details)
  const lead = message.slice(0, message.indexOf(first)).trim()
  return lead === '' ? misuse(first, more) : misuse(lead, details)
}

function crashResult(error: unknown, terminal: Terminal): CommandResult {
  const message = error instanceof Error ? error.message : String(error)
  if (terminal.debug && error instanceof Error) terminal.note(error.stack ?? '')
  const hint = terminal.debug ? [] : ['PROVISO_DEBUG=1 shows where.']
  return misuse(`Unexpected: ${message.split('\n')[0] ?? ''}`, hint)
}

function finish(result: CommandResult, json: boolean, terminal: Terminal): ExitCode {
  if (result.kind === 'done') return result.fine ? 0 : 1
  if (result.kind === 'unanswered') return 2
  const { message, details } = result
  terminal.note(`${terminal.colours.red('error')} ${safeText(message)}`)
  for (const detail of details) terminal.note(`  ${lineText(detail)}`)
  if (json) terminal.out(jsonText({ error: { message, details } }))
  return 2
}
