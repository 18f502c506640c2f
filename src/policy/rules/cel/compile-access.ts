// Reading: variables, members, items, and `has`. Every member that is read is declared, and known to be there.
// Invariant: only own properties are read, so that no name ever reaches a prototype.
import type { ASTNode } from '@marcbachmann/cel-js'
import { nearestNames } from '../../../json/nearest.ts'
import type { JsonObject } from '../../../json/value.ts'
import { bool, kindsOf, kindWords, type ListShape, type MapShape, type Shape, withoutNull } from '../shapes/shape.ts'
import { compareTexts, sum, units, type Work } from '../shapes/work.ts'
import { type Code, expectKind, RuleError, type RuleScope, type Run, soleKind, sourceOf, Unacceptable } from './code.ts'
import { notNull, type PathOf, present, sized, tokenOf } from './facts.ts'

type Place = ASTNode & { readonly op: '.' | '[]' }

export function pathsOf(scope: RuleScope): PathOf {
  const pathOf: PathOf = (node) => {
    if (node.op === 'id') return scope.variables.get(node.args)?.path
    if (node.op !== '.' && node.op !== '[]') return undefined
    const inside = pathOf(node.args[0])
    if (inside === undefined) return undefined
    if (node.op === '.') return `${inside}.${JSON.stringify(node.args[1])}`
    const token = tokenOf(node.args[1], pathOf)
    return token === undefined ? undefined : `${inside}${token}`
  }
  return pathOf
}

export function compileVariable(node: ASTNode & { readonly op: 'id' }, scope: RuleScope): Code {
  const variable = scope.variables.get(node.args)
  if (variable === undefined) {
    if (node.args === 'state') throw new Unacceptable(node, 'The state has no declared schema, so no rule can read it')
    const near = nearestNames(node.args, scope.variables.keys(), 1)[0]
    const known = near === undefined ? 'Rules read `args`, `context` and `state`' : `Did you mean \`${near}\`?`
    throw new Unacceptable(node, `\`${node.args}\` is not known. ${known}`)
  }
  if (variable.root !== undefined) scope.seen[variable.root] = true
  return place(node, scope, variable.shape, { work: units(1), canFail: false, path: variable.path, run: variable.run })
}

export function compileMember(node: Place, scope: RuleScope): Code {
  const inside = scope.compile(node.args[0], scope)
  const shape = soleKind(inside)
  if (node.op === '.') return compileField(node, scope, inside, node.args[1])
  const key = node.args[1]
  if (shape.kind === 'list') return compileItem(node, scope, inside, shape)
  if (key.op === 'value' && typeof key.args === 'string') return compileField(node, scope, inside, key.args)
  return compileEntry(node, scope, inside, expectMap(inside))
}

function compileField(node: Place, scope: RuleScope, inside: Code, name: string): Code {
  const field = declaredField(node, inside, name)
  const path = inside.path === undefined ? undefined : `${inside.path}.${JSON.stringify(name)}`
  const known = field.required || (path !== undefined && scope.facts.has(present(path)))
  if (!known) {
    const guard = node.op === '.' ? `has(${sourceOf(node)})` : `${JSON.stringify(name)} in ${sourceOf(inside.node)}`
    const advice = `guard it: \`${guard} && …\`, \`!${node.op === '.' ? guard : `(${guard})`} || …\` or \`${guard} ? … : …\``
    throw new Unacceptable(node, `\`${sourceOf(node)}\` is optional and may be absent; ${advice}`)
  }
  const read = inside.run
  const plain: Run = (frame) => (read(frame) as JsonObject)[name]
  const own: Run = (frame) => ownMember(read(frame) as JsonObject, name)
  const run = name in Object.prototype ? own : plain
  return place(node, scope, field.shape, { work: sum(inside.work, units(1)), canFail: inside.canFail, path, run })
}

function declaredField(
  node: ASTNode,
  inside: Code,
  name: string,
): { readonly required: boolean; readonly shape: Shape } {
  const field = expectMap(inside).field(name)
  if (field.declared) return field
  const near = nearestNames(name, field.known, 1)[0]
  const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`
  throw new Unacceptable(node, `\`${sourceOf(inside.node)}\` declares no ${JSON.stringify(name)}${hint}`)
}

function expectMap(code: Code): MapShape {
  const shape = expectKind(code, 'map')
  if (shape.kind !== 'map') throw new TypeError('A map was expected to be one')
  return shape
}

