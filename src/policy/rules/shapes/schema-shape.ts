// Reads shapes off a preprocessed JSON Schema, member by member and only where a rule looks.
// Invariant: keywords that are not understood here only widen a shape; nothing it excludes can be a valid value.
import { defaultLimits } from '../../../json/refusal.ts'
import { isObject, type JsonValue } from '../../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../../schema/normal.ts'
import { longest } from '../../../schema/patterns/determinism.ts'
import { parsePattern } from '../../../schema/patterns/parse-pattern.ts'
import { patternTest } from '../../../schema/patterns/pattern-test.ts'
import { type Alternative, alternativesOf } from './schema-alternatives.ts'
import {
  type Field,
  kindsOf,
  type ListShape,
  type MapShape,
  type OneShape,
  type Shape,
  type TextShape,
  unite,
} from './shape.ts'
import { type Bound, larger, smaller } from './work.ts'

type JsonKind = 'null' | 'boolean' | 'object' | 'array' | 'number' | 'integer' | 'string'

/** The schema and the words for the place inside the value that a rule would use: `args.items[]`. */
interface Place {
  readonly schema: Preprocessed
  readonly words: string
}

export function shapeOfSchema(schema: Preprocessed, words: string): Shape {
  return shapeOf({ schema, words }, alternativesOf(schema, [schema.root]))
}

/** A choice of more than this is not looked through: it may be anything. */
const maxChoices = 256
const anything: readonly Alternative[] = [[]]

function shapeOf(place: Place, given: readonly Alternative[]): Shape {
  const alternatives = given.length > maxChoices ? anything : given
  const kinds = alternatives.map(kindsIn)
  const having = (kind: JsonKind) => alternatives.filter((_, index) => kinds[index]?.has(kind))
  const shapes: OneShape[] = []
  if (having('null').length > 0) shapes.push({ kind: 'null' })
  if (having('boolean').length > 0) shapes.push({ kind: 'bool' })
  if (having('number').length > 0) shapes.push({ kind: 'double' })
  else if (having('integer').length > 0) shapes.push({ kind: 'int' })
  const [texts, lists, maps] = [having('string'), having('array'), having('object')]
  if (texts.length > 0) shapes.push(textShape(place, texts))
  if (lists.length > 0) shapes.push(listShape(place, lists))
  if (maps.length > 0) shapes.push(mapShape(place, maps))
  return unite(shapes)
}

const everyKind: readonly JsonKind[] = ['null', 'boolean', 'object', 'array', 'number', 'string']

function kindsIn(nodes: Alternative): ReadonlySet<JsonKind> {
  let kinds = new Set<JsonKind>(everyKind)
  for (const { type } of nodes) {
    if (type === undefined) continue
    kinds = new Set(type.flatMap((one) => narrowed(kinds, one)))
  }
  for (const node of nodes) {
    const values = valuesOf(node)
    if (values !== undefined) kinds = new Set(values.flatMap((value) => narrowedByValue(kinds, value)))
  }
  return kinds
}

function narrowed(kinds: ReadonlySet<JsonKind>, kind: JsonKind): readonly JsonKind[] {
  if (kinds.has(kind)) return [kind]
  if (kind === 'integer' && kinds.has('number')) return ['integer']
  if (kind === 'number' && kinds.has('integer')) return ['integer']
  return []
}

/** A number listed under `type: number` stays a number, also where it is whole: the author declared one. */
function narrowedByValue(kinds: ReadonlySet<JsonKind>, value: JsonValue): readonly JsonKind[] {
  const kind = jsonKind(value)
  if (kinds.has(kind)) return [kind]
  return kind === 'number' && kinds.has('integer') && Number.isInteger(value) ? ['integer'] : []
}

function jsonKind(value: JsonValue): JsonKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'object' ? 'object' : type === 'boolean' || type === 'number' ? type : 'string'
}

function valuesOf(node: NormalObject): readonly JsonValue[] | undefined {
  return node.const !== undefined ? [node.const] : node.enum
}

