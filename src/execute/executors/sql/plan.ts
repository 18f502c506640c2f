// The statements of a tool, looked through once: what is wrong with them is said when the tool is defined, not when it is called.

import { ToolError } from '../../../contract/fault.ts'
import type { ExactRows } from '../../../contract/tool/executor.ts'
import { type SqlStatement, sqlTypes } from '../../../contract/tool/executor-files/sql-file.ts'
import { isPointer } from '../../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'
import { scanStatement } from './scan-statement.ts'

const verbs: Readonly<Record<SqlStatement['access'], ReadonlySet<string>>> = {
  read: new Set(['select', 'with', 'values', 'table']),
  write: new Set(['insert', 'update', 'delete', 'merge', 'with', 'select']),
}

/** A setting of the database's own would be another kind of switch; those of applications have a point in their name. */
const settingName = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+$/

/** One sentence per mistake. */
export function statementProblems(statements: readonly SqlStatement[], result: string | undefined): readonly string[] {
  const names = new Set(statements.map(({ name }) => name))
  return [
    ...(statements.length === 0 ? ['There is no statement.'] : []),
    ...(names.size < statements.length ? ['Two statements have the same name.'] : []),
    ...(result !== undefined && !names.has(result) ? [`result names ${result}, but no statement is called so.`] : []),
    ...statements.flatMap((statement) =>
      statementFaults(statement).map((problem) => `Statement ${statement.name} ${problem}.`),
    ),
  ]
}

export const isSettingName = (name: string): boolean => settingName.test(name)

function statementFaults({ text, access, parameters = [] }: SqlStatement): readonly string[] {
  const { verb, parameters: used, broken } = scanStatement(text)
  if (broken !== undefined) return [broken]
  if (!verbs[access]?.has(verb))
    return [`begins with ${verb || 'nothing'}, which is not for a statement that ${access}s`]
  const unbound = [...used].filter((number) => number < 1 || number > parameters.length)
  const unused = parameters.flatMap((_, index) => (used.has(index + 1) ? [] : [`$${index + 1}`]))
  return [
    ...(unbound.length > 0 ? [`has no parameter for ${unbound.map((number) => `$${number}`).join(', ')}`] : []),
    ...(unused.length > 0 ? [`does not use ${unused.join(', ')}`] : []),
    ...parameters.flatMap((parameter) => {
      if (!('argument' in parameter)) return []
      const { argument, type } = parameter
      if (argument === '' || !isPointer(argument)) return [`binds ${argument}, which is no pointer such as /order_id`]
      return sqlTypes.includes(type) ? [] : [`binds ${argument} as ${String(type)}; it may be ${sqlTypes.join(', ')}`]
    }),
  ]
}

/** Throws where the statement did not find or change as many rows as it must. */
export function checkExpectation({ name, expect }: SqlStatement, { count }: ExactRows): void {
  if (expect === undefined) return
  const { min = 0, max = Number.POSITIVE_INFINITY } =
    typeof expect.rows === 'number' ? { min: expect.rows, max: expect.rows } : expect.rows
  // More than are ever fetched: no more is known, and no more has to be.
  const found = count ?? Number.POSITIVE_INFINITY
  if (found >= min && (found <= max || max === Number.POSITIVE_INFINITY)) return
  throw new ToolError(
    'sql_rows',
    `${name} met ${count ?? 'too many'} rows and had to meet ${min === max ? min : `${min} to ${max}`}. Nothing was changed.`,
    { effect: 'none', class: 'STALE_STATE' },
  )
}

export function statementResult({ access, returns }: SqlStatement, found: ExactRows): JsonValue {
  const { columns, rows, count } = found
  const shape = returns ?? (columns.length > 0 || access === 'read' ? 'rows' : 'count')
  switch (shape) {
    case 'count':
      return { count: count ?? null }
    case 'row':
      return rows[0] === undefined ? null : rowOf(columns, rows[0])
    case 'rows':
      return { rows: rows.map((row) => rowOf(columns, row)), truncated: count === undefined }
  }
}

/** Two columns of one name would be one key: the statement has to name them apart. */
export function checkColumns({ name }: SqlStatement, { columns }: ExactRows): void {
  if (new Set(columns).size === columns.length) return
  throw new ToolError('sql_columns', `${name} returns two columns of one name. Nothing was changed.`, {
    effect: 'none',
  })
}

const rowOf = (columns: readonly string[], row: readonly JsonValue[]): JsonObject =>
  Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]))
