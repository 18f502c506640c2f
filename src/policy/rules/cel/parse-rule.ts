// Turns the text of a rule into a tree, within limits that keep every later walk shallow.
// Invariant: for any text the answer is a tree or a fault; the parser's own failures do not escape.
import { createRequire } from 'node:module'
import type { ASTNode, Environment } from '@marcbachmann/cel-js'
import { Unacceptable } from './code.ts'

const maxSourceLength = 4_000
const limits = { maxAstNodes: 1_500, maxDepth: 40, maxListElements: 1_000, maxMapEntries: 200, maxCallArguments: 8 }

const require = createRequire(import.meta.url)
let environment: Environment | undefined

/** The parser is loaded at the first rule: 20 to 60 ms that a program without rules does not pay. */
function loadEnvironment(): Environment {
  if (environment === undefined) {
    const cel: typeof import('@marcbachmann/cel-js') = require('@marcbachmann/cel-js')
    environment = new cel.Environment({ unlistedVariablesAreDyn: true, limits })
  }
  return environment
}

export function parseRule(source: string): ASTNode {
  if (source.length > maxSourceLength) {
    throw new Unacceptable(
      undefined,
      `The expression has ${source.length} characters; ${maxSourceLength} is the limit.`,
    )
  }
  try {
    return loadEnvironment().parse(source).ast
  } catch (error) {
    const summary = error instanceof Error && 'summary' in error ? String(error.summary) : 'it nests too deeply'
    const range = error instanceof Error && 'range' in error ? rangeOf(error.range) : ''
    throw new Unacceptable(undefined, `The expression is no CEL: ${summary}${range}.`)
  }
}

function rangeOf(range: unknown): string {
  if (typeof range !== 'object' || range === null || !('start' in range)) return ''
  return ` (at character ${Number(range.start) + 1})`
}