/** The tightest statement of each alternative, the loosest alternative of all. */
function boundOf(
  alternatives: readonly Alternative[],
  limit: Bound,
  stated: (node: NormalObject) => number | undefined,
): Bound {
  const bounds = alternatives.map((nodes) =>
    nodes.reduce((bound, node) => smaller(bound, statedBound(stated(node), limit)), limit),
  )
  return bounds.reduce(larger, { most: 0 })
}

function statedBound(most: number | undefined, limit: Bound): Bound {
  return { most: most ?? Number.POSITIVE_INFINITY, ...(limit.missing === undefined ? {} : { stated: limit.missing }) }
}

function textShape({ schema, words }: Place, alternatives: readonly Alternative[]): TextShape {
  const limit: Bound = { most: defaultLimits.maxBytes, missing: `maxLength for ${words}` }
  const asserting = schema.formats === 'assert'
  const length = boundOf(alternatives, limit, (node) => {
    const values = valuesOf(node)?.map((value) => (typeof value === 'string' ? value.length : 0))
    const format = asserting && node.format !== undefined ? formatLengths.get(node.format) : undefined
    const stated = [node.maxLength, format, patternLength(node.pattern), values && Math.max(0, ...values)]
    return Math.min(...stated.map((one) => one ?? Number.POSITIVE_INFINITY))
  })
  return { kind: 'text', length }
}

/** Formats that leave no room for longer texts. */
const formatLengths: ReadonlyMap<string, number> = new Map([
  ['uuid', 36],
  ['date', 10],
  ['ipv4', 15],
  ['ipv6', 45],
  ['hostname', 253],
])

function patternLength(source: string | undefined): number | undefined {
  const parsed = source === undefined ? undefined : parsePattern(source)
  if (!parsed?.ok || parsed.pattern.node.kind !== 'concat') return undefined
  const { nodes } = parsed.pattern.node
  return nodes[0]?.kind === 'start' && nodes.at(-1)?.kind === 'end' ? longest(parsed.pattern.node) : undefined
}

function listShape(place: Place, alternatives: readonly Alternative[]): ListShape {
  const limit: Bound = { most: defaultLimits.maxValues, missing: `maxItems for ${place.words}` }
  const size = boundOf(alternatives, limit, (node) => {
    const values = valuesOf(node)?.map((value) => (Array.isArray(value) ? value.length : 0))
    const stated = [node.maxItems, node.items === false ? (node.prefixItems?.length ?? 0) : undefined]
    return Math.min(...[...stated, values && Math.max(0, ...values)].map((one) => one ?? Number.POSITIVE_INFINITY))
  })
  const counts = alternatives.map((nodes) => nodes.reduce((most, node) => Math.max(most, node.minItems ?? 0), 0))
  const inside = { ...place, words: `${place.words}[]` }
  return {
    kind: 'list',
    size,
    least: Math.min(...counts),
    item: (index) =>
      shapeOf(
        inside,
        alternatives.flatMap((nodes) => itemAlternatives(place.schema, nodes, index)),
      ),
  }
}

function itemAlternatives(schema: Preprocessed, nodes: Alternative, index: number | undefined): readonly Alternative[] {
  const prefix = Math.max(0, ...nodes.map((node) => node.prefixItems?.length ?? 0))
  const indexes = index === undefined ? Array.from({ length: prefix + 1 }, (_, at) => at) : [index]
  return indexes.flatMap((at) =>
    alternativesOf(
      schema,
      nodes.map((node) => node.prefixItems?.[at] ?? node.items ?? true),
    ),
  )
}

