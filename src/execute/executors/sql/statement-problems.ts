// What is wrong with the statements of a tool: said when the tool is defined, not when it is called.
import { type SqlStatement, sqlTypes } from '../../../contract/tool/executor-files/sql-file.ts'
import { isPointer } from '../../../json/pointer.ts'

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

/**
 * A statement as Postgres reads it: strings, quoted names and comments are not its own words. The server has the last word; this finds
 * mistakes when a tool is registered instead of when it is called.
 */
export interface Scan {
  /** The first word, in lower case; empty where there is none. */
  readonly verb: string
  /** The numbers of its parameters. */
  readonly parameters: ReadonlySet<number>
  /** More than one statement, or a part of it that is never closed. */
  readonly broken: string | undefined
}

const token =
  /(?<space>\s+|--[^\n]*)|(?<comment>\/\*)|(?<escaped>[eE]'(?:[^'\\]|''|\\[\s\S])*')|(?<string>(?:[uU]&)?'(?:[^']|'')*')|(?<name>(?:[uU]&)?"(?:[^"]|"")*")|\$(?<parameter>[0-9]+)|(?<dollar>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)|(?<end>;)|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(?<open>['"])|[\s\S]/y

export function scanStatement(text: string): Scan {
  const parameters = new Set<number>()
  let verb = ''
  let ended = false
  const broken = (why: string): Scan => ({ verb, parameters, broken: why })
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const groups = token.exec(text)?.groups ?? {}
    const at = token.lastIndex
    if (groups.space !== undefined) continue
    if (groups.comment !== undefined) {
      const end = endOfComment(text, at)
      if (end === undefined) return broken('has a comment that is never closed')
      token.lastIndex = end
      continue
    }
    if (groups.end !== undefined) {
      ended = true
      continue
    }
    if (ended) return broken('holds more than one statement')
    if (groups.open !== undefined) return broken('has a quotation mark that is never closed')
    if (groups.dollar !== undefined) {
      const end = text.indexOf(groups.dollar, at)
      if (end === -1) return broken('has a dollar-quoted text that is never closed')
      token.lastIndex = end + groups.dollar.length
      continue
    }
    if (groups.parameter !== undefined) parameters.add(Number(groups.parameter))
    if (groups.word !== undefined && verb === '') verb = groups.word.toLowerCase()
  }
  return { verb, parameters, broken: undefined }
}

/** Comments nest in Postgres. */
function endOfComment(text: string, from: number): number | undefined {
  const mark = /\/\*|\*\//g
  mark.lastIndex = from
  for (let depth = 1; ; ) {
    const found = mark.exec(text)
    if (found === null) return undefined
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
}
