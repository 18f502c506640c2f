// The text that calls a function of this layout: its parameters in the order of its rows, and after them its own.
import { statement } from './statements.ts'

/**
 * @param rows How many parameters each of its lists of rows has.
 * @param own The types of its own parameters.
 */
export function callOf(name: string, rows: readonly number[], own: readonly string[]): string {
  const before = rows.reduce((sum, count) => sum + count, 0)
  const parameters = [
    ...Array.from({ length: before }, (_, index) => `$${index + 1}`),
    ...own.map((type, index) => `$${before + index + 1}::${type}`),
  ]
  return statement(name).replace('/* arguments */', parameters.join(', '))
}
