// The rows that a statement inserts or updates from: its parameters, for one row as plain values, for many as arrays. The text of a
// statement is written once, over `u`, and made for either; one row of plain values starts in half the time of an array of one.

import { Bytes, type CommandValue } from '../driver/bind-message.ts'
import { elementText } from './array-text.ts'
import { createPack, type Pack } from './pack.ts'

/** `hex` is text of our own making, a hash or so: nothing in it needs escaping. */
export type ColumnType = 'text' | 'hex' | 'uuid' | 'integer' | 'bigint' | 'bytea'

/** `bytea` is given as text, whose UTF-8 bytes are stored. */
export type ColumnValue = string | number | null

export type Columns = Readonly<Record<string, ColumnType>>

export interface RowsSource<C extends Columns> {
  /** The statement's text for one row or for many. */
  text(many: boolean): string
  /** Its parameters; the rows' own come first. */
  values(
    rows: readonly Readonly<Record<keyof C, ColumnValue>>[],
    more: readonly CommandValue[],
  ): readonly CommandValue[]
}

/**
 * @param statement Over `u`, as `/* rows *\/` is replaced; a column as an array, where it is needed by itself, is its name in a comment
 *   of the same kind; the statement's own parameters are named `:name:`.
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
  /** An id may have come from anywhere: one that is none is an error of its own call, not of the array. */
  const needsNoEscape = ([, type]: [string, ColumnType]) => type === 'hex' || type === 'integer' || type === 'bigint'
  const texts = { one: textFor(statement, one(entries), more), many: textFor(statement, many(entries), more) }
  return {
    text: (isMany) => (isMany ? texts.many : texts.one),
    values(rows, own) {
      const [first] = rows
      if (rows.length === 1 && first !== undefined) {
        const values: CommandValue[] = []
        for (const entry of entries) values.push(single(entry, first))
        for (const value of own) values.push(value)
        return values
      }
      const pack = createPack()
      const values: CommandValue[] = []
      for (const entry of entries) {
        if (isBytes(entry)) values.push(...placesIn(rows, entry[0], pack))
        else values.push(needsNoEscape(entry) ? bareColumnOf(rows, entry[0]) : columnOf(rows, entry[0]))
      }
      values.push(pack.bytes(), ...own)
      return values
    },
  }

  // Columns are written straight from the rows: every call of a batch passes here some forty times. Joined, they are flat texts, which are
  // gone sooner than a tree of pieces.
  function columnOf(rows: readonly Readonly<Record<keyof C, ColumnValue>>[], name: keyof C): string {
    const texts: (string | number)[] = []
    for (const row of rows) texts.push(elementText(row[name]))
    return `{${texts.join(',')}}`
  }

  function bareColumnOf(rows: readonly Readonly<Record<keyof C, ColumnValue>>[], name: keyof C): string {
    const texts: (string | number)[] = []
    for (const row of rows) texts.push(row[name] ?? 'NULL')
    return `{${texts.join(',')}}`
  }

  function placesIn(
    rows: readonly Readonly<Record<keyof C, ColumnValue>>[],
    name: keyof C,
    pack: Pack,
  ): readonly [at: string, length: string] {
    const places: number[] = []
    const lengths: number[] = []
    for (const row of rows) {
      places.push(pack.next)
      lengths.push(pack.add(String(row[name] ?? '')))
    }
    return [`{${places.join(',')}}`, `{${lengths.join(',')}}`]
  }

  function single([name, type]: [string, ColumnType], row: Readonly<Record<keyof C, ColumnValue>>): CommandValue {
    const value = row[name as keyof C]
    return type === 'bytea' && typeof value === 'string' ? new Bytes(value) : value
  }

  function one(all: readonly [string, ColumnType][]): Source {
    const values = all.map(([, type], index) => `$${index + 1}::${sqlType(type)}`)
    return {
      rows: `not materialized (select ${values.map((v, i) => `${v} as ${names[i]}`).join(', ')})`,
      arrays: new Map(values.map((value, index) => [names[index] ?? '', `array[${value}]`])),
      next: all.length + 1,
    }
  }

  function many(all: readonly [string, ColumnType][]): Source {
    const sources: string[] = []
    const arrays = new Map<string, string>()
    const aliases: string[] = []
    const outputs: string[] = []
    for (const entry of all) {
      const [name, type] = entry
      if (!isBytes(entry)) {
        const array = `$${sources.length + 1}::${sqlType(type)}[]`
        arrays.set(name, array)
        sources.push(array)
        aliases.push(name)
        outputs.push(`r.${name}`)
      } else {
        sources.push(`$${sources.length + 1}::integer[]`, `$${sources.length + 2}::integer[]`)
        aliases.push(`${name}_at`, `${name}_length`)
        outputs.push(`substring(/* pack */::bytea from r.${name}_at for r.${name}_length) as ${name}`)
      }
    }
    const pack = `$${sources.length + 1}`
    const rows = `not materialized (select ${outputs.join(', ')} from unnest(${sources.join(', ')}) r (${aliases.join(', ')}))`
    return { rows: rows.replaceAll('/* pack */', pack), arrays, next: sources.length + 2 }
  }
}

const sqlType = (type: ColumnType): string => (type === 'hex' ? 'text' : type)

interface Source {
  readonly rows: string
  /** Columns as arrays, by name; bytes are none. */
  readonly arrays: ReadonlyMap<string, string>
  /** The number of the first parameter that is not the rows'. */
  readonly next: number
}

function textFor(statement: string, { rows, arrays, next }: Source, more: readonly string[]): string {
  let text = statement.replace('/* rows */', rows)
  for (const [name, array] of arrays) text = text.replaceAll(`/* ${name} */`, array)
  for (const [index, name] of more.entries()) text = text.replaceAll(`:${name}:`, `$${next + index}`)
  const left = /\/\* \w+ \*\/|:\w+:(?=:)/.exec(text)
  if (left !== null) throw new Error(`Nothing was put for ${left[0]} in a statement.`)
  return text
}
