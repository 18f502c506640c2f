// Random schemas over a small world of names, texts and numbers, so that pairs of them have much to do with each other.
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import type { Seeded as Random } from '../../src/subschema/generate/seeded.ts'

const names = ['a', 'b', 'c', 'ab']
const patterns = ['^a', 'b$', '^a*$', '^[ab]{1,2}$', 'c', '^(?!a)', '\\bb', '^.$', '^(a|ab)(c|bcd)?$']
const scalars: readonly JsonValue[] = [null, true, false, 0, 1, 2, 3, 0.5, -1, 'a', 'b', 'ab', '', 'c']
const parts: readonly JsonValue[] = [...scalars, [], ['a'], [1, 1], [0, 1], {}, { a: 1 }, { a: 'a', b: null }]

const formats = ['date', 'email', 'idn-email', 'ipv4', 'uuid', 'uri', 'uri-reference', 'int32', 'uint8']

type Maker = (random: Random, depth: number) => JsonObject

const makers: readonly (readonly [weight: number, maker: Maker])[] = [
  [4, (r) => ({ type: r.pick(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']) })],
  [2, (r) => ({ type: [r.pick(['null', 'object', 'array']), r.pick(['number', 'integer', 'string'])] })],
  [2, (r) => ({ const: r.pick(parts) })],
  [3, (r) => ({ enum: Array.from({ length: 1 + r.below(4) }, () => r.pick(parts)) })],
  [2, (r) => ({ minimum: r.below(5) - 1 })],
  [2, (r) => ({ maximum: r.below(5) - 1 })],
  [1, (r) => ({ exclusiveMinimum: r.below(4) - 1 })],
  [1, (r) => ({ exclusiveMaximum: r.below(4) })],
  [2, (r) => ({ multipleOf: r.pick([1, 2, 3, 0.5, 1.5, 6, 0.1, 0.25]) })],
  [1, (r) => ({ minimum: r.pick([0.1, 0.5, 1.5, -0.5]) })],
  [1, (r) => ({ format: r.pick(formats) })],
  [2, (r) => ({ minLength: r.below(3) })],
  [2, (r) => ({ maxLength: r.below(3) })],
  [3, (r) => ({ pattern: r.pick(patterns) })],
  [2, (r) => ({ minItems: r.below(3) })],
  [2, (r) => ({ maxItems: r.below(3) })],
  [2, () => ({ uniqueItems: true })],
  [3, (r, d) => ({ items: randomSchema(r, d) })],
  [2, (r, d) => ({ prefixItems: Array.from({ length: 1 + r.below(2) }, () => randomSchema(r, d)) })],
  [2, (r, d) => ({ contains: randomSchema(r, d), ...counts(r) })],
  [1, (r, d) => ({ unevaluatedItems: randomSchema(r, d), ...apply(r, d) })],
  [5, (r, d) => ({ properties: mapOf(r, names, d) })],
  [2, (r, d) => ({ patternProperties: mapOf(r, patterns, d) })],
  [2, (r, d) => ({ additionalProperties: r.chance(0.5) ? false : randomSchema(r, d) })],
  [1, (r, d) => ({ propertyNames: randomSchema(r, d) })],
  [4, (r) => ({ required: [...new Set(Array.from({ length: 1 + r.below(2) }, () => r.pick(names)))] })],
  [1, (r) => ({ minProperties: r.below(3) })],
  [1, (r) => ({ maxProperties: r.below(3) })],
  [1, (r) => ({ dependentRequired: { [r.pick(names)]: [r.pick(names)] } })],
  [1, (r, d) => ({ dependentSchemas: { [r.pick(names)]: randomSchema(r, d) } })],
  [1, (r, d) => ({ unevaluatedProperties: r.chance(0.6) ? false : randomSchema(r, d), ...apply(r, d) })],
  [3, (r, d) => ({ allOf: several(r, d) })],
  [4, (r, d) => ({ anyOf: several(r, d) })],
  [3, (r, d) => ({ oneOf: several(r, d) })],
  [3, (r, d) => ({ not: randomSchema(r, d) })],
  [2, (r, d) => ({ if: randomSchema(r, d), [r.pick(['then', 'else'])]: randomSchema(r, d) })],
  [2, () => ({ $ref: '#/$defs/d' })],
  // What the prover has a way of its own for: wide unions with a tag, many conditions on one property, lists of different items.
  [1, (r, d) => ({ [r.pick(['anyOf', 'oneOf'])]: many(r, 12, () => tagged(r, d)) })],
  [1, (r, d) => conditionsOnTag(r, Math.min(d, 1))],
  [1, (r, d) => ({ type: 'array', uniqueItems: true, minItems: r.below(5), items: randomSchema(r, Math.min(d, 1)) })],
]
const wheel: readonly Maker[] = makers.flatMap(([weight, maker]) => Array.from({ length: weight }, () => maker))

function apply(random: Random, depth: number): JsonObject {
  return random.chance(0.5)
    ? { anyOf: several(random, depth) }
    : { if: randomSchema(random, depth), [random.pick(['then', 'else'])]: randomSchema(random, depth) }
}

function counts(random: Random): JsonObject {
  return {
    ...(random.chance(0.4) ? { minContains: random.below(3) } : {}),
    ...(random.chance(0.4) ? { maxContains: random.below(3) } : {}),
  }
}

function many(random: Random, least: number, make: () => JsonValue): JsonValue[] {
  return Array.from({ length: least + random.below(4) }, make)
}

/** An object whose property `a` is one of a few constants; now and then it may be absent, or anything. */
function tagged(random: Random, depth: number): JsonObject {
  const tag: JsonValue = random.chance(0.7)
    ? { const: random.pick(scalars) }
    : { enum: [random.pick(scalars), random.pick(parts)] }
  const properties: JsonObject = random.chance(0.9) ? { a: tag } : {}
  return {
    ...(random.chance(0.8) ? { type: 'object' } : {}),
    ...(random.chance(0.9) ? { required: ['a'] } : {}),
    properties: random.chance(0.5) ? { ...properties, b: randomSchema(random, Math.min(depth, 1)) } : properties,
  }
}

const tags: readonly JsonValue[] = ['a', 'b', 'ab', 1, 2, true]

/** An object whose property `a` is there and one of several constants, and what follows from each of them. */
function conditionsOnTag(random: Random, depth: number): JsonObject {
  return {
    type: 'object',
    required: ['a'],
    properties: { a: { enum: random.shuffle(tags).slice(random.below(3)) } },
    allOf: many(random, 6, () => ({
      if: { required: ['a'], properties: { a: { const: random.pick(tags) } } },
      [random.chance(0.9) ? 'then' : 'else']: { required: ['b'], properties: { b: randomSchema(random, depth) } },
    })),
  }
}

function several(random: Random, depth: number): JsonValue[] {
  return Array.from({ length: 1 + random.below(3) }, () => randomSchema(random, depth))
}

function mapOf(random: Random, keys: readonly string[], depth: number): JsonObject {
  return Object.fromEntries(
    Array.from({ length: 1 + random.below(2) }, () => [random.pick(keys), randomSchema(random, depth)]),
  )
}

function randomSchema(random: Random, depth = 3): JsonValue {
  if (depth <= 0 || random.chance(0.06)) return random.chance(0.7)
  return Object.assign({}, ...Array.from({ length: 1 + random.below(3) }, () => random.pick(wheel)(random, depth - 1)))
}

/** A whole document: its one definition may be recursive through parts of the value. */
export function randomDocument(random: Random): JsonObject {
  // Conditions take a search apart only where nothing else decides: at the root.
  const root = random.chance(0.05) ? conditionsOnTag(random, 1) : randomSchema(random)
  const definition = { type: random.pick(['object', 'array', 'string']), ...guarded(random) }
  return {
    ...(typeof root === 'object' && root !== null ? (root as JsonObject) : { allOf: [root] }),
    $defs: { d: definition },
  }
}

function guarded(random: Random): JsonObject {
  const inner = random.chance(0.5) ? { $ref: '#/$defs/d' } : randomSchema(random, 1)
  return random.pick<JsonObject>([
    { properties: { a: inner } },
    { items: inner },
    { required: ['b'], properties: { b: inner } },
  ])
}

/** The same document with a keyword added, dropped or changed in one place: such pairs are nearly equal. */
export function mutateDocument(random: Random, document: JsonObject): JsonObject {
  const { $defs = {}, ...root } = document
  return { ...(mutate(random, root) as JsonObject), $defs }
}

function mutate(random: Random, schema: JsonObject): JsonObject {
  const below = Object.keys(schema).filter((word) => isSchema(word, schema[word]))
  if (below.length > 0 && random.chance(0.7)) {
    const word = random.pick(below)
    return { ...schema, [word]: mutateBelow(random, schema[word] as JsonValue, maps.has(word)) }
  }
  const word = random.pick(Object.keys(schema))
  const { [word as string]: _, ...rest } = schema
  if (random.chance(0.4)) return rest
  return { ...(random.chance(0.5) ? rest : schema), ...random.pick(wheel)(random, 1) }
}

function isSchema(word: string, value: JsonValue | undefined): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !['enum', 'const', 'required', 'type', 'dependentRequired'].includes(word)
  )
}

/** Words whose value has names for keys, not words. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas'])

function mutateBelow(random: Random, value: JsonValue, isMap: boolean): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const index = random.below(value.length)
    return value.with(index, mutateBelow(random, value[index] as JsonValue, false))
  }
  const object = value as JsonObject
  if (!isMap) return mutate(random, object)
  const name = random.pick(Object.keys(object))
  return name === undefined ? object : { ...object, [name]: mutateBelow(random, object[name] as JsonValue, false) }
}
