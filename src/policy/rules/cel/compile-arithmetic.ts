// Arithmetic on integers, numbers, times, texts and lists.
// Invariant: integers are exact: a result, or an operand, that a JSON number cannot hold exactly is an error, never a rounded value. Numbers
// are finite: a division by zero is an error, where CEL would go on with an infinite number, which any bound lets through on one side.
import type { ASTNode } from '@marcbachmann/cel-js'
import { double, int, isNumeric, join, kindWords, listShape, type OneShape, type Shape } from '../shapes/shape.ts'
import { scan, sum, times, together, units, type Work } from '../shapes/work.ts'
import { type Code, expectKind, RuleError, type RuleScope, type Run, soleKind, sourceOf, Unacceptable } from './code.ts'

type Operator = '+' | '-' | '*' | '/' | '%'
type Arithmetic = ASTNode & { readonly op: Operator; readonly args: readonly [ASTNode, ASTNode] }
type Compute = (a: number, b: number) => number

function exact(value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new RuleError('an integer is beyond what a JSON number holds exactly')
}

function nonZero(value: number): number {
  if (value !== 0) return value
  throw new RuleError('a division by zero')
}

const divisor = (value: number): number => exact(nonZero(value))

function finite(value: number): number {
  if (Number.isFinite(value)) return value
  throw new RuleError('a number is beyond what a JSON number can be')
}

const onIntegers: Readonly<Record<Operator, Compute>> = {
  '+': (a, b) => exact(exact(a) + exact(b)),
  '-': (a, b) => exact(exact(a) - exact(b)),
  '*': (a, b) => exact(exact(a) * exact(b)),
  // Cuts off towards zero, as CEL does; exact, which a rounded quotient would not be.
  '/': (a, b) => (exact(a) - (a % divisor(b))) / b,
  '%': (a, b) => exact(a) % divisor(b),
}

const onNumbers: Readonly<Record<Operator, Compute | undefined>> = {
  '+': (a, b) => finite(a + b),
  '-': (a, b) => finite(a - b),
  '*': (a, b) => finite(a * b),
  '/': (a, b) => finite(a / nonZero(b)),
  '%': undefined,
}

/** Which sums and differences of times there are, and what they are. */
const onTimes: ReadonlyMap<string, 'timestamp' | 'duration'> = new Map([
  ['timestamp + duration', 'timestamp'],
  ['duration + timestamp', 'timestamp'],
  ['duration + duration', 'duration'],
  ['timestamp - duration', 'timestamp'],
  ['timestamp - timestamp', 'duration'],
  ['duration - duration', 'duration'],
])

export function compileArithmetic(node: Arithmetic, scope: RuleScope): Code {
  const operands = [scope.compile(node.args[0], scope), scope.compile(node.args[1], scope)] as const
  const [left, right] = operands
  const [one, other] = [soleKind(left), soleKind(right)]
  const numeric = isNumeric(one.kind) && isNumeric(other.kind)
  if (numeric && one.kind === 'int' && other.kind === 'int')
    return computed(node, operands, { shape: int, compute: onIntegers[node.op], canFail: true })
  // Every integer here is a JSON number already, so mixing it with a number loses nothing.
  const compute = numeric ? onNumbers[node.op] : undefined
  if (compute !== undefined) return computed(node, operands, { shape: double, compute, canFail: true })
  const time = onTimes.get(`${one.kind} ${node.op} ${other.kind}`)
  const move = onNumbers[node.op]
  if (time !== undefined && move !== undefined)
    return computed(node, operands, { shape: { kind: time }, compute: move, canFail: true })
  const joined = node.op === '+' ? concatenation(one, other) : undefined
  if (joined !== undefined) return concatenated(node, left, right, joined)
  throw new Unacceptable(
    node,
    `\`${sourceOf(node)}\`: ${node.op} is not defined for ${kindWords(one)} and ${kindWords(other)}`,
  )
}

interface Operation {
  readonly shape: Shape
  readonly compute: Compute
  readonly canFail: boolean
}

function computed(
  node: Arithmetic,
  [left, right]: readonly [Code, Code],
  { shape, compute, canFail }: Operation,
): Code {
  const [a, b] = [left.run, right.run]
  return {
    node,
    shape,
    work: sum(left.work, right.work, units(1)),
    canFail: canFail || left.canFail || right.canFail,
    run: (frame) => compute(a(frame) as number, b(frame) as number),
  }
}

function concatenation(a: OneShape, b: OneShape): { readonly shape: Shape; readonly work: Work } | undefined {
  if (a.kind === 'text' && b.kind === 'text') {
    const length = together(a.length, b.length)
    return { shape: { kind: 'text', length }, work: scan(length) }
  }
  if (a.kind !== 'list' || b.kind !== 'list') return undefined
  const item = a.size.most === 0 ? b.item() : b.size.most === 0 ? a.item() : join(a.item(), b.item())
  if (item === undefined) return undefined
  const size = together(a.size, b.size)
  return { shape: listShape(item, size, a.least + b.least), work: times(size, units(1)) }
}

function concatenated(
  node: Arithmetic,
  left: Code,
  right: Code,
  result: { readonly shape: Shape; readonly work: Work },
): Code {
  const [a, b] = [left.run, right.run]
  const run: Run =
    result.shape.kind === 'text'
      ? (frame) => `${a(frame) as string}${b(frame) as string}`
      : (frame) => [...(a(frame) as readonly unknown[]), ...(b(frame) as readonly unknown[])]
  return {
    node,
    shape: result.shape,
    work: sum(left.work, right.work, result.work),
    canFail: left.canFail || right.canFail,
    run,
  }
}

export function compileMinus(node: ASTNode & { readonly op: '-_' }, scope: RuleScope): Code {
  const code = scope.compile(node.args, scope)
  const shape = expectKind(code, 'int', 'double')
  const base = { node, shape, work: sum(code.work, units(1)), canFail: code.canFail }
  if (typeof code.literal === 'number') {
    const literal = -code.literal
    return { ...base, literal, run: () => literal }
  }
  if (code.literal !== undefined) throw new Unacceptable(node, `\`${sourceOf(node)}\` is no number`)
  const { run } = code
  return { ...base, run: (frame) => -(run(frame) as number) }
}
