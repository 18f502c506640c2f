// The statements of one call, in order, in a transaction that the caller begins and ends.

import { ToolError } from '../../../contract/fault.ts'
import type { ExactRows, ExactStatement } from '../../../contract/tool/executor.ts'
import type { SqlStatement } from '../../../contract/tool/executor-files/sql-file.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'
import { boundValue, type CallNames } from './parameter.ts'

export interface Statements {
  readonly statements: readonly SqlStatement[]
  /** The statement whose result is that of the tool. */
  readonly result: string | undefined
  readonly maxRows: number
  readonly tenantSetting: string
  readonly role: string | undefined
}

export type BoundStatement = SqlStatement & { readonly values: readonly (string | null)[] }

/** Every value is looked at before anything is sent. */
export function bindStatements(
  { statements }: Statements,
  args: JsonObject,
  context: CallNames,
): readonly BoundStatement[] {
  return statements.map((statement) => ({
    ...statement,
    values: (statement.parameters ?? []).map((parameter) => boundValue(parameter, args, context)),
  }))
}

export async function runStatements(
  { result, maxRows }: Statements,
  bound: readonly BoundStatement[],
  send: (statement: ExactStatement) => Promise<ExactRows>,
): Promise<JsonValue> {
  const results = new Map<string, JsonValue>()
  for (const statement of bound) {
    const { text, values, access } = statement
    const found = await send({ text, values, maxRows, readOnly: access === 'read' })
    checkExpectation(statement, found)
    checkColumns(statement, found)
    results.set(statement.name, statementResult(statement, found))
  }
  const only = result ?? (bound.length === 1 ? bound[0]?.name : undefined)
  return only === undefined ? Object.fromEntries(results) : (results.get(only) ?? null)
}

/** For row policies, time and the way values are written; each holds until the transaction ends. The ledger knows its tenants itself. */
export function settingsFor(
  who: Pick<Statements, 'tenantSetting' | 'role'> | undefined,
  { tenant, timeoutMs }: { readonly tenant: string; readonly timeoutMs: number },
  written: readonly (readonly [string, string])[],
): { readonly text: string; readonly values: readonly string[] } {
  const limit = String(Math.max(1, Math.ceil(timeoutMs)))
  const settings: readonly (readonly [string, string])[] = [
    ...written,
    ['statement_timeout', limit],
    ...(who === undefined ? [] : [[who.tenantSetting, tenant] as const]),
    ...(who?.role === undefined ? [] : [['role', who.role] as const]),
  ]
  return {
    text: `select ${settings.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`).join(', ')}`,
    values: settings.flat(),
  }
}

/** Throws where the statement did not find or change as many rows as it must. */
function checkExpectation({ name, expect }: SqlStatement, { count }: ExactRows): void {
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

function statementResult({ access, returns }: SqlStatement, found: ExactRows): JsonValue {
  const { columns, rows, count, truncated } = found
  const shape = returns ?? (columns.length > 0 || access === 'read' ? 'rows' : 'count')
  switch (shape) {
    case 'count':
      return { count: count ?? null }
    case 'row':
      return rows[0] === undefined ? null : rowOf(columns, rows[0])
    case 'rows':
      return { rows: rows.map((row) => rowOf(columns, row)), truncated }
  }
}

/** Two columns of one name would be one key: the statement has to name them apart. */
function checkColumns({ name }: SqlStatement, { columns }: ExactRows): void {
  if (new Set(columns).size === columns.length) return
  throw new ToolError('sql_columns', `${name} returns two columns of one name. Nothing was changed.`, {
    effect: 'none',
  })
}

const rowOf = (columns: readonly string[], row: readonly JsonValue[]): JsonObject =>
  Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]))
