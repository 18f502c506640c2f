// The explainer and the compiled validator are two implementations of one meaning: random schemas and values,
// many of them near misses, must never set them against each other.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { explain } from '../explain.ts'
import { preprocess } from '../preprocess.ts'
import { compileValidator } from '../validator.ts'

const names = ['a', 'b', 'ab', 'kind', 'toString']
const name = fc.constantFrom(...names)
const scalar = fc.constantFrom<JsonValue>(
  null,
  true,
  false,
  0,
  1,
  2,
  3,
  1.5,
  -1,
  10,
  '',
  'a',
  'b',
  'ab',
  'abc',
  '5',
  '😀',
)

const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { arbitrary: scalar, weight: 4 },
    { arbitrary: fc.dictionary(name, tie('value'), { maxKeys: 4 }), weight: 3 },
    { arbitrary: fc.array(tie('value'), { maxLength: 4 }), weight: 2 },
  ),
})).value

/** Written as pairs: an object with a member `then` would look like a promise. */
function conditional(inner: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(['if', 'then', 'else'].map((keyword) => [keyword, inner]))
}

type Raw = boolean | { readonly [keyword: string]: unknown }

const schema = fc.letrec<{ schema: Raw; object: Raw }>((tie) => {
  const inner = tie('schema')
  const small = fc.integer({ min: 0, max: 3 })
  const several = fc.array(inner, { minLength: 1, maxLength: 3 })
  const optional = (keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Raw> =>
    fc.record(keywords, { requiredKeys: [] }).map((raw) => raw as Raw)
  const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string')
  const types = fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))
  return {
    schema: fc.oneof({ maxDepth: 4 }, { arbitrary: fc.boolean(), weight: 1 }, { arbitrary: tie('object'), weight: 9 }),
    object: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      optional({ type: types, enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 }) }),
      optional({ const: scalar }),
      optional({ type: types, minimum: small, exclusiveMaximum: small, multipleOf: fc.constantFrom(1, 2, 0.5) }),
      optional({ maximum: small, exclusiveMinimum: small }),
      optional({ type: types, minLength: small, maxLength: small, pattern: fc.constantFrom('^a', 'b$', '^[ab]+$') }),
      optional({
        type: types,
        properties: fc.dictionary(name, inner, { maxKeys: 3 }),
        required: fc.uniqueArray(name, { maxLength: 2 }),
        additionalProperties: inner,
        unevaluatedProperties: inner,
      }),
      optional({
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$'), inner, { maxKeys: 2 }),
        propertyNames: inner,
        minProperties: small,
        maxProperties: small,
        dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
        dependentSchemas: fc.dictionary(name, inner, { maxKeys: 2 }),
        unevaluatedProperties: inner,
      }),
      optional({
        prefixItems: several,
        items: inner,
        minItems: small,
        maxItems: small,
        uniqueItems: fc.boolean(),
        unevaluatedItems: inner,
      }),
      optional({
        contains: inner,
        minContains: small,
        maxContains: small,
        prefixItems: several,
        unevaluatedItems: inner,
      }),
      optional({ allOf: several, unevaluatedProperties: inner, unevaluatedItems: inner }),
      optional({
        anyOf: several,
        properties: fc.dictionary(name, inner, { maxKeys: 2 }),
        unevaluatedProperties: inner,
      }),
      optional({ oneOf: several, unevaluatedProperties: inner, unevaluatedItems: inner }),
      optional({ not: inner, allOf: several }),
      optional({ ...conditional(inner), unevaluatedProperties: inner, unevaluatedItems: inner }),
      optional({ properties: fc.dictionary(name, fc.constant({ $ref: '#/$defs/one' }), { maxKeys: 2 }), type: types }),
      optional({ items: fc.constant({ $ref: '#/$defs/two' }), anyOf: several }),
      optional({ $ref: fc.constant('#/$defs/three'), required: fc.uniqueArray(name, { maxLength: 1 }) }),
    ),
  }
})

const noReference = fc.constantFrom<Raw>(
  { type: 'string' },
  { required: ['a'] },
  { properties: { b: { type: 'integer' } } },
)
const document = fc
  .record({ root: schema.object, one: schema.schema, two: schema.schema, three: noReference })
  .map(({ root, one, two, three }) => ({ ...(root as object), $defs: { one, two, three } }) as JsonValue)

const runs = Number(process.env.AGREEMENT_RUNS ?? 1500)

test('The explainer finds an error exactly when the validator refuses [validator-and-explainer-agree]', () => {
  fc.assert(
    fc.property(document, fc.array(value, { minLength: 1, maxLength: 6 }), (raw, values) => {
      const preprocessed = preprocess(raw)
      fc.pre(preprocessed.ok)
      if (!preprocessed.ok) return
      const validator = compileValidator(preprocessed.schema)
      for (const one of values) {
        const errors = explain(preprocessed.schema, one)
        expect({ value: one, valid: errors.length === 0 }).toEqual({ value: one, valid: validator.matches(one) })
        for (const error of errors) {
          expect(error.message).not.toBe('')
          expect(error.expected).not.toBe('')
          expect(error.actual).not.toBe('')
        }
      }
    }),
    { numRuns: runs },
  )
}, 120_000)
