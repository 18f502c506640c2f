// The rows that a statement inserts or updates from: its parameters, for one row as plain values, for many as arrays. The text of a
// statement is written once, over `u`, and made for either; one row of plain values starts in half the time of an array of one.
import { elementText } from './array-text.ts'
import { createPack, type Pack } from './pack.ts'

export type ColumnType = 'text' | 'uuid' | 'integer' | 'bigint' | 'bytea'

/** `bytea` is given as text, whose UTF-8 bytes are stored. */
export type ColumnValue = string | number | null

export type Columns = Readonly<Record<string, ColumnType>>

export interface RowsSource<C extends Columns> {
  /** The statement's text for one row or for many. */
  text(many: boolean): string
  /** Its parameters; the rows' own come first. */
  values(rows: readonly Readonly<Record<keyof C, ColumnValue>>[], more: readonly unknown[]): readonly unknown[]
}

/**
 * @param statement Over `u`, as `/* rows *\/` is replaced; its own parameters are named `:name`.
 * @param more The names of its own parameters, in the order in which their values are given.
 */
export function rowsSource<C extends Columns>(
  statement: string,
  columns: C,
  more: readonly string[] = [],
): RowsSource<C> {
  const entries = Object.entries(columns)
  const names = entries.map(([name]) => name)
  const isBytes = ([, type]: [string, ColumnType]) => type === 'bytea'
  const texts = { one: textFor(statement, one(entries), more), many: textFor(statement, many(entries), more) }
  return {
    text: (isMany) => (isMany ? texts.many : texts.one),
    values(rows, own) {
      const [first] = rows
      if (rows.length === 1 && first !== undefined) return [...entries.map((entry) => plain(entry, first)), ...own]
      const pack = createPack()
      const values: unknown[] = []
      for (const entry of entries) {
        if (isBytes(entry)) values.push(...placesIn(rows, entry[0], pack))
        else values.push(columnOf(rows, entry[0]))
      }
      values.push(pack.bytes(), ...own)
      return values
    },
  }

  // Columns are written straight from the rows: every call of a batch passes here some forty times.
  function columnOf(rows: readonly Readonly<Record<keyof C, ColumnValue>>[], name: keyof C): string {
    let text = ''
    for (const row of rows) text += `${text === '' ? '{' : ','}${elementText(row[name])}`
    return `${text}}`
  }

  function placesIn(
    rows: readonly Readonly<Record<keyof C, ColumnValue>>[],
    name: keyof C,
    pack: Pack,
  ): readonly [at: string, length: string] {
    let at = ''
    let length = ''
    for (const row of rows) {
      const before = at === '' ? '{' : ','
      at += `${before}${pack.next}`
      length += `${before}${pack.add(String(row[name] ?? ''))}`
    }
    return [`${at}}`, `${length}}`]
  }

  function plain([name, type]: [string, ColumnType], row: Readonly<Record<keyof C, ColumnValue>>): unknown {
    const value = row[name as keyof C]
    return type === 'bytea' && typeof value === 'string' ? Buffer.from(value) : value
  }

  function one(all: readonly [string, ColumnType][]): { readonly rows: string; readonly next: number } {
    const values = all.map(([, type], index) => `$${index + 1}::${type}`)
    return {
      rows: `not materialized (select ${values.map((v, i) => `${v} as ${names[i]}`).join(', ')})`,
      next: all.length + 1,
    }
  }

  function many(all: readonly [string, ColumnType][]): { readonly rows: string; readonly next: number } {
    const sources: string[] = []
    const aliases: string[] = []
    const outputs: string[] = []
    for (const entry of all) {
      const [name, type] = entry
      if (!isBytes(entry)) {
        sources.push(`$${sources.length + 1}::${type}[]`)
        aliases.push(name)
        outputs.push(`r.${name}`)
      } else {
        sources.push(`$${sources.length + 1}::integer[]`, `$${sources.length + 2}::integer[]`)
        aliases.push(`${name}_at`, `${name}_length`)
        outputs.push(`substring(/* pack */::bytea from r.${name}_at for r.${name}_length) as ${name}`)
      }
    }
    const pack = `$${sources.length + 1}`
    const rows = `materialized (select ${outputs.join(', ')} from unnest(${sources.join(', ')}) r (${aliases.join(', ')}))`
    return { rows: rows.replaceAll('/* pack */', pack), next: sources.length + 2 }
  }
}

function textFor(
  statement: string,
  { rows, next }: { readonly rows: string; readonly next: number },
  more: readonly string[],
): string {
  return more.reduce(
    (text, name, index) => text.replaceAll(`:${name}:`, `$${next + index}`),
    statement.replace('/* rows */', rows),
  )
}
