import { expect, test } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { createJudge } from '../judge/accept.ts'
import { createEffort } from '../judge/effort.ts'
import { preprocess } from '../preprocess.ts'
import { createDescribe, withArticle } from './expected-text.ts'
import { createFacets } from './facets.ts'

function phraseFor(schema: JsonValue): string {
  const preprocessed = preprocess(schema, { formats: 'annotate' })
  if (!preprocessed.ok) throw new Error(preprocessed.refusals.map((refusal) => refusal.message).join('\n'))
  const effort = createEffort(10_000)
  const judge = createJudge(preprocessed.schema, effort)
  return createDescribe(createFacets(judge), effort)(preprocessed.schema.root)
}

test.each<readonly [string, JsonValue]>([
  ['string', { type: 'string' }],
  ['string or null', { type: ['null', 'string'] }],
  ['string UUID', { type: 'string', format: 'uuid' }],
  ['string in the format colour', { type: 'string', format: 'colour' }],
  ['string of 1 to 10 characters', { type: 'string', minLength: 1, maxLength: 10 }],
  ['string of 3 characters matching ^[A-Z]{3}$', { type: 'string', minLength: 3, maxLength: 3, pattern: '^[A-Z]{3}$' }],
  ['integer from 1 to 100', { type: 'integer', minimum: 1, maximum: 100 }],
  ['integer of 32 bits', { type: 'integer', format: 'int32' }],
  ['number of at least 0', { type: 'number', minimum: 0 }],
  ['number greater than 0 and at most 5', { type: 'number', exclusiveMinimum: 0, maximum: 5 }],
  ['number of at most 5, multiple of 0.5', { type: 'number', maximum: 5, multipleOf: 0.5 }],
  [
    'integer from 5 to 9',
    {
      allOf: [
        { type: 'integer', minimum: 1 },
        { minimum: 5, maximum: 9 },
      ],
    },
  ],
  ['array of objects', { type: 'array', items: { type: 'object', required: ['a'] } }],
  [
    'array of 1 to 5 strings, no two equal',
    { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 5, uniqueItems: true },
  ],
  ['array of strings, each one of "a", "b"', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }],
  ['array of at least 1 item', { type: 'array', minItems: 1 }],
  ['object', { type: 'object' }],
  ['object with a, b and c', { type: 'object', required: ['a', 'b', 'c'] }],
  ['one of "a", 1, null', { enum: ['a', 1, null] }],
  ['exactly "a"', { const: 'a' }],
  ['string, one of "a", "b"', { type: 'string', enum: ['a', 'b'] }],
  [
    'string UUID or integer of at least 1',
    {
      anyOf: [
        { type: 'string', format: 'uuid' },
        { type: 'integer', minimum: 1 },
      ],
    },
  ],
  ['any value', true],
  ['any value', {}],
])('%s', (phrase, schema) => {
  expect(phraseFor(schema)).toBe(phrase)
})

test('A phrase is bounded for every schema', () => {
  const values = Array.from({ length: 500 }, (_, index) => `${index}`.repeat(500))
  expect(phraseFor({ enum: values }).length).toBeLessThanOrEqual(240)
  expect(phraseFor({ type: 'string', pattern: `^${'a'.repeat(900)}$` }).length).toBeLessThanOrEqual(240)
  expect(phraseFor({ type: 'object', required: values }).length).toBeLessThanOrEqual(300)
})

test('A phrase takes the article that its first word needs', () => {
  expect(withArticle('integer from 1 to 5')).toBe('an integer from 1 to 5')
  expect(withArticle('string UUID')).toBe('a string UUID')
  expect(withArticle('null')).toBe('null')
  expect(withArticle('one of 1, 2')).toBe('one of 1, 2')
})
