// The macros that bind a variable: all, exists, exists_one, filter, map, and cel.bind.
// Invariant: as in CEL, an item that fails is forgotten where another item decides `all` or `exists` alone.
import type { ASTNode } from '@marcbachmann/cel-js'
import { bool, listShape, type Shape } from '../shapes/shape.ts'
import { type Bound, sum, times, units } from '../shapes/work.ts'
import {
  type Code,
  expectKind,
  type Frame,
  RuleError,
  type RuleScope,
  type Run,
  Unacceptable,
  type Variable,
} from './code.ts'
import { allOf, type Facts, noFacts, present } from './facts.ts'

type MethodCall = ASTNode & { readonly op: 'rcall' }

interface Loop {
  readonly over: Code
  readonly size: Bound
  readonly item: Shape
  readonly slot: number
  readonly inside: RuleScope
  items(frame: Frame): readonly unknown[]
}

type Macro = (node: MethodCall, loop: Loop, bodies: readonly Code[]) => Code

const macros: ReadonlyMap<string, { readonly bodies: readonly number[]; readonly build: Macro }> = new Map([
  ['all', { bodies: [1], build: quantifier(false) }],
  ['exists', { bodies: [1], build: quantifier(true) }],
  ['exists_one', { bodies: [1], build: existsOne }],
  ['filter', { bodies: [1], build: filter }],
  ['map', { bodies: [1, 2], build: map }],
])

export function isMacro(node: MethodCall): boolean {
  const [name, receiver, given] = node.args
  return macros.get(name)?.bodies.includes(given.length - 1) === true || isBind(name, receiver)
}

function isBind(name: string, receiver: ASTNode): boolean {
  return name === 'bind' && receiver.op === 'id' && receiver.args === 'cel'
}

export function compileMacro(node: MethodCall, scope: RuleScope): Code {
  const [name, receiver, [variable, ...bodies]] = node.args
  if (isBind(name, receiver)) return compileBind(node, scope)
  const macro = macros.get(name)
  if (macro === undefined || variable?.op !== 'id')
    throw new Unacceptable(node, `\`${name}\` takes a variable and what to ask of it`)
  const loop = loopOver(scope.compile(receiver, scope), variable.args, scope)
  return macro.build(
    node,
    loop,
    bodies.map((body) => scope.compile(body, loop.inside)),
  )
}

function loopOver(over: Code, name: string, scope: RuleScope): Loop {
  const shape = expectKind(over, 'list', 'map')
  const slot = scope.seen.locals++
  const path = `%${slot}`
  const read = over.run
  const isList = shape.kind === 'list'
  const item: Shape =
    shape.kind === 'list'
      ? shape.item()
      : { kind: 'text', length: shape.kind === 'map' ? shape.keyLength : { most: 0 } }
  // A walk over the keys of a map meets only keys that are there.
  const facts: Facts = isList || over.path === undefined ? noFacts : new Map([[present(`${over.path}[${path}]`), 1]])
  return {
    over,
    size: shape.kind === 'list' || shape.kind === 'map' ? shape.size : { most: 0 },
    item,
    slot,
    inside: withVariable(scope, name, { shape: item, path, run: (frame) => frame.locals[slot] }, facts),
    items: isList ? (frame) => read(frame) as readonly unknown[] : (frame) => Object.keys(read(frame) as object),
  }
}

function withVariable(scope: RuleScope, name: string, variable: Variable, facts: Facts): RuleScope {
  return {
    ...scope,
    variables: new Map(scope.variables).set(name, variable),
    facts: allOf(scope.facts, facts),
  }
}

function workOf({ over, size }: Loop, bodies: readonly Code[]) {
  return sum(over.work, units(1), times(size, sum(units(2), ...bodies.map((body) => body.work))))
}

function failing({ over }: Loop, bodies: readonly Code[]): boolean {
  return over.canFail || bodies.some((body) => body.canFail)
}

