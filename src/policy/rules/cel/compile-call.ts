// Calls of functions and methods, found in the table by name and by the kinds of their operands.
import type { ASTNode } from '@marcbachmann/cel-js'
import { nearestNames } from '../../../json/nearest.ts'
import { kindWords } from '../shapes/shape.ts'
import { sum } from '../shapes/work.ts'
import { type Code, type RuleScope, type Run, soleKind, sourceOf, Unacceptable } from './code.ts'
import { compileHas } from './compile-access.ts'
import { compileMacro, isMacro } from './compile-macros.ts'
import { type FunctionRow, functionTable } from './functions.ts'

type Call = ASTNode & { readonly op: 'call' | 'rcall' }

export function compileCall(node: Call, scope: RuleScope): Code {
  if (node.op === 'rcall') {
    if (isMacro(node)) return compileMacro(node, scope)
    const [name, receiver, given] = node.args
    return apply(
      node,
      'method',
      name,
      [receiver, ...given].map((operand) => scope.compile(operand, scope)),
    )
  }
  const [name, given] = node.args
  if (name === 'has' && given.length === 1) return compileHas(node, given[0], scope)
  return apply(
    node,
    'function',
    name,
    given.map((operand) => scope.compile(operand, scope)),
  )
}

function apply(node: Call, as: 'method' | 'function', name: string, operands: readonly Code[]): Code {
  const candidates = functionTable.filter((row) => row.name === name && (row.as === as || row.as === 'both'))
  if (candidates.length === 0) throw new Unacceptable(node, unknownFunction(as, name))
  const kinds = operands.map((operand) => soleKind(operand).kind)
  const row = candidates.find(
    ({ takes }) => takes.length === kinds.length && takes.every((one, at) => one.some((kind) => kind === kinds[at])),
  )
  if (row === undefined) {
    throw new Unacceptable(
      node,
      `\`${name}\` does not take ${operands.map(({ shape }) => kindWords(shape)).join(', ')}`,
    )
  }
  return built(node, row, operands)
}

function built(node: Call, row: FunctionRow, operands: readonly Code[]): Code {
  const result = row.build(operands)
  if (typeof result === 'string') throw new Unacceptable(node, `\`${sourceOf(node)}\`: ${result}`)
  const { shape, work, canFail = false } = result
  return {
    node,
    shape,
    work: sum(work, ...operands.map((operand) => operand.work)),
    canFail: canFail || operands.some((operand) => operand.canFail),
    run: called(
      result.run as (...values: unknown[]) => unknown,
      operands.map((operand) => operand.run),
    ),
  }
}

function called(apply: (...values: unknown[]) => unknown, runs: readonly Run[]): Run {
  const [first, second, third] = runs
  if (first === undefined) return () => apply()
  if (second === undefined) return (frame) => apply(first(frame))
  if (third === undefined) return (frame) => apply(first(frame), second(frame))
  return (frame) => apply(...runs.map((run) => run(frame)))
}

function unknownFunction(as: 'method' | 'function', name: string): string {
  const known = functionTable.filter((row) => row.as === as || row.as === 'both').map((row) => row.name)
  const near = nearestNames(name, new Set(known), 1)[0]
  const hint = near === undefined ? 'What CEL cannot say here, a code rule can' : `Did you mean \`${near}\`?`
  return `There is no ${as} \`${name}\`. ${hint}`
}
