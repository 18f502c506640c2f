// How the actions of `proviso audit` answer, and whose log they are asked about.
import { flag, type Given, text } from '../command.ts'
import type { Terminal } from '../terminal.ts'

/** What every action prints: JSON where it was asked for, else the lines. */
export function printAnswer(given: Given, terminal: Terminal, wire: object, lines: readonly string[]): void {
  if (flag(given, 'json')) terminal.out(JSON.stringify(wire, null, 2))
  else for (const line of lines) terminal.out(line)
}

export const tenantOf = (given: Given): { readonly tenant?: string } => {
  const tenant = text(given, 'tenant')
  return tenant === undefined ? {} : { tenant }
}
