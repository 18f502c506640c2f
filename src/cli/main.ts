// The command line: reads what was typed, runs one row of the table, turns its outcome into an exit code. Expected failures are told in
// a sentence; a stack is shown only for a bug, and only on request.
import { Command, CommanderError, Option } from 'commander'
import { Fault } from '../contract/fault.ts'
import { wrapperVersion } from '../contract/release/release.ts'
import type { CommandRow, Given, OptionRow, Outcome } from './command.ts'
import { commands } from './commands.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { lineText, plainText } from './plain-text.ts'
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
  let outcome: Outcome = { kind: 'done', fine: true }
  const version = wrapperVersion()
  // Help and version are text; where JSON was asked for, they become a part of it.
  const told: string[] = []
  const shown = json ? { ...terminal, out: (text: string) => void told.push(text) } : terminal
  const program = programOf(version, { terminal, shown }, (ended) => {
    outcome = ended
  })
  try {
    if (argv.length === 0) program.help()
    await program.parseAsync([...argv], { from: 'user' })
    return finish(outcome, json, terminal)
  } catch (error) {
    if (error instanceof CommanderError) {
      if (!wasAsked(error)) return finish(misused(error), json, terminal)
      if (json)
        terminal.out(JSON.stringify(error.code === 'commander.version' ? { version } : { usage: told.join('\n') }))
      return 0
    }
    if (error instanceof Fault && error.code !== 'internal') return finish(faulted(error), json, terminal)
    return finish(crashed(error, terminal), json, terminal)
  }
}

interface Terminals {
  readonly terminal: Terminal
  /** Where commander writes help and version. */
  readonly shown: Terminal
}

function programOf(version: string, terminals: Terminals, end: (outcome: Outcome) => void): Command {
  const program = new Command('proviso')
    .description('The deterministic edge between an AI model and real systems.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .showSuggestionAfterError()
    .addHelpText('after', `\n${overview()}`)
  forgoProcess(program, terminals.shown)
  for (const row of commands) program.addCommand(commandOf(row, terminals, end))
  return program
}

function commandOf(row: CommandRow, { terminal, shown }: Terminals, end: (outcome: Outcome) => void): Command {
  const command = new Command(row.name).summary(row.summary).description(row.summary).helpGroup(row.group)
  command.helpOption('-h, --help', 'print this').showSuggestionAfterError()
  forgoProcess(command, shown)
  for (const { syntax, about } of row.arguments) command.argument(syntax, about)
  for (const option of row.options) command.addOption(optionOf(option))
  command.addHelpText('after', `\n${details(row)}`)
  return command.action(async () => {
    const given: Given = { words: command.args, options: command.opts() }
    end(await row.run(given, terminal))
  })
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
function forgoProcess(command: Command, terminal: Terminal): void {
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

function details({ examples, exits }: CommandRow): string {
  const shown = examples.map((example) => `  $ ${example}`)
  return ['Examples:', ...shown, '', 'Exit codes:', ...exits.map((means, code) => `  ${code}  ${means}`)].join('\n')
}

/** Help and version, asked for, end like a success. */
const wasAsked = ({ exitCode, code }: CommanderError) => exitCode === 0 || code === 'commander.help'

function misused(error: CommanderError): Outcome {
  const [message = '', ...hints] = error.message.replace(/^error: /, '').split('\n')
  return { kind: 'misuse', message: `${message}.`, details: [...hints, 'See proviso --help.'] }
}

/** A message that strings its details together is cut before them: each stands on a line of its own, once. */
function faulted({ message, details }: Fault): Outcome {
  const [first, ...more] = details
  if (first === undefined) return { kind: 'misuse', message }
  if (message.includes('\n')) return { kind: 'misuse', message: 'Some files cannot be used.', details }
  if (!details.every((detail) => message.includes(detail))) return { kind: 'misuse', message, details }
  const lead = message.slice(0, message.indexOf(first)).trim()
  return lead === '' ? { kind: 'misuse', message: first, details: more } : { kind: 'misuse', message: lead, details }
}

function crashed(error: unknown, terminal: Terminal): Outcome {
  const message = error instanceof Error ? error.message : String(error)
  if (terminal.debug && error instanceof Error) terminal.note(error.stack ?? '')
  const hint = terminal.debug ? [] : ['PROVISO_DEBUG=1 shows where.']
  return { kind: 'misuse', message: `Unexpected: ${message.split('\n')[0] ?? ''}`, details: hint }
}

function finish(outcome: Outcome, json: boolean, terminal: Terminal): ExitCode {
  if (outcome.kind === 'done') return outcome.fine ? 0 : 1
  if (outcome.kind === 'undecided') return 2
  const details = outcome.details ?? []
  terminal.note(`${terminal.colours.red('error')} ${plainText(outcome.message)}`)
  for (const detail of details) terminal.note(`  ${lineText(detail)}`)
  if (json) terminal.out(JSON.stringify({ error: { message: outcome.message, details } }))
  return 2
}
