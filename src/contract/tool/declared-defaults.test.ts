import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { Dialect } from '../../schema/normal.ts'
import { concreteArguments, fillBounds, fillDefaultsOf } from './declared-defaults.ts'

const fill = (schema: JsonObject, args: JsonObject, dialect?: Dialect) =>
  fillDefaultsOf(schema, dialect)?.(args) ?? args
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties })
const currency = (code: string) => object({ cur: { type: 'string', default: code } })
/** Written apart: an object with `then` looks like a promise to the linter. */
const outcome = 'then'
const draft07 = 'http://json-schema.org/draft-07/schema#'

/** A tree of two members each, as deep as told, where every member has a default. */
function doubling(levels: number): JsonObject {
  const level = (next: number) => ({ $ref: `#/$defs/n${next}`, default: {} })
  const $defs: Record<string, JsonValue> = { [`n${levels}`]: object({}) }
  for (let n = 0; n < levels; n++) $defs[`n${n}`] = object({ a: level(n + 1), b: level(n + 1) })
  return { ...object({ tree: { $ref: '#/$defs/n0' } }), $defs }
}

const endless: JsonObject = {
  ...object({ tree: { $ref: '#/$defs/node' } }),
  $defs: { node: object({ child: { $ref: '#/$defs/node', default: {} }, v: { type: 'string' } }) },
}

const rows = (fields: number): JsonObject => {
  const properties = Object.fromEntries(Array.from({ length: fields }, (_, n) => [`p${n}`, { default: 'x' }]))
  return object({ list: { type: 'array', items: object(properties) } })
}

function countValues(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 1)
}

describe('filling in', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['properties', currency('EUR'), {}, { cur: 'EUR' }],
    ['items', object({ l: { items: currency('EUR') } }), { l: [{}, 1] }, { l: [{ cur: 'EUR' }, 1] }],
    ['allOf', { allOf: [currency('EUR'), currency('EUR')] }, {}, { cur: 'EUR' }],
    [
      'a reference',
      { ...object({ o: { $ref: '#/$defs/o' } }), $defs: { o: currency('E') } },
      { o: {} },
      { o: { cur: 'E' } },
    ],
    [
      'a root with an identifier',
      { $id: 'https://e.example/s', allOf: [{ $ref: '#' }], ...currency('E') },
      {},
      { cur: 'E' },
    ],
    ['what is nested in a default', object({ o: { ...currency('E'), default: {} } }), {}, { o: { cur: 'E' } }],
    ['null beside anyOf', object({ o: { anyOf: [currency('E'), { type: 'null' }], default: null } }), {}, { o: null }],
    ['a name of prototypes', object(JSON.parse('{"__proto__":{"default":1}}')), {}, JSON.parse('{"__proto__":1}')],
    [
      'a recursive schema',
      { ...object({ n: { $ref: '#' }, v: { default: 'q' } }) },
      { n: {} },
      { n: { v: 'q' }, v: 'q' },
    ],
  ])('reads %s', (_, schema, args, filled) => {
    expect(fill(schema, args)).toEqual(filled)
  })

  const inner = {
    $id: 'https://e.example/inner',
    ...object({ o: { $ref: '#/$defs/x' } }),
    $defs: { x: currency('EUR') },
  }
  it.each<[string, JsonObject, JsonObject]>([
    [
      'a reference of an embedded document',
      { ...object({ w: { $ref: '#/$defs/inner' } }), $defs: { x: currency('USD'), inner } },
      { w: { o: {} } },
    ],
    [
      'a pointer through an embedded document',
      { ...object({ o: { $ref: '#/$defs/inner/$defs/x' } }), $defs: { inner } },
      { o: {} },
    ],
    ['branches that differ', { allOf: [currency('USD'), currency('EUR')] }, {}],
    ['a condition that differs', { ...currency('USD'), if: {}, [outcome]: currency('EUR') }, {}],
    ['an alternative that differs', { ...currency('USD'), anyOf: [{ allOf: [currency('EUR')] }, {}] }, {}],
    ['a pattern that differs', { ...currency('USD'), patternProperties: { '^c': { default: 'EUR' } } }, {}],
    [
      'a reference that may differ',
      { ...object({ cur: { $ref: '#c', default: 'USD' } }), $defs: { c: { $anchor: 'c', default: 'EUR' } } },
      {},
    ],
    [
      'siblings of a reference in draft-07',
      {
        $schema: draft07,
        ...object({ o: { $ref: '#/definitions/x', ...currency('USD') } }),
        definitions: { x: object({}) },
      },
      { o: {} },
    ],
    ['another dialect than is known', { $schema: 'https://e.example/dialect', ...currency('EUR') }, {}],
    [
      'anchors',
      { ...object({ o: { $ref: '#opt' } }), $defs: { x: { $anchor: 'opt', ...currency('EUR') } } },
      { o: {} },
    ],
    [
      'encoded pointers',
      { ...object({ o: { $ref: '#/$defs/a%20b' } }), $defs: { 'a b': currency('A'), 'a%20b': currency('B') } },
      { o: {} },
    ],
    [
      'references by URI',
      {
        $id: 'https://e.example/s',
        ...object({ o: { $ref: 'https://e.example/s#/$defs/x' } }),
        $defs: { x: currency('EUR') },
      },
      { o: {} },
    ],
    [
      '$dynamicRef',
      { ...object({ o: { $dynamicRef: '#o' } }), $defs: { x: { $dynamicAnchor: 'o', ...currency('EUR') } } },
      { o: {} },
    ],
    ['anyOf', object({ o: { anyOf: [currency('EUR'), { type: 'null' }] } }), { o: {} }],
    ['oneOf', object({ o: { oneOf: [currency('EUR'), object({ k: {} })] } }), { o: {} }],
    ['prefixItems', object({ l: { prefixItems: [currency('EUR')] } }), { l: [{}] }],
    ['items beside prefixItems', object({ l: { prefixItems: [{}], items: currency('EUR') } }), { l: [1, {}] }],
    ['additionalProperties', object({ m: { additionalProperties: currency('EUR') } }), { m: { k: {} } }],
    ['patternProperties', object({ m: { patternProperties: { '^k': currency('EUR') } } }), { m: { k: {} } }],
    ['if and then', { if: {}, [outcome]: currency('EUR') }, {}],
    ['more schemas at one place than are weighed', { allOf: Array.from({ length: 101 }, () => currency('EUR')) }, {}],
  ])('leaves alone %s', (_, schema, args) => {
    expect(fill(schema, args)).toBe(args)
    expect(concreteArguments(args, schema).every(({ origin }) => origin === 'given')).toBe(true)
  })

  it('reads siblings of a reference as the dialect of the tool does', () => {
    const schema = { ...object({ cur: { $ref: '#/definitions/x', default: 'EUR' } }), definitions: { x: {} } }
    expect(fill(schema, {})).toEqual({ cur: 'EUR' })
    expect(fill(schema, {}, 'draft-07')).toEqual({})
    expect(fill(schema, {}, 'openapi-3.0')).toEqual({})
  })
})

