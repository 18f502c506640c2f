// Closing may only narrow a schema, and must leave a way in for all that the members of an intersection declare.
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../json/value.ts'
import { closeObjects } from './close-objects.ts'

const text = { type: 'string' }
const a = { type: 'object', properties: { a: text } }
const b = { type: 'object', properties: { b: text } }

/** Written as pairs, because an object literal with a `then` looks like a promise. */
function when(condition: JsonObject, result: JsonObject): JsonObject {
  return Object.fromEntries([
    ['if', condition],
    ['then', result],
  ])
}

const ajv = new Ajv2020({ strict: false, validateSchema: false })

function accepts(schema: JsonObject, value: unknown): boolean {
  return ajv.validate(schema, value)
}

describe('An object that lists properties', () => {
  test('is closed at every depth', () => {
    const closed = closeObjects({ properties: { list: { type: 'array', items: a, prefixItems: [b] } } })
    expect(closed).toEqual({
      properties: {
        list: {
          type: 'array',
          items: { ...a, additionalProperties: false },
          prefixItems: [{ ...b, additionalProperties: false }],
        },
      },
      additionalProperties: false,
    })
  })

  test.each([{ additionalProperties: {} }, { additionalProperties: text }, { unevaluatedProperties: true }])(
    'keeps %j where it says so',
    (more) => expect(closeObjects({ ...a, ...more })).toEqual({ ...a, ...more }),
  )

  test('is not looked for in data', () => {
    const schema = { const: a, default: { properties: {} }, enum: [a], examples: [a] }
    expect(closeObjects(schema)).toEqual(schema)
  })

  test('is closed by the plain keyword where the others say nothing of properties', () => {
    const schema = { ...a, allOf: [{ minProperties: 1 }], anyOf: [{ required: ['a'] }, { required: ['b'] }] }
    expect(closeObjects(schema)).toEqual({ ...schema, additionalProperties: false })
  })
})

describe('Members of one object', () => {
  test('are closed together', () => {
    const closed = closeObjects({ allOf: [a, { anyOf: [b, { type: 'object', properties: { c: text } }] }] })
    expect(accepts(closed, { a: 'x', b: 'y' })).toBe(true)
    expect(accepts(closed, { a: 'x', c: 'z' })).toBe(true)
    expect(accepts(closed, { a: 'x', d: 'w' })).toBe(false)
  })

  test('leave a definition closed for those who use it alone', () => {
    const closed = closeObjects({
      properties: {
        alone: { $ref: '#/$defs/A' },
        both: { allOf: [{ $ref: '#/$defs/A' }, b] },
        plus: { $ref: '#/$defs/A', ...b },
      },
      $defs: { A: a, 'A.open': text },
    })
    expect(accepts(closed, { alone: { a: 'x' }, both: { a: 'x', b: 'y' }, plus: { a: 'x', b: 'y' } })).toBe(true)
    for (const key of ['alone', 'both', 'plus']) expect(accepts(closed, { [key]: { a: 'x', d: 'w' } })).toBe(false)
    expect(accepts(closed, { alone: { a: 'x', b: 'y' } })).toBe(false)
  })

  test('include what conditions and dependencies add', () => {
    const closed = closeObjects({ ...a, ...when({ properties: { a: { const: 'x' } } }, b), dependentSchemas: { b } })
    expect(accepts(closed, { a: 'x', b: 'y' })).toBe(true)
    expect(accepts(closed, { a: 'x', c: 'y' })).toBe(false)
  })

  test('may be a record, which keeps the whole open', () => {
    const closed = closeObjects({ ...a, allOf: [{ type: 'object', additionalProperties: text }] })
    expect(accepts(closed, { a: 'x', z: 'y' })).toBe(true)
    expect(accepts(closed, { a: 'x', z: 1 })).toBe(false)
  })

  test('with a reference that leads nowhere are left as they are: compiling refuses them', () => {
    const schema = { allOf: [{ $ref: '#/$defs/Gone' }, { $ref: 'https://example.org/x' }, { $ref: '#/%' }] }
    expect(closeObjects(schema)).toEqual(schema)
  })
})

test('What a closed schema accepts, the original accepts, negations included', () => {
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom<JsonObject>({}, { type: 'string' }, { type: 'object' }, { $ref: '#/$defs/D' }, { $ref: '#' }),
      fc.record({ properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }) }),
      fc.record({
        properties: fc.record({ a: tie('schema') }),
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ not: tie('schema') }),
      fc.tuple(tie('schema'), tie('schema')).map(([condition, result]) => when(condition, result)),
      fc.record({ additionalProperties: tie('schema') }),
      fc.record({ items: tie('schema') }),
    ),
  }))
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom<unknown>('x', 1, null),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
      fc.array(tie('value'), { maxLength: 2 }),
    ),
  })).value
  fc.assert(
    fc.property(schema, schema, fc.array(value, { minLength: 8, maxLength: 8 }), (root, definition, values) => {
      const document: JsonObject = { properties: { a: root }, $defs: { D: definition } }
      if (refersInPlace(document)) return
      const original = ajv.compile(document)
      const closed = ajv.compile(closeObjects(document))
      for (const one of values) if (closed(one) && !original(one)) throw new Error(JSON.stringify(one))
    }),
    { numRuns: 200 },
  )
})

/** A reference that comes back to itself without going into the value has no meaning: validators do not end. */
function refersInPlace(document: JsonObject): boolean {
  const reaches = (schema: unknown, seen: readonly string[]): boolean => {
    if (typeof schema !== 'object' || schema === null) return false
    const { $ref, allOf = [], anyOf = [], not, if: condition, then } = schema as Record<string, unknown>
    if (typeof $ref === 'string') {
      const target = $ref === '#' ? document : (document.$defs as JsonObject).D
      return seen.includes($ref) || reaches(target, [...seen, $ref])
    }
    return [...(allOf as unknown[]), ...(anyOf as unknown[]), not, condition, then].some((part) => reaches(part, seen))
  }
  return reaches(document, ['#']) || reaches((document.$defs as JsonObject).D, ['#/$defs/D'])
}
