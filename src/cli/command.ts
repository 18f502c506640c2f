// What a command is: a row that the overview is printed from, and a body that is loaded when its name was typed, so that no command loads
// the code of another. A body reads what was typed from its `CommandIo`, prints there, and ends with a result.
import type { Terminal } from './terminal.ts'

export interface CommandRow {
  readonly name: string
  readonly group: 'Start:' | 'Tools:' | 'Calls:' | 'People:'
  readonly summary: string
  load(): Promise<CommandBody>
}

export interface CommandBody {
  readonly arguments: readonly { readonly syntax: string; readonly about: string }[]
  readonly options: readonly OptionRow[]
  readonly examples: readonly string[]
  /** What 0, 1 and 2 mean here. */
  readonly exits: readonly [string, string, string]
  run(io: CommandIo): Promise<CommandResult>
}

export interface OptionRow {
  readonly flags: string
  readonly about: string
  /** May be given several times, or once with commas. */
  readonly repeats?: true
}

export const jsonOption: OptionRow = { flags: '--json', about: 'print JSON, snake_case, as the last thing on stdout' }

/** What a command's exit code says. Scripts rely on it, so every command keeps to these three. */
export const exitCodes = [
  { code: 0, means: 'fine: the call succeeded, the files are clean, the proof holds' },
  { code: 1, means: 'the thing asked about is bad: a call refused or pending, a file with errors, a schema refuted' },
  {
    code: 2,
    means:
      'wrong usage, a file or ledger that is missing or cannot be read, a question without a certain answer, or proviso itself failed',
  },
] as const

export type ExitCode = (typeof exitCodes)[number]['code']

export type CommandResult =
  | { readonly kind: 'done'; readonly fine: boolean }
  /** The question was understood, and the answer, already printed, is that there is no certain one: ends with 2. */
  | { readonly kind: 'unanswered' }
  /** Wrong usage or a bad file: main.ts prints it and ends with 2. */
  | { readonly kind: 'misuse'; readonly message: string; readonly details: readonly string[] }

export const done = (fine: boolean): CommandResult => ({ kind: 'done', fine })

export const unanswered: CommandResult = { kind: 'unanswered' }

export const misuse = (message: string, details: readonly string[] = []): CommandResult => ({
  kind: 'misuse',
  message,
  details,
})

/** Something that a command cannot go on without, or the result that it ends with. */
export type Needed<T> = { readonly ok: true; readonly value: T } | Missing

export interface Missing {
  readonly ok: false
  readonly result: CommandResult
}

export const available = <T>(value: T): Needed<T> => ({ ok: true, value })

export const missing = (message: string, details: readonly string[] = []): Missing => ({
  ok: false,
  result: misuse(message, details),
})

/** What was typed after the command's name, and the terminal that it was typed at. */
export interface CommandIo extends Terminal {
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly json: boolean
  flag(name: string): boolean
  option(name: string): string | undefined
  /** Of an option that may be repeated. */
  optionList(name: string): readonly string[]
  /** Those of the options that were typed, for queries whose members may be absent. */
  pick<Name extends string>(...names: readonly Name[]): { readonly [Key in Name]?: string }
}

export function commandIo(
  terminal: Terminal,
  words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): CommandIo {
  const option = (name: string) => {
    const value = options[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    ...terminal,
    words,
    options,
    json: options.json === true,
    flag: (name) => options[name] === true,
    option,
    optionList(name) {
      const value = options[name]
      return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
    },
    pick: <Name extends string>(...names: readonly Name[]) =>
      Object.fromEntries(
        names.flatMap((name) => {
          const value = option(name)
          return value === undefined ? [] : [[name, value]]
        }),
      ) as { readonly [Key in Name]?: string },
  }
}

/** One of the actions of a command, such as `list` of `proviso keys`. */
export interface ActionRow {
  /** The words that follow it, those in brackets may be left out; none may follow where it is absent. */
  readonly takes?: string
  /** What is asked for where a word is missing. */
  readonly asks?: string
  /** `words` are those after the action. */
  run(io: CommandIo): Promise<CommandResult>
}

export interface ActionsUsage {
  /** The action that is meant where none was typed. */
  readonly default?: string
  /** Said to a person who types one that is unknown. */
  readonly hint?: string
}

/** The body of a command that has several actions. */
export function runActions(
  command: string,
  rows: Readonly<Record<string, ActionRow>>,
  usage: ActionsUsage = {},
): CommandBody['run'] {
  const actions = new Map(Object.entries(rows))
  return async (io) => {
    const [name = usage.default ?? '', ...words] = io.words
    const action = actions.get(name)
    if (action === undefined || (name === '' && io.words.length > 0)) {
      const known = [...actions.keys()].filter((one) => one !== '')
      const listed = `${known.slice(0, -1).join(', ')} and ${known.at(-1)}`
      const { hint } = usage
      return misuse(`There is no action ${name.slice(0, 64)}.`, [
        `Known are ${listed}${hint === undefined ? '' : `; ${hint}`}.`,
      ])
    }
    const { takes = '', asks = 'which' } = action
    const places = takes.split(' ').filter((place) => place !== '')
    const typed = `proviso ${command} ${name}`
    if (words.length < places.filter((place) => !place.startsWith('[')).length)
      return misuse(`Say ${asks}: ${typed} ${takes}.`)
    if (words.length > places.length && !takes.endsWith('...]'))
      return misuse(takes === '' ? `${typed} takes nothing more.` : `${typed} takes ${takes} and nothing more.`)
    return action.run({ ...io, words })
  }
}
