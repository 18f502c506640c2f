// Logic, equality, order, membership and the choice between two expressions.
// Invariant: as in CEL, a failing operand of && and || only matters where the other does not decide alone.
import type { ASTNode, BinaryOperator } from '@marcbachmann/cel-js'
import type { JsonObject, JsonValue } from '../../../json/value.ts'
import { equalJson } from '../../../schema/equality.ts'
import { bool, isNumeric, join, kindWords, mayEqual, type Shape, weightOf } from '../shapes/shape.ts'
import { compareTexts, costlier, least, scan, smaller, sum, times, units, type Work } from '../shapes/work.ts'
import { type Code, expectKind, RuleError, type RuleScope, type Run, soleKind, sourceOf, Unacceptable } from './code.ts'
import { pathsOf } from './compile-access.ts'
import { compileLiteral } from './compile-literals.ts'
import { allOf, factsWhen } from './facts.ts'
import { compareCodePoints } from './text-order.ts'

type Binary<Op extends string = BinaryOperator> = ASTNode & {
  readonly op: Op
  readonly args: readonly [ASTNode, ASTNode]
}

export function compileLogic(node: Binary<'&&' | '||'>, scope: RuleScope): Code {
  const goesOn = node.op === '&&'
  const left = scope.compile(node.args[0], scope)
  const facts = factsWhen(node.args[0], goesOn, pathsOf(scope))
  const right = scope.compile(node.args[1], { ...scope, facts: allOf(scope.facts, facts) })
  expectKind(left, 'bool')
  expectKind(right, 'bool')
  const [first, second] = [left.run, right.run]
  const quick: Run = goesOn ? (frame) => first(frame) && second(frame) : (frame) => first(frame) || second(frame)
  const patient: Run = (frame) => {
    let outcome: unknown
    try {
      outcome = first(frame)
    } catch (error) {
      // What the left side would have proven is unproven now: the right side may not be asked if it relies on that.
      if (!(error instanceof RuleError) || facts.size > 0 || second(frame) === goesOn) throw error
      return !goesOn
    }
    return outcome === goesOn ? second(frame) : outcome
  }
  const work = sum(left.work, right.work, units(1))
  return { node, shape: bool, work, canFail: left.canFail || right.canFail, run: left.canFail ? patient : quick }
}

export function compileNot(node: ASTNode & { readonly op: '!_' }, scope: RuleScope): Code {
  const code = scope.compile(node.args, scope)
  expectKind(code, 'bool')
  const { run } = code
  return { node, shape: bool, work: sum(code.work, units(1)), canFail: code.canFail, run: (frame) => !run(frame) }
}

export function compileChoice(node: ASTNode & { readonly op: '?:' }, scope: RuleScope): Code {
  const [condition, met, unmet] = node.args
  const asked = scope.compile(condition, scope)
  expectKind(asked, 'bool')
  const given = (outcome: boolean) => ({
    ...scope,
    facts: allOf(scope.facts, factsWhen(condition, outcome, pathsOf(scope))),
  })
  const [yes, no] = [scope.compile(met, given(true)), scope.compile(unmet, given(false))]
  const shape = join(yes.shape, no.shape)
  if (shape === undefined) {
    throw new Unacceptable(
      node,
      `Both sides of a choice must be of one type; they are ${kindWords(yes.shape)} and ${kindWords(no.shape)}`,
    )
  }
  const [ask, runYes, runNo] = [asked.run, yes.run, no.run]
  return {
    node,
    shape,
    work: sum(asked.work, costlier(yes.work, no.work), units(1)),
    canFail: asked.canFail || yes.canFail || no.canFail,
    run: (frame) => (ask(frame) ? runYes(frame) : runNo(frame)),
  }
}

export function compileEquality(node: Binary<'==' | '!='>, scope: RuleScope): Code {
  const [left, right] = [scope.compile(node.args[0], scope), scope.compile(node.args[1], scope)]
  if (!mayEqual(left.shape, right.shape)) throw new Unacceptable(node, neverEqual(left, right))
  const [a, b] = [left.run, right.run]
  const { literal } = right
  const wanted = node.op === '=='
  const scalar = isScalar(left.shape) || isScalar(right.shape)
  const equal: Run =
    literal !== undefined
      ? (frame) => a(frame) === literal
      : scalar
        ? (frame) => a(frame) === b(frame)
        : (frame) => equalJson(a(frame) as JsonValue, b(frame) as JsonValue)
  const work = sum(left.work, right.work, units(1), least(weightOf(left.shape), weightOf(right.shape)))
  return {
    node,
    shape: bool,
    work,
    canFail: left.canFail || right.canFail,
    run: wanted ? equal : (frame) => !equal(frame),
  }
}

