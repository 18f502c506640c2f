// Lines of columns, aligned; the last column is as long as it is.
import { stripVTControlCharacters } from 'node:util'

export function textTable(rows: readonly (readonly string[])[], options: { readonly indent?: string } = {}): string {
  const { indent = '' } = options
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))
    })
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
      )
      .join('  ')
  return rows.map((row) => `${indent}${line(row)}`.trimEnd()).join('\n')
}

const widthOf = (cell: string) => stripVTControlCharacters(cell).length
