import { expect, it } from 'vitest'
import type { JsonObject } from '../json/value.ts'
import { preprocess } from '../schema/preprocess.ts'
import { isClosed } from './is-closed.ts'

function judge(schema: JsonObject) {
  const read = preprocess(schema)
  if (!read.ok) throw new Error(read.refusals[0]?.message)
  return isClosed(read.schema)
}

const map = { additionalProperties: { type: 'string' } }

it.each([
  ['a map of texts', { type: 'object', ...map }],
  ['a map beside declared properties', { type: 'object', properties: { a: { type: 'number' } }, ...map }],
  [
    'a map that unevaluatedProperties makes',
    { type: 'object', allOf: [{ properties: { a: true } }], unevaluatedProperties: { type: 'string' } },
  ],
  ['a choice between two maps', { type: 'object', anyOf: [map, { additionalProperties: { type: 'number' } }] }],
])('takes %s for closed: it says what every further property has to be [closed-by-meaning]', (_, schema) => {
  expect(judge(schema)).toEqual({ verdict: 'closed' })
})

it.each([
  ['one branch of a choice', { type: 'object', anyOf: [{ properties: { a: true } }, map] }],
  ['a condition', { type: 'object', if: map }],
  ['what is forbidden', { type: 'object', not: map }],
])('does not let a map in %s close the other cases [closed-by-meaning]', (_, schema) => {
  expect(judge(schema)).toMatchObject({ verdict: 'open', pointer: '' })
})

it.each([
  [
    'unevaluatedItems',
    { type: 'array', prefixItems: [true], contains: { const: 1 }, unevaluatedItems: { type: 'object' } },
  ],
  [
    'unevaluatedProperties',
    { type: 'object', allOf: [{ properties: { a: true } }], unevaluatedProperties: { type: 'object' } },
  ],
])('looks into %s [closed-by-meaning]', (word, schema) => {
  expect(judge(schema)).toMatchObject({ verdict: 'open', pointer: `/${word}` })
})

it('judges hundreds of definitions within one budget', () => {
  const ring = Array.from({ length: 500 }, (_, i) => [
    `d${i}`,
    {
      type: 'object',
      additionalProperties: false,
      properties: { next: { $ref: `#/$defs/d${(i + 1) % 500}` }, [`own${i}`]: { type: 'string' } },
    },
  ])
  expect(judge({ $ref: '#/$defs/d0', $defs: Object.fromEntries(ring) })).toEqual({ verdict: 'closed' })
})
