// Literals: scalars, lists and maps written out in a rule.
// Invariant: a number that a JSON number cannot hold exactly is refused, never rounded.
import type { ASTNode } from '@marcbachmann/cel-js'
import {
  bool,
  double,
  type Field,
  int,
  join,
  kindWords,
  listShape,
  type MapShape,
  type Shape,
  textShape,
} from '../shapes/shape.ts'
import { sum, units } from '../shapes/work.ts'
import { type Code, type RuleScope, type Run, sourceOf, Unacceptable } from './code.ts'

export function compileLiteral(node: ASTNode & { readonly op: 'value' }): Code {
  const { args } = node
  const [shape, literal] = literalOf(node, args)
  return { node, shape, literal, work: units(0), canFail: false, run: () => literal }
}

function literalOf(node: ASTNode, value: unknown): readonly [Shape, string | number | boolean | null] {
  if (value === null) return [{ kind: 'null' }, null]
  if (typeof value === 'string') return [textShape(value.length), value]
  if (typeof value === 'boolean') return [bool, value]
  if (typeof value === 'number') return [double, value]
  if (typeof value !== 'bigint')
    throw new Unacceptable(node, `\`${sourceOf(node)}\`: bytes and unsigned integers have no place in JSON`)
  const number = Number(value)
  if (Number.isSafeInteger(number)) return [int, number]
  throw new Unacceptable(
    node,
    `${sourceOf(node)} is beyond the integers that a JSON number holds exactly; 64-bit ids are texts`,
  )
}

export function compileList(node: ASTNode & { readonly op: 'list' }, scope: RuleScope): Code {
  const items = node.args.map((item) => scope.compile(item, scope))
  const shape = listShape(commonShape(items), { most: items.length }, items.length)
  const work = sum(units(1), ...items.map((item) => item.work))
  const runs = items.map((item) => item.run)
  const constants = constantsOf(items)
  const run: Run = constants === undefined ? (frame) => runs.map((one) => one(frame)) : () => constants
  return { node, shape, work, canFail: items.some((item) => item.canFail), run }
}

/** The values of a list that holds nothing but literals. */
function constantsOf(items: readonly Code[]): readonly unknown[] | undefined {
  return items.every((item) => item.literal !== undefined) ? items.map((item) => item.literal) : undefined
}

export function compileMap(node: ASTNode & { readonly op: 'map' }, scope: RuleScope): Code {
  const entries = node.args.map(([key, value]) => {
    if (key.op !== 'value' || typeof key.args !== 'string')
      throw new Unacceptable(key, 'The keys of a map are texts, written out')
    return [key.args, scope.compile(value, scope)] as const
  })
  const fields = new Map(entries)
  if (fields.size < entries.length) throw new Unacceptable(node, 'A key stands twice in this map')
  const values = entries.map(([, value]) => value)
  const value = commonShape(values)
  const shape: MapShape = {
    kind: 'map',
    size: { most: fields.size },
    keyLength: { most: Math.max(0, ...entries.map(([key]) => key.length)) },
    field: (name): Field => {
      const found = fields.get(name)
      return found === undefined
        ? { declared: false, known: [...fields.keys()] }
        : { declared: true, required: true, shape: found.shape }
    },
    value: () => value,
  }
  // Without a prototype, so that any name is a key like any other.
  const build: Run = (frame) => {
    const map: Record<string, unknown> = Object.create(null)
    for (const [key, one] of entries) map[key] = one.run(frame)
    return map
  }
  const constant = constantsOf(values) === undefined ? undefined : build({} as never)
  return {
    node,
    shape,
    work: sum(units(1), ...values.map((one) => one.work)),
    canFail: values.some((one) => one.canFail),
    run: constant === undefined ? build : () => constant,
  }
}

function commonShape(items: readonly Code[]): Shape {
  const [first, ...others] = items
  if (first === undefined) return { kind: 'union', of: [] }
  return others.reduce<Shape>((all, item) => {
    const joined = join(all, item.shape)
    if (joined !== undefined) return joined
    throw new Unacceptable(
      item.node,
      `All items must be of one type; \`${sourceOf(item.node)}\` is ${kindWords(item.shape)}`,
    )
  }, first.shape)
}
