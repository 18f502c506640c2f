// What is wrong with the statements of a tool: said when the tool is defined or registered, and before anything of a call is sent.
import { type SqlStatement, sqlTypes } from '../../../contract/tool/executor-files/sql-file.ts'
import { isPointer } from '../../../json/pointer.ts'
import type { ReadStatement } from '../../../ledger/exact/read-statement.ts'

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

/** What can be said without reading the texts. */
function statementFaults({ parameters = [] }: SqlStatement): readonly string[] {
  return parameters.flatMap((parameter) => {
    if (!('argument' in parameter)) return []
    const { argument, type } = parameter
    if (argument === '' || !isPointer(argument)) return [`binds ${argument}, which is no pointer such as /order_id`]
    return sqlTypes.includes(type) ? [] : [`binds ${argument} as ${String(type)}; it may be ${sqlTypes.join(', ')}`]
  })
}

/** One sentence per mistake in the texts, as Postgres reads them. */
export function textProblems(statements: readonly SqlStatement[], read: ReadStatement): readonly string[] {
  return statements.flatMap((statement) =>
    textFaults(statement, read).map((problem) => `Statement ${statement.name} ${problem}.`),
  )
}

function textFaults({ text, access, parameters = [] }: SqlStatement, read: ReadStatement): readonly string[] {
  const reading = read(text)
  if (!reading.ok) return [reading.why]
  const { kind, writes, parameters: used } = reading
  if (access === 'read' && kind !== 'select')
    return [`begins with ${kind}, which is not for a statement that ${access}s`]
  if (access === 'read' && writes) return ['changes or locks rows, which is not for a statement that reads']
  const unbound = [...used].filter((number) => number < 1 || number > parameters.length)
  const unused = parameters.flatMap((_, index) => (used.has(index + 1) ? [] : [`$${index + 1}`]))
  return [
    ...(unbound.length > 0 ? [`has no parameter for ${unbound.map((number) => `$${number}`).join(', ')}`] : []),
    ...(unused.length > 0 ? [`does not use ${unused.join(', ')}`] : []),
  ]
}