describe('the bounds of filling in', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['a default that leads back to itself', endless, { tree: { v: 'x' } }],
    ['references that double', doubling(24), { tree: {} }],
    ['many rows of many fields', rows(1_000), { list: Array.from({ length: 19_000 }, () => ({})) }],
    [
      'a long default, often',
      object({ l: { items: object({ a: { default: 'x'.repeat(1_000) } }) } }),
      { l: Array.from({ length: 101 }, () => ({})) },
    ],
  ])('leave the arguments as given at %s', (_, schema, args) => {
    expect(fill(schema, args)).toBe(args)
  })

  it('hold exactly, and alike for what is given and what is filled in', () => {
    const schema = rows(9)
    const list = (length: number, item: JsonObject) => ({ list: Array.from({ length }, () => item) })
    // A row is one value and its nine fields; the list is one more.
    const fitting = Math.floor((fillBounds.values - 1) / 10)
    const item = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`p${n}`, 'x']))
    expect(fill(schema, list(fitting, {}))).toEqual(list(fitting, item))
    const [left, given] = [list(fitting + 1, {}), { list: [{}, ...list(fitting, item).list] }]
    expect(fill(schema, left)).toBe(left)
    expect(fill(schema, given)).toBe(given)
  })

  it('hold for the rows of a card', () => {
    const names = Array.from({ length: 100 }, (_, n) => `o${n}`)
    const fields = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, { default: 0 }]))
    const schema = object(Object.fromEntries(names.map((name) => [name, object(fields)])))
    const args = Object.fromEntries(names.map((name) => [name, {}]))
    expect(concreteArguments(args, schema)).toEqual(
      names.map((name) => ({ pointer: `/${name}`, value: {}, origin: 'given' })),
    )
  })

  it('hold for any schema, and filling in twice is filling in once', () => {
    const leaf = {
      default: fc.oneof(fc.constant<JsonValue>({}), fc.constant<JsonValue>([{}]), fc.nat(2)),
      $ref: fc.constantFrom('#/$defs/a', '#/$defs/b'),
    }
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.record(leaf, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>,
        fc.record(
          {
            ...leaf,
            properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), {
              maxKeys: 3,
              noNullPrototype: true,
            }),
            items: tie('schema'),
            allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
            anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
            additionalProperties: tie('schema'),
          },
          { requiredKeys: ['properties'], noNullPrototype: true },
        ) as fc.Arbitrary<JsonObject>,
      ),
    }))
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.nat(2),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }))
    const args = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { noNullPrototype: true })
    let filledIn = 0
    fc.assert(
      fc.property(schema, schema, schema, args, (inner, a, b, given) => {
        const document = { properties: { a: inner, b: a, c: b }, $defs: { a, b } }
        const once = fill(document, given)
        // Of a copy, and by a reader that has seen nothing yet.
        expect(fill(structuredClone(document), structuredClone(once))).toEqual(once)
        expect(fill(structuredClone(document), structuredClone(given))).toEqual(once)
        if (once === given) return
        filledIn++
        // A default of these has at most two values.
        expect(countValues(once)).toBeLessThanOrEqual(countValues(given) + 2 * fillBounds.values)
        expect(once).toMatchObject(given)
      }),
      { numRuns: 500 },
    )
    expect(filledIn).toBeGreaterThan(50)
  })
})
