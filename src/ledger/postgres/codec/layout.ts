// The layout of what is sent: each request is a list of rows with named columns. From one description come the arrays that this process
// packs, the parameters that a function of the database takes, and the rows that its text reads by name. A column that is added here has
// to be filled in by every writer, or it does not compile.

import { Bytes, type CommandValue } from '../driver/command.ts'
import { elementText } from './array-text.ts'
import { createPack, type Pack } from './pack.ts'

/** `hex` is a hash or the like as text of our own making, in which nothing needs escaping; the database sees its bytes. */
export type ColumnType = 'text' | 'hex' | 'uuid' | 'integer' | 'bigint' | 'float8' | 'boolean' | 'bytea'

export type Columns = Readonly<Record<string, ColumnType>>

/** `bytea` is given as text, whose UTF-8 bytes are sent; null and the empty text are no bytes. */
export type ColumnValue = string | number | boolean | null

export type RowOf<C extends Columns> = {
  readonly [K in keyof C]: C[K] extends 'integer' | 'bigint' | 'float8'
    ? number | null
    : C[K] extends 'boolean'
      ? boolean
      : string | null
}

/** Rows of one kind: what they are called in SQL, and their columns. */
export interface Layout<C extends Columns> {
  readonly name: string
  readonly columns: C
}

export const layout = <const C extends Columns>(name: string, columns: C): Layout<C> => ({ name, columns })

// For functions: one array for each column, and two, where and how long, for bytes, which lie in one parameter of all rows.

/** Where the bytes of all rows lie. */
const packParameter = 'p_bytes'

/** As a function declares them. */
export const parametersSql = ({ name, columns }: Layout<Columns>): string =>
  arraysOf(name, columns)
    .map(({ parameter, type }) => `${parameter} ${type}[]`)
    .join(', ')

/** The same parameters, handed on to another function. */
export const argumentsSql = ({ name, columns }: Layout<Columns>): string =>
  arraysOf(name, columns)
    .map(({ parameter }) => parameter)
    .join(', ')

export const countParameters = ({ columns }: Layout<Columns>): number => arraysOf('', columns).length

/** As a function reads them: a row for each element, `n` its place, counted from 1. */
export function rowsSql({ name, columns }: Layout<Columns>): string {
  const arrays = arraysOf(name, columns)
  const outputs = Object.entries(columns).map(
    ([column, type]) => `${readSql(column, type, packParameter)} as ${column}`,
  )
  const sources = arrays.map(({ parameter }) => parameter).join(', ')
  const aliases = arrays.map(({ alias }) => alias).join(', ')
  return `(select r.n::integer as n, ${outputs.join(', ')} from unnest(${sources}) with ordinality r (${aliases}, n))`
}

/** The arrays of many rows, in the order of the parameters; their bytes go into the pack. */
export function arraysFrom<C extends Columns>(
  { columns }: Layout<C>,
  rows: readonly RowOf<C>[],
  pack: Pack,
): readonly string[] {
  const values: string[] = []
  for (const [name, type] of Object.entries(columns)) {
    if (type === 'bytea') values.push(...placesIn(rows, name, pack))
    else values.push(arrayOf(rows, name, type))
  }
  return values
}

// For plain statements: the same rows as a source, `u`, in which one row is plain values; that starts in half the time of arrays of one.

export interface RowsSource<C extends Columns> {
  /** The statement's text for one row or for many. */
  text(many: boolean): string
  /** Its parameters; the rows' own come first. */
  values(rows: readonly RowOf<C>[], more: readonly CommandValue[]): readonly CommandValue[]
}

/**
 * @param statement Over `u`, as `/* rows *\/` is replaced; a column as an array, where it is needed by itself, is its name in a comment
 *   of the same kind; the statement's own parameters are named `:name:`.
 * @param more The names of its own parameters, in the order in which their values are given.
 */
export function rowsSource<C extends Columns>(
  statement: string,
  { columns }: Layout<C>,
  more: readonly string[] = [],
): RowsSource<C> {
  const entries = Object.entries(columns)
  const texts = { one: textFor(statement, oneRow(entries), more), many: textFor(statement, manyRows(columns), more) }
  return {
    text: (isMany) => (isMany ? texts.many : texts.one),
    values(rows, own) {
      const [first] = rows
      if (rows.length === 1 && first !== undefined) {
        const values: CommandValue[] = []
        for (const [name, type] of entries) values.push(plainValue(type, first[name] as ColumnValue))
        for (const value of own) values.push(value)
        return values
      }
      const pack = createPack()
      const values: CommandValue[] = [...arraysFrom({ name: '', columns }, rows, pack)]
      values.push(pack.bytes(), ...own)
      return values
    },
  }
}

