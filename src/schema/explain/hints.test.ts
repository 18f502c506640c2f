import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { explain } from '../explain.ts'
import { preprocess } from '../preprocess.ts'
import { typeHints } from './type-hints.ts'

function told(schema: JsonValue, value: JsonValue): readonly string[] {
  const preprocessed = preprocess(schema)
  if (!preprocessed.ok) throw new Error(preprocessed.refusals.map((refusal) => refusal.message).join('\n'))
  return explain(preprocessed.schema, value).map((error) => error.message)
}

/** Per habit a schema for the property `a`, and what a model sends for it. */
const habits: ReadonlyMap<string, readonly [schema: JsonValue, value: JsonValue]> = new Map([
  ['null for a property that may be left out', [{ type: 'string' }, null]],
  ['a number in quotes', [{ type: 'integer' }, '5']],
  ['a boolean in quotes', [{ type: 'boolean' }, 'True']],
  ['null in quotes', [{ type: ['integer', 'null'] }, 'null']],
  ['an array written into a string', [{ type: 'array' }, "['x', 'y']"]],
  ['an object written into a string', [{ type: 'object' }, '{"x": 1}']],
  ['several items in one string', [{ type: 'array', items: { type: 'string' } }, 'x, y']],
  ['a single item without its array', [{ type: 'array', items: { type: 'integer' } }, 5]],
  ['an array around a single value', [{ type: 'integer' }, [5]]],
  ['the schema given back in place of a value', [{ type: 'integer' }, { type: 'integer', description: 'How many' }]],
  ['an object around a single value', [{ type: 'integer' }, { value: 5 }]],
  ['a number or boolean where text is due', [{ type: 'string' }, 5]],
  ['a fraction where a whole number is due', [{ type: 'integer' }, 2.5]],
])

test.each(typeHints)('For $habit the advice is: $advice', ({ habit, advice }) => {
  const [schema, value] = habits.get(habit) ?? [true, null]
  const messages = told({ properties: { a: schema } }, { a: value })
  expect(messages).toHaveLength(1)
  expect(messages[0]).toMatch(new RegExp(`${advice.replaceAll('.', '\\.')}$`))
})

test('No advice is given where it would not help', () => {
  expect(told({ type: 'integer' }, '5.5')).toEqual(['The value must be an integer; a string was given.'])
  expect(told({ type: 'string', format: 'uuid' }, 5)).toEqual([
    'The value must be a string UUID; an integer was given.',
  ])
  expect(told({ required: ['a'], properties: { a: { type: 'string' } } }, { a: null })).toEqual([
    '`a` must be a string; null was given.',
  ])
})

describe('Names', () => {
  const order = {
    type: 'object',
    additionalProperties: false,
    required: ['orderId'],
    properties: { orderId: { type: 'string' }, quantity: { type: 'integer' } },
  }

  test('A misspelt optional name is corrected', () => {
    expect(told(order, { orderId: 'a', quantiy: 1 })).toEqual([
      '`quantiy` is not a declared property; did you mean `quantity`?',
    ])
  })

  test('A second writing of a name that is given already is to be left out', () => {
    expect(told(order, { orderId: 'a', order_id: 'b' })).toEqual([
      '`order_id` is not a declared property: leave it out, `orderId` is already given.',
    ])
  })

  test('A required property under a similar name is connected, but with care', () => {
    expect(told({ ...order, additionalProperties: true }, { ordrId: 'a' })).toEqual([
      '`orderId` is required; `ordrId` was given: if it is meant, rename it.',
    ])
  })

  test.each(['arguments', 'properties'])('An object wrapped in %s is to be sent itself', (wrapper) => {
    expect(told(order, { [wrapper]: { orderId: 'a', quantity: 1 } })).toEqual([
      `\`orderId\` is required at this level; it belongs outside \`${wrapper}\`: send the inner object itself.`,
      `\`${wrapper}\` is not a declared property; it wraps the declared ones: send the inner object itself.`,
    ])
  })

  test('A property at the wrong level is sent to the right one', () => {
    const params = { type: 'object', additionalProperties: false, properties: { city: { type: 'string' } } }
    const schema = { type: 'object', additionalProperties: false, properties: { url: { type: 'string' }, params } }
    expect(told(schema, { url: 'x', city: 'Bern' })).toEqual([
      '`city` is not a declared property here: it belongs inside `params`.',
    ])
    expect(told(schema, { params: { city: 'Bern', url: 'x' } })).toEqual([
      '`params.url` is not a declared property here: it belongs one level up, beside `params`.',
    ])
  })

  test('A property that another one brings along says so', () => {
    expect(
      told({ dependentRequired: { card: ['cvc'] }, properties: { cvc: { type: 'string' } } }, { card: '1' }),
    ).toEqual(['`cvc` is required because `card` is given: send a string.'])
  })

  test('A name that is not allowed comes with its rule', () => {
    expect(told({ propertyNames: { pattern: '^[a-z]+$' } }, { 'A B': 1 })).toEqual([
      '`["A B"]` is not an allowed property name: it must be a string matching ^[a-z]+$.',
    ])
  })
})

describe('Values', () => {
  test.each([
    ['HIGH', 'high'],
    ['very-low', 'very_low'],
    ['meduim', 'medium'],
  ])('%s is near to %s', (sent, meant) => {
    expect(told({ enum: ['high', 'very_low', 'medium'] }, sent)).toEqual([
      `The value must be one of "high", "very_low", "medium". Did you mean "${meant}"?`,
    ])
  })

  test('A number and the same number in quotes are near to each other', () => {
    expect(told({ enum: [10, 20] }, '20')).toEqual(['The value must be one of 10, 20. Did you mean 20?'])
  })
})

test.each<readonly [string, JsonValue, JsonValue, string]>([
  [
    'a tuple',
    { prefixItems: [true, true], items: false },
    [1, 2, 3],
    '`[2]` is too much: The value takes only 2 items. Leave it out.',
  ],
  [
    'a repetition',
    { uniqueItems: true },
    [{ a: 1 }, 2, { a: 1 }],
    'The value must not contain the same item twice: items 0 and 2 are equal.',
  ],
  ['a lacking item', { contains: { type: 'string' } }, [1], 'The value must have an item that is a string.'],
  ['an exclusion', { not: { enum: ['x', 'y'] } }, 'x', 'The value must not be one of "x", "y".'],
  [
    'an excluded pair',
    { not: { required: ['a', 'b'] } },
    { a: 1, b: 2 },
    'The value must not have `a` and `b` together.',
  ],
  ['a step', { multipleOf: 0.01 }, 0.005, 'The value must be a multiple of 0.01.'],
  ['a length', { type: 'string', minLength: 1 }, '', 'The value must have at least 1 character.'],
  ['a format', { format: 'date' }, '31.1.2026', 'The value must be a string date such as 2026-01-31.'],
])('The sentence about %s is plain', (_, schema, value, message) => {
  expect(told(schema, value)).toEqual([message])
})
