// Every regular expression in src/: literals with their text, and those that are put together at run time with the code that makes them.
import { parseSync } from 'oxc-parser'
import { type SourceFile, sourceFiles } from '../source-files.ts'

export interface FoundExpression {
  readonly path: string
  readonly line: number
  /** Undefined where it is put together at run time. */
  readonly literal: { readonly source: string; readonly flags: string } | undefined
  /** As it is written. */
  readonly code: string
}

const isProduct = ({ path }: SourceFile) => !/\.test(?:-d)?\.ts$/.test(path)

export const expressionsOfProduct = (): readonly FoundExpression[] =>
  sourceFiles('src').filter(isProduct).flatMap(expressionsIn)

/** Methods of texts that make a regular expression of a text that they are given. */
const makers: ReadonlySet<string> = new Set(['match', 'matchAll', 'search'])

export function expressionsIn({ path, text }: SourceFile): readonly FoundExpression[] {
  const found: FoundExpression[] = []
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed`)
  const note = (node: Node, literal?: FoundExpression['literal']) => {
    const line = text.slice(0, node.start).split('\n').length
    found.push({ path, line, literal, code: text.slice(node.start, node.end) })
  }
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one)
    else if (typeof value === 'object' && value !== null) {
      const node = value as Node
      if (node.type === 'Literal' && node.regex !== undefined)
        note(node, { source: node.regex.pattern, flags: node.regex.flags })
      else if (isMaker(node)) note(node)
      for (const member of Object.values(node)) visit(member)
    }
  }
  visit(program.body)
  return found
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly regex?: { readonly pattern: string; readonly flags: string }
  readonly callee?: { readonly name?: string; readonly property?: { readonly name?: string } }
  readonly arguments?: readonly { readonly type: string; readonly regex?: unknown }[]
}

/** `new RegExp(…)`, `RegExp(…)`, and `text.match('…')` with anything but a text that is looked up as it is. */
function isMaker({ type, callee, arguments: given = [] }: Node): boolean {
  if (type !== 'NewExpression' && type !== 'CallExpression') return false
  if (callee?.name === 'RegExp') return true
  const [first] = given
  return makers.has(callee?.property?.name ?? '') && first?.type === 'Literal' && first.regex === undefined
}
