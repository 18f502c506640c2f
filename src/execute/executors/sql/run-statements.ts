// The statements of one call, in order, in a transaction that the caller begins and ends.

import type { ExactRows, ExactStatement } from '../../../contract/tool/executor.ts'
import type { SqlStatement } from '../../../contract/tool/executor-files/sql-file.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'
import { boundValue, type CallNames } from './parameter.ts'
import { checkColumns, checkExpectation, statementResult } from './plan.ts'

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

/** For row policies, time and the way values are written; each holds until the transaction ends. */
export function settingsFor(
  { tenantSetting, role }: Statements,
  { tenant, timeoutMs }: { readonly tenant: string; readonly timeoutMs: number },
  written: readonly (readonly [string, string])[],
): { readonly text: string; readonly values: readonly string[] } {
  const limit = String(Math.max(1, Math.ceil(timeoutMs)))
  const settings: readonly (readonly [string, string])[] = [
    ...written,
    [tenantSetting, tenant],
    ['statement_timeout', limit],
    ...(role === undefined ? [] : [['role', role] as const]),
  ]
  return {
    text: `select ${settings.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`).join(', ')}`,
    values: settings.flat(),
  }
}
