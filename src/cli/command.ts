// The shape of every command: a row that `--help` is printed from and that main.ts runs. What a command needs beyond its own words it
// imports when it runs, so that no command pays for another.
import type { Terminal } from './terminal.ts'

export interface CommandRow {
  readonly name: string
  readonly group: 'Start:' | 'Tools:' | 'Calls:' | 'People:'
  readonly summary: string
  readonly arguments: readonly { readonly syntax: string; readonly about: string }[]
  readonly options: readonly OptionRow[]
  readonly examples: readonly string[]
  /** What 0, 1 and 2 mean here. */
  readonly exits: readonly [string, string, string]
  run(given: Given, terminal: Terminal): Promise<Outcome>
}

export interface OptionRow {
  readonly flags: string
  readonly about: string
  /** May be given several times, or once with commas. */
  readonly repeats?: true
}

/** What a person typed after the command's name. */
export interface Given {
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

export type Outcome =
  | { readonly kind: 'done'; readonly fine: boolean }
  /** The question was understood and the answer, already printed, is that nobody can tell: ends with 2. */
  | { readonly kind: 'undecided' }
  /** Wrong usage or a bad file: main.ts prints it and ends with 2. */
  | { readonly kind: 'misuse'; readonly message: string; readonly details?: readonly string[] }

export const jsonOption: OptionRow = { flags: '--json', about: 'print JSON, snake_case, as the last thing on stdout' }

export const done = (fine: boolean): Outcome => ({ kind: 'done', fine })

export const undecided: Outcome = { kind: 'undecided' }

export const misuse = (message: string, details: readonly string[] = []): Outcome => ({
  kind: 'misuse',
  message,
  details,
})

export const flag = ({ options }: Given, name: string): boolean => options[name] === true

export function text({ options }: Given, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export function texts({ options }: Given, name: string): readonly string[] {
  const value = options[name]
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