/** The predicate of a macro: a condition on the item. */
function condition(body: Code | undefined): Run {
  if (body === undefined) throw new TypeError('A macro was built without its condition')
  expectKind(body, 'bool')
  return body.run
}

function quantifier(deciding: boolean): Macro {
  return (node, loop, bodies) => {
    const ask = condition(bodies[0])
    const { items, slot } = loop
    const run: Run = (frame) => {
      for (const item of items(frame)) {
        frame.locals[slot] = item
        if (ask(frame) === deciding) return deciding
      }
      return !deciding
    }
    const canFail = failing(loop, bodies)
    return {
      node,
      shape: bool,
      work: workOf(loop, bodies),
      canFail,
      run: canFail ? patiently(loop, ask, deciding) : run,
    }
  }
}

function patiently({ items, slot }: Loop, ask: Run, deciding: boolean): Run {
  return (frame) => {
    let failed: RuleError | undefined
    for (const item of items(frame)) {
      frame.locals[slot] = item
      try {
        if (ask(frame) === deciding) return deciding
      } catch (error) {
        if (!(error instanceof RuleError)) throw error
        failed ??= error
      }
    }
    if (failed !== undefined) throw failed
    return !deciding
  }
}

function existsOne(node: MethodCall, loop: Loop, bodies: readonly Code[]): Code {
  const ask = condition(bodies[0])
  const { items, slot } = loop
  const run: Run = (frame) => {
    let found = 0
    for (const item of items(frame)) {
      frame.locals[slot] = item
      if (ask(frame) === true) found++
    }
    return found === 1
  }
  return { node, shape: bool, work: workOf(loop, bodies), canFail: failing(loop, bodies), run }
}

function filter(node: MethodCall, loop: Loop, bodies: readonly Code[]): Code {
  const ask = condition(bodies[0])
  const run = collect(loop, ask, (frame) => frame.locals[loop.slot])
  return {
    node,
    shape: listShape(loop.item, loop.size),
    work: workOf(loop, bodies),
    canFail: failing(loop, bodies),
    run,
  }
}

/** `map(x, f)` and `map(x, condition, f)`. */
function map(node: MethodCall, loop: Loop, bodies: readonly Code[]): Code {
  const [first, second] = bodies
  if (first === undefined) throw new TypeError('A macro was built without its body')
  const given = second ?? first
  const ask = second === undefined ? undefined : condition(first)
  const kept = loop.over.shape.kind === 'list' && ask === undefined ? loop.over.shape.least : 0
  const shape = listShape(given.shape, loop.size, kept)
  return { node, shape, work: workOf(loop, bodies), canFail: failing(loop, bodies), run: collect(loop, ask, given.run) }
}

function collect({ items, slot }: Loop, ask: Run | undefined, give: Run): Run {
  return (frame) => {
    const found: unknown[] = []
    for (const item of items(frame)) {
      frame.locals[slot] = item
      if (ask === undefined || ask(frame) === true) found.push(give(frame))
    }
    return found
  }
}

/** `cel.bind(name, value, expression)`: the value is computed once. */
function compileBind(node: MethodCall, scope: RuleScope): Code {
  const [variable, value, body, ...more] = node.args[2]
  if (variable?.op !== 'id' || value === undefined || body === undefined || more.length > 0) {
    throw new Unacceptable(node, '`cel.bind` takes a name, its value, and the expression that uses it')
  }
  const bound = scope.compile(value, scope)
  const slot = scope.seen.locals++
  const local: Variable = { shape: bound.shape, path: bound.path ?? `%${slot}`, run: (frame) => frame.locals[slot] }
  const code = scope.compile(body, withVariable(scope, variable.args, local, noFacts))
  const [read, run] = [bound.run, code.run]
  return {
    node,
    shape: code.shape,
    work: sum(bound.work, code.work, units(1)),
    canFail: bound.canFail || code.canFail,
    run: (frame) => {
      frame.locals[slot] = read(frame)
      return run(frame)
    },
  }
}