function isScalar({ kind }: Shape): boolean {
  return kind !== 'list' && kind !== 'map' && kind !== 'union'
}

function neverEqual(left: Code, right: Code): string {
  const [a, b] = [left, right].map((code) => `\`${sourceOf(code.node)}\` is ${kindWords(code.shape)}`)
  const hint = [left, right].some((code) => code.shape.kind === 'null')
    ? '; whether a member is there is asked with has()'
    : ''
  return `${a} and ${b}: they are never equal${hint}`
}

const orders: Readonly<Record<'<' | '<=' | '>' | '>=', (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

export function compileOrder(node: Binary<'<' | '<=' | '>' | '>='>, scope: RuleScope): Code {
  const [left, right] = [scope.compile(node.args[0], scope), scope.compile(node.args[1], scope)]
  const [one, other] = [expectKind(left, 'int', 'double', 'text', 'timestamp', 'duration'), soleKind(right)]
  if (one.kind !== other.kind && !(isNumeric(one.kind) && isNumeric(other.kind))) {
    throw new Unacceptable(node, `${kindWords(one)} cannot be compared with ${kindWords(other)}`)
  }
  const [a, b, holds] = [left.run, right.run, orders[node.op]]
  const base = { node, shape: bool, canFail: left.canFail || right.canFail } as const
  const operands = sum(left.work, right.work)
  if (one.kind === 'text' && other.kind === 'text') {
    const run: Run = (frame) => holds(compareCodePoints(a(frame) as string, b(frame) as string), 0)
    return { ...base, work: sum(operands, scan(smaller(one.length, other.length))), run }
  }
  const { literal } = right
  const run: Run =
    typeof literal === 'number'
      ? (frame) => holds(a(frame) as number, literal)
      : (frame) => holds(a(frame) as number, b(frame) as number)
  return { ...base, work: sum(operands, units(1)), run }
}

export function compileIn(node: Binary<'in'>, scope: RuleScope): Code {
  const [wanted, inside] = [scope.compile(node.args[0], scope), scope.compile(node.args[1], scope)]
  const shape = expectKind(inside, 'list', 'map')
  const canFail = wanted.canFail || inside.canFail
  const base = { node, shape: bool, canFail } as const
  const operands = sum(wanted.work, inside.work)
  const [find, read] = [wanted.run, inside.run]
  if (shape.kind === 'map') {
    expectKind(wanted, 'text')
    const run: Run = (frame) => {
      const [map, key] = [read(frame) as JsonObject, find(frame) as string]
      return Object.hasOwn(map, key) && map[key] !== undefined
    }
    return { ...base, work: sum(operands, compareTexts(shape.keyLength)), run }
  }
  if (shape.kind !== 'list') throw new TypeError('A list was expected to be one')
  const item = shape.item()
  if (!mayEqual(wanted.shape, item)) {
    throw new Unacceptable(
      node,
      `\`${sourceOf(wanted.node)}\` is ${kindWords(wanted.shape)} and never among ${kindWords(item)}s`,
    )
  }
  const each: Work = sum(units(1), least(weightOf(wanted.shape), weightOf(item)))
  const work = sum(operands, times(shape.size, each))
  const set = constantSet(node.args[1])
  if (set !== undefined) return { ...base, work, run: (frame) => set.has(find(frame)) }
  if (isScalar(item))
    return { ...base, work, run: (frame) => (read(frame) as readonly unknown[]).indexOf(find(frame)) >= 0 }
  const run: Run = (frame) => {
    const value = find(frame) as JsonValue
    return (read(frame) as readonly JsonValue[]).some((one) => equalJson(one, value))
  }
  return { ...base, work, run }
}

/** Looks only at what is written out: asking whether a list is constant must not compile it twice. */
function constantSet(node: ASTNode): ReadonlySet<unknown> | undefined {
  if (node.op !== 'list') return undefined
  const literals = node.args.map((item) => (item.op === 'value' ? compileLiteral(item).literal : undefined))
  return literals.includes(undefined) ? undefined : new Set(literals)
}