function mapShape(place: Place, alternatives: readonly Alternative[]): MapShape {
  const limit: Bound = { most: defaultLimits.maxValues, missing: `maxProperties for ${place.words}` }
  const size = boundOf(alternatives, limit, (node) => {
    const closed = node.additionalProperties === false && node.patternProperties === undefined
    const stated = [node.maxProperties, closed ? Object.keys(node.properties ?? {}).length : undefined]
    return Math.min(...stated.map((one) => one ?? Number.POSITIVE_INFINITY))
  })
  const names = [...new Set(alternatives.flat().flatMap((node) => Object.keys(node.properties ?? {})))]
  const closed = alternatives.every((nodes) =>
    nodes.some((node) => node.additionalProperties === false && node.patternProperties === undefined),
  )
  const longestName = Math.max(0, ...names.map((name) => name.length))
  return {
    kind: 'map',
    size,
    keyLength: closed ? { most: longestName } : keyBound(place, alternatives),
    field: (name) => fieldOf(place, alternatives, name),
    value: () =>
      shapeOf(
        { ...place, words: `${place.words}[…]` },
        alternatives.flatMap((nodes) => memberAlternatives(place.schema, nodes)),
      ),
  }
}

function keyBound({ words }: Place, alternatives: readonly Alternative[]): Bound {
  const limit: Bound = { most: defaultLimits.maxBytes, missing: `propertyNames with a maxLength for ${words}` }
  return boundOf(alternatives, limit, ({ propertyNames }) =>
    isNode(propertyNames) ? propertyNames.maxLength : undefined,
  )
}

function isNode(schema: NormalSchema | undefined): schema is NormalObject {
  return typeof schema === 'object'
}

function memberAlternatives(schema: Preprocessed, nodes: Alternative): readonly Alternative[] {
  const members = nodes.map((node) => [
    ...Object.values(node.properties ?? {}),
    ...Object.values(node.patternProperties ?? {}),
    node.additionalProperties ?? true,
  ])
  // One node that names every member says all there is to say; where none does, a member may be anything.
  const telling = members.find((_, index) => nodes[index]?.additionalProperties !== undefined) ?? [true]
  return telling.flatMap((member) => alternativesOf(schema, [member]))
}

function fieldOf(place: Place, alternatives: readonly Alternative[], name: string): Field {
  const inside = { ...place, words: `${place.words}.${name}` }
  const found = alternatives.map((nodes) => ({ nodes, applying: applyingTo(nodes, name) }))
  const declaring = found.filter(({ applying }) => Array.isArray(applying) && applying.length > 0)
  const known = [...new Set(alternatives.flat().flatMap((node) => Object.keys(node.properties ?? {})))]
  if (declaring.length === 0) return { declared: false, known }
  const possible = found.flatMap(({ applying }) =>
    applying === 'excluded' ? [] : alternativesOf(place.schema, applying),
  )
  const shape = shapeOf(inside, possible)
  if (kindsOf(shape).length === 0) return { declared: false, known: known.filter((one) => one !== name) }
  const required = found.every(({ nodes }) => nodes.some((node) => node.required?.includes(name) === true))
  return { declared: true, required, shape }
}

/** Every subschema that judges the member; none where nothing was said about it. */
function applyingTo(nodes: Alternative, name: string): readonly NormalSchema[] | 'excluded' {
  const applying: NormalSchema[] = []
  for (const node of nodes) {
    const before = applying.length
    if (node.properties !== undefined && Object.hasOwn(node.properties, name))
      applying.push(node.properties[name] ?? true)
    for (const [pattern, member] of Object.entries(node.patternProperties ?? {})) {
      if (patternTest(pattern)(name)) applying.push(member)
    }
    if (applying.length > before || node.additionalProperties === undefined) continue
    if (node.additionalProperties === false) return 'excluded'
    if (saysSomething(node.additionalProperties)) applying.push(node.additionalProperties)
  }
  if (applying.length > 0) return applying
  const rest = nodes.map((node) => node.unevaluatedProperties).find((one) => one !== undefined)
  if (rest === false) return 'excluded'
  return rest !== undefined && saysSomething(rest) ? [rest] : []
}

function saysSomething(schema: NormalSchema): boolean {
  return isObject(schema) && Object.keys(schema).some((keyword) => keyword !== 'title' && keyword !== 'description')
}
