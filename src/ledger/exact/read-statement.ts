// What a statement of SQL is, by the parser of Postgres itself: comments, quotes and escapes are read as the server reads them. Only
// statements that read or change rows have a kind; no other may run for a tool.
import { Fault } from '../../contract/fault.ts'
import { boundedCache } from '../../json/bounded-cache.ts'
import { isObject } from '../../json/value.ts'

export type StatementKind = 'select' | 'insert' | 'update' | 'delete' | 'merge'

export type StatementReading =
  | {
      readonly ok: true
      readonly kind: StatementKind
      /** Whether it changes or locks rows by its own words; what its functions do, only the server can say. */
      readonly writes: boolean
      /** The numbers of its parameters. */
      readonly parameters: ReadonlySet<number>
    }
  | { readonly ok: false; readonly why: string }

export type ReadStatement = (text: string) => StatementReading

const kinds: ReadonlyMap<string, StatementKind> = new Map([
  ['SelectStmt', 'select'],
  ['InsertStmt', 'insert'],
  ['UpdateStmt', 'update'],
  ['DeleteStmt', 'delete'],
  ['MergeStmt', 'merge'],
])
const writing: ReadonlySet<string> = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'LockingClause'])

const packageName = 'libpg-query'
/** Longer texts are not read: the time that a tree takes is longer than that of its statement. */
const longest = 1_000_000
/** Texts whose reading is kept. A tool has few; one that writes its texts anew each time has each of them read. */
const mostKept = 500

type Parser = Pick<typeof import('libpg-query'), 'parseSync' | 'scanSync' | 'hasSqlDetails'>

let loading: Promise<ReadStatement> | undefined

/** Throws a Fault that says what to install. */
export function statementReader(): Promise<ReadStatement> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<ReadStatement> {
  let parser: typeof import('libpg-query')
  try {
    parser = await import(packageName)
    await parser.loadModule()
  } catch (cause) {
    const message = `Statements of tools are read by ${packageName}, which is not installed. Run \`npm install ${packageName}\`.`
    throw new Fault('bad_options', message, { cause })
  }
  const cached = boundedCache<StatementReading>(mostKept)
  return (text) => (text.length > longest ? tooLong : cached(text, () => readStatement(text, parser)))
}

const no = (why: string): StatementReading => ({ ok: false, why })
const tooLong = no(`is longer than ${longest} characters`)

function readStatement(text: string, parser: Parser): StatementReading {
  // The protocol ends a text there, and the server would read another one than the parser.
  if (text.includes('\0') || !text.isWellFormed()) return no('holds a character that no text in a database can hold')
  if (text === '') return no('begins with nothing')
  const parsed = parse(text, parser)
  if ('why' in parsed) return no(parsed.why)
  const { statements } = parsed
  const [first, ...more] = statements
  if (first === undefined) return no('begins with nothing')
  if (more.length > 0) return no('holds more than one statement')
  const [node = ''] = isObject(first.stmt) ? Object.keys(first.stmt) : []
  const kind = kinds.get(node)
  if (kind === undefined) return no(`begins with ${firstWord(text, parser)}, which no tool may say`)
  const found = walk(first.stmt)
  if (found.makesTable) return no('makes a table (select into)')
  return { ok: true, kind, writes: kind !== 'select' || found.writes, parameters: found.parameters }
}

type Parsed = { readonly statements: readonly { readonly stmt?: unknown }[] } | { readonly why: string }

function parse(text: string, parser: Parser): Parsed {
  const parsed = parseOnce(text, parser)
  // Between the parts of a text in quotes the server takes a comment for space, and the parser does not.
  const plain = 'why' in parsed ? withoutComments(text, parser) : text
  return plain === text ? parsed : parseOnce(plain, parser)
}

function parseOnce(text: string, { parseSync, hasSqlDetails }: Parser): Parsed {
  try {
    return { statements: parseSync(text).stmts ?? [] }
  } catch (error) {
    if (hasSqlDetails(error)) return { why: `is none that Postgres can read: ${error.message.slice(0, 200)}` }
    if (error instanceof RangeError) return { why: 'is nested too deeply' }
    throw error
  }
}

/** Comments to the end of a line, as spaces. */
function withoutComments(text: string, { scanSync }: Parser): string {
  try {
    const bytes = Buffer.from(text)
    for (const { start, end, tokenName } of scanSync(text).tokens)
      if (tokenName === 'SQL_COMMENT') bytes.fill(' ', start, end)
    return bytes.toString()
  } catch {
    return text
  }
}

interface Found {
  writes: boolean
  makesTable: boolean
  readonly parameters: Set<number>
}

/** Without recursion: a long chain of operators is a deep tree. */
function walk(tree: unknown): Found {
  const found: Found = { writes: false, makesTable: false, parameters: new Set() }
  const left: unknown[] = [tree]
  while (left.length > 0) {
    const node = left.pop()
    if (typeof node !== 'object' || node === null) continue
    for (const [name, value] of Object.entries(node)) {
      if (name === 'intoClause') found.makesTable = true
      if (writing.has(name)) found.writes = true
      // The parser leaves out a number that is 0.
      if (name === 'ParamRef') found.parameters.add((value as { readonly number?: number }).number ?? 0)
      left.push(value)
    }
  }
  return found
}

function firstWord(text: string, { scanSync }: Parser): string {
  try {
    const { tokens } = scanSync(text)
    const first = tokens.find(({ tokenName }) => tokenName !== 'SQL_COMMENT' && tokenName !== 'C_COMMENT')
    return first?.text.toLowerCase().slice(0, 40) ?? 'nothing'
  } catch {
    return 'another word'
  }
}

/**
 * How a server reads quotes and escapes depends on two settings, which a function that a tool calls may change. A text in which they matter
 * is sent only after this.
 */
export const readAsParsed = (text: string): string | undefined =>
  /[\\\u0080-\uffff]/.test(text) ? fixedReading : undefined

const fixedReading =
  "select set_config('standard_conforming_strings', 'on', true), set_config('client_encoding', 'UTF8', true)"
