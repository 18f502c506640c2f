// What an expression becomes: a closure, with the shape of its value, a bound of its work, and whether it can fail.
// Invariant: `run` of a code whose `canFail` is false never throws for values that fit the declared shapes.
import type { ASTNode } from '@marcbachmann/cel-js'
import type { RuleValues } from '../rule.ts'
import { type Kind, kindWords, type OneShape, type Shape } from '../shapes/shape.ts'
import type { Work } from '../shapes/work.ts'
import type { Facts } from './facts.ts'

export interface Frame {
  readonly values: RuleValues
  /** Variables of macros, each at a place of its own. */
  readonly locals: unknown[]
}

export type Run = (frame: Frame) => unknown

export interface Code {
  readonly node: ASTNode
  readonly shape: Shape
  readonly work: Work
  readonly canFail: boolean
  readonly run: Run
  /** Identity of the place that is read, where the expression is nothing but a place. */
  readonly path?: string
  /** The value of a literal. */
  readonly literal?: string | number | boolean | null
}

/** What a row makes of its operands; the receiver of a method is the first. */
export interface FunctionCode {
  readonly shape: Shape
  readonly work: Work
  readonly canFail?: boolean
  readonly run: (...values: never[]) => unknown
}

export interface Variable {
  readonly shape: Shape
  readonly path: string
  readonly run: Run
  readonly root?: 'args' | 'context' | 'state'
}

export interface RuleScope {
  readonly variables: ReadonlyMap<string, Variable>
  readonly facts: Facts
  /** Shared by the whole expression. */
  readonly seen: { args: boolean; context: boolean; state: boolean; locals: number }
  compile(node: ASTNode, scope: RuleScope): Code
}

/** Carries a fault out of the walk over an expression; it never leaves this folder. */
export class Unacceptable extends Error {
  readonly node: ASTNode | undefined

  constructor(node: ASTNode | undefined, reason: string) {
    super(reason)
    this.node = node
  }
}

/** What can go wrong while judging, for arguments that are valid. */
export class RuleError extends Error {}

export function sourceOf({ input, start, end }: ASTNode): string {
  const text = input.slice(start, end)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** The one kind that a value has, or a fault that says how to get there. */
export function soleKind(code: Code): OneShape {
  const { shape, node } = code
  if (shape.kind !== 'union') return shape
  const source = sourceOf(node)
  const hint = shape.of.some(({ kind }) => kind === 'null') ? `; guard it with \`${source} != null && …\`` : ''
  throw new Unacceptable(node, `\`${source}\` may be ${kindWords(shape)}; here it must be of one type${hint}`)
}

export function expectKind(code: Code, ...kinds: readonly Kind[]): OneShape {
  const shape = soleKind(code)
  if (kinds.includes(shape.kind)) return shape
  const wanted = kindWords({ kind: 'union', of: kinds.map((kind) => ({ kind }) as OneShape) })
  throw new Unacceptable(code.node, `\`${sourceOf(code.node)}\` is ${kindWords(shape)}; here ${wanted} is needed`)
}