/** A member whose name is computed: it may be missing, unless the name is known to be one of the keys. */
function compileEntry(node: Place & { readonly op: '[]' }, scope: RuleScope, inside: Code, shape: MapShape): Code {
  const key = scope.compile(node.args[1], scope)
  expectKind(key, 'text')
  const value = shape.value()
  if (kindsOf(value).length === 0)
    throw new Unacceptable(node, `\`${sourceOf(inside.node)}\` is read by names written out`)
  const token = inside.path === undefined ? undefined : tokenOf(node.args[1], pathsOf(scope))
  const path = token === undefined ? undefined : `${inside.path}${token}`
  if (path === undefined || !scope.facts.has(present(path))) {
    const source = `${sourceOf(key.node)} in ${sourceOf(inside.node)}`
    throw new Unacceptable(node, `\`${sourceOf(node)}\` may be absent; guard it with \`${source} && …\``)
  }
  const [readMap, readKey] = [inside.run, key.run]
  const run: Run = (frame) => ownMember(readMap(frame) as JsonObject, readKey(frame) as string)
  const work = sum(inside.work, key.work, compareTexts(shape.keyLength), units(1))
  return place(node, scope, value, { work, canFail: inside.canFail || key.canFail, path, run })
}

function compileItem(node: Place & { readonly op: '[]' }, scope: RuleScope, inside: Code, shape: ListShape): Code {
  const index = scope.compile(node.args[1], scope)
  expectKind(index, 'int')
  const { literal } = index
  const path = pathsOf(scope)(node)
  const item = shape.item(typeof literal === 'number' ? literal : undefined)
  if (kindsOf(item).length === 0) throw new Unacceptable(node, `\`${sourceOf(node)}\` is never there`)
  const counted = Math.max(shape.least, inside.path === undefined ? 0 : (scope.facts.get(sized(inside.path)) ?? 0))
  const certain = typeof literal === 'number' && literal >= 0 && literal < counted
  if (typeof literal === 'number' && !certain) {
    const advice = `declare minItems, or guard it: \`size(${sourceOf(inside.node)}) > ${literal} && …\``
    throw new Unacceptable(node, `\`${sourceOf(node)}\` may be beyond the end of the list; ${advice}`)
  }
  const [readList, readIndex] = [inside.run, index.run]
  const run: Run = certain
    ? (frame) => (readList(frame) as readonly unknown[])[literal]
    : (frame) => itemAt(readList(frame) as readonly unknown[], readIndex(frame) as number)
  const work = sum(inside.work, index.work, units(1))
  const canFail = inside.canFail || index.canFail || !certain
  return place(node, scope, item, { work, canFail, path, run })
}

function itemAt(list: readonly unknown[], index: number): unknown {
  if (index >= 0 && index < list.length) return list[index]
  throw new RuleError('an index is beyond the end of its list')
}

function ownMember(map: JsonObject, name: string): unknown {
  if (Object.hasOwn(map, name)) return map[name]
  throw new RuleError('a member is missing')
}

/** What is read somewhere, without the null that a condition around it has excluded. */
function place(
  node: ASTNode,
  scope: RuleScope,
  shape: Shape,
  rest: { readonly work: Work; readonly canFail: boolean; readonly path: string | undefined; readonly run: Run },
): Code {
  const { path, ...others } = rest
  if (path === undefined) return { node, shape, ...others }
  return { node, shape: scope.facts.has(notNull(path)) ? withoutNull(shape) : shape, path, ...others }
}

/** `has(a.b)`: the place around the member must itself be known to be there. */
export function compileHas(node: ASTNode, place: ASTNode | undefined, scope: RuleScope): Code {
  if (place?.op !== '.') throw new Unacceptable(node, '`has` takes a member, such as `has(args.note)`')
  const inside = scope.compile(place.args[0], scope)
  const name = place.args[1]
  const shape = expectMap(inside)
  declaredField(place, inside, name)
  if (shape.kind !== 'map') throw new Unacceptable(place, `\`${sourceOf(place)}\` is ${kindWords(shape)}`)
  const read = inside.run
  return {
    node,
    shape: bool,
    work: sum(inside.work, units(1)),
    canFail: inside.canFail,
    run: (frame) => {
      const map = read(frame) as JsonObject
      return Object.hasOwn(map, name) && map[name] !== undefined
    },
  }
}
