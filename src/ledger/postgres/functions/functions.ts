// The functions of this layout, as one text: what the files in this folder say, with the rows of each request put in from its layout.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { boundTables, installation, unboundColumns } from '../../log/unbound.ts'
import { argumentsSql, type Columns, type Layout, parametersSql, rowsSql } from '../codec/layout.ts'
import {
  admissions,
  claims,
  counters,
  entries,
  layoutVersion,
  lookUps,
  questions,
  sagaLines,
  sagaQuestionRows,
  sagaWrites,
  slotJsonSql,
  slotStateSql,
} from '../codec/requests.ts'
import { withLockNumbers } from '../locks.ts'

export interface Functions {
  /** Part of every name, so that processes of two layouts work on one ledger at once. */
  readonly version: number
  readonly text: string
  readonly sha256: string
}

/** Each may use what stands before it. */
const files = [
  'rules',
  'slots',
  'bind',
  'look-up',
  'counters',
  'admit',
  'record',
  'tools',
  'runs',
  'sagas',
  'log',
  'upkeep',
  'grants',
]

const layouts = [
  admissions,
  claims,
  counters,
  entries,
  questions,
  lookUps,
  sagaWrites,
  sagaLines,
  sagaQuestionRows,
] as readonly Layout<Columns>[]

export function currentFunctions(): Functions {
  const text = files
    .map((file) => withLayouts(readFileSync(new URL(`./${file}.sql`, import.meta.url), 'utf8')))
    .join('\n')
  return { version: layoutVersion, text, sha256: hash('sha256', text) }
}

function withLayouts(text: string): string {
  const whole = layouts.reduce(
    (before, layout) =>
      before
        .replaceAll(`/* ${layout.name} parameters */`, parametersSql(layout))
        .replaceAll(`/* ${layout.name} arguments */`, argumentsSql(layout))
        .replaceAll(`/* ${layout.name} rows */`, rowsSql(layout)),
    withLockNumbers(text)
      .replaceAll('/* slot as json */', slotJsonSql)
      .replaceAll('/* slot state */', slotStateSql('k', 'p_status'))
      .replaceAll('/* installation */', installation)
      .replaceAll('/* binding triggers */', bindingTriggers()),
  )
  const left = /\/\* [\w ]+ \*\//.exec(whole)
  if (left !== null) throw new Error(`Nothing was put for ${left[0]} in a function.`)
  return whole
}

/** Functions of a later layout bind in place of these: a row is bound once. */
const bindingTriggers = (): string =>
  Object.entries(boundTables)
    .map(
      ([table, { key }]) =>
        `create or replace trigger bind_row after insert or update or delete on proviso.${table}
  for each row execute function proviso.bind_row_v${layoutVersion}('${key.join(',')}', '${unboundColumns(table).join(',')}');`,
    )
    .join('\n')