interface ArrayColumn {
  readonly parameter: string
  readonly alias: string
  readonly type: string
}

const arraysOf = (name: string, columns: Columns): readonly ArrayColumn[] =>
  Object.entries(columns).flatMap(([column, type]) =>
    type === 'bytea'
      ? ['at', 'length'].map((part) => ({
          parameter: `${name}_${column}_${part}`,
          alias: `${column}_${part}`,
          type: 'integer',
        }))
      : [{ parameter: `${name}_${column}`, alias: column, type: sqlType(type) }],
  )

const sqlType = (type: ColumnType): string => (type === 'hex' ? 'text' : type)

function readSql(column: string, type: ColumnType, pack: string): string {
  if (type === 'bytea') return `substring(${pack} from r.${column}_at for r.${column}_length)`
  return type === 'hex' ? `decode(r.${column}, 'hex')` : `r.${column}`
}

// Columns are written straight from the rows: every call of a batch passes here some forty times. Joined, they are flat texts, which are
// gone sooner than a tree of pieces.
function arrayOf(rows: readonly Readonly<Record<string, ColumnValue>>[], name: string, type: ColumnType): string {
  const texts: (string | number)[] = []
  // An id may have come from anywhere: one that is none is an error of its own call, not of the array.
  if (type === 'text' || type === 'uuid') for (const row of rows) texts.push(elementText(row[name] as string | null))
  else for (const row of rows) texts.push((row[name] as string | number | null) ?? 'NULL')
  return `{${texts.join(',')}}`
}

function placesIn(
  rows: readonly Readonly<Record<string, ColumnValue>>[],
  name: string,
  pack: Pack,
): readonly [at: string, length: string] {
  const places: number[] = []
  const lengths: (number | 'NULL')[] = []
  for (const row of rows) {
    const text = row[name]
    places.push(pack.next)
    // The part of no length at all is null.
    lengths.push(typeof text === 'string' && text !== '' ? pack.add(text) : 'NULL')
  }
  return [`{${places.join(',')}}`, `{${lengths.join(',')}}`]
}

function plainValue(type: ColumnType, value: ColumnValue): CommandValue {
  if (type === 'bytea') return value === null || value === '' ? null : new Bytes(String(value))
  return typeof value === 'boolean' ? String(value) : value
}

interface Source {
  readonly rows: string
  /** Columns as arrays, by name; bytes are none. */
  readonly arrays: ReadonlyMap<string, string>
  /** The number of the first parameter that is not the rows'. */
  readonly next: number
}

function oneRow(entries: readonly [string, ColumnType][]): Source {
  const values = entries.map(([name, type], index) => [name, type, `$${index + 1}::${sqlType(type)}`] as const)
  const outputs = values.map(
    ([name, type, value]) => `${type === 'hex' ? `decode(${value}, 'hex')` : value} as ${name}`,
  )
  return {
    rows: `not materialized (select ${outputs.join(', ')})`,
    arrays: new Map(values.map(([name, , value]) => [name, `array[${value}]`])),
    next: entries.length + 1,
  }
}

function manyRows(columns: Columns): Source {
  const all = arraysOf('', columns)
  const pack = `$${all.length + 1}::bytea`
  const sources = all.map(({ type }, index) => `$${index + 1}::${type}[]`)
  const outputs = Object.entries(columns).map(([column, type]) => `${readSql(column, type, pack)} as ${column}`)
  const aliases = all.map(({ alias }) => alias).join(', ')
  return {
    rows: `not materialized (select ${outputs.join(', ')} from unnest(${sources.join(', ')}) r (${aliases}))`,
    arrays: new Map(all.map(({ alias }, index) => [alias, sources[index] ?? ''])),
    next: all.length + 2,
  }
}

function textFor(statement: string, { rows, arrays, next }: Source, more: readonly string[]): string {
  let text = statement.replace('/* rows */', rows)
  for (const [name, array] of arrays) text = text.replaceAll(`/* ${name} */`, array)
  for (const [index, name] of more.entries()) text = text.replaceAll(`:${name}:`, `$${next + index}`)
  const left = /\/\* \w+ \*\/|:\w+:(?=:)/.exec(text)
  if (left !== null) throw new Error(`Nothing was put for ${left[0]} in a statement.`)
  return text
}
