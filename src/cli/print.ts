// How every command prints what it found: JSON where it was asked for, else a list with columns, or one thing as lines and fields. The text
// of a column usually came from outside, so it is escaped here, before it gets its colour.
import { stripVTControlCharacters } from 'node:util'
import { type CommandIo, type CommandResult, done } from './command.ts'
import { cutText, jsonText, lineText } from './plain-text.ts'
import type { Colours } from './terminal.ts'

export interface Column<T> {
  readonly title: string
  text(item: T): string
  /** The text is cut to this length. */
  readonly length?: number
  shade?(item: T, colours: Colours): ((text: string) => string) | undefined
  /** Stands dimmed behind the text. */
  remark?(item: T): string
}

export interface Listing<T> {
  readonly columns: readonly Column<T>[]
  wire(item: T): unknown
  /** What is said where there is none. */
  readonly none: string
  /** Lines below the row of an item. */
  below?(item: T, colours: Colours): readonly string[]
}

/** One JSON value, or the lines. */
export function printResult(
  io: CommandIo,
  wire: unknown,
  lines: string | readonly string[],
  fine = true,
): CommandResult {
  if (io.json) io.out(jsonText(wire, 2))
  else for (const line of typeof lines === 'string' ? [lines] : lines) io.out(line)
  return done(fine)
}

/** All items as one JSON array, or as a table; the notes stand below a table that is not empty. */
export function printList<T>(
  io: CommandIo,
  items: readonly T[],
  listing: Listing<T>,
  notes: readonly string[] = [],
): CommandResult {
  const { wire, none } = listing
  if (!io.json && items.length === 0) io.note(none)
  else printResult(io, items.map(wire), listLines(items, listing, io.colours))
  if (!io.json && items.length > 0) for (const note of notes) io.note(io.colours.dim(note))
  return done(true)
}

/** One item of a list that goes on: a JSON object on one line, or its row. */
export function printItem<T>(io: CommandIo, item: T, { columns, wire, below }: Listing<T>): void {
  if (io.json) io.out(jsonText(wire(item)))
  else
    for (const line of [textTable([cellsOf(item, columns, io.colours)]), ...(below?.(item, io.colours) ?? [])])
      io.out(line)
}

/** A list as lines, below its titles where there are any. */
export function listLines<T>(
  items: readonly T[],
  { columns, below }: Pick<Listing<T>, 'columns' | 'below'>,
  colours: Colours,
): readonly string[] {
  const hasTitles = columns.some(({ title }) => title !== '')
  const titles = hasTitles ? [columns.map(({ title }) => colours.dim(title))] : []
  const lines = textTable([...titles, ...items.map((item) => cellsOf(item, columns, colours))]).split('\n')
  return [
    ...lines.splice(0, titles.length),
    ...items.flatMap((item, index) => [lines[index] ?? '', ...(below?.(item, colours) ?? [])]),
  ]
}

function cellsOf<T>(item: T, columns: readonly Column<T>[], colours: Colours): readonly string[] {
  return columns.map(({ text, length, shade, remark }) => {
    const cell = length === undefined ? lineText(text(item)) : cutText(text(item), length)
    const shaded = shade?.(item, colours)?.(cell) ?? cell
    return remark === undefined ? shaded : `${shaded} ${colours.dim(lineText(remark(item)))}`
  })
}

/** One thing, a field on each line. The values are escaped by the caller, who colours their parts. */
export function fieldTable(
  fields: readonly (readonly [string, string])[],
  colours: Colours,
  options: { readonly indent?: string } = {},
): string {
  return textTable(
    fields.map(([name, value]) => [colours.dim(name), value]),
    options,
  )
}

/** Lines of columns, aligned; the last column is as long as it is. */
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
