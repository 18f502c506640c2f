import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { explain } from '../explain.ts'
import { preprocess } from '../preprocess.ts'

function told(schema: JsonValue, value: JsonValue): readonly string[] {
  const preprocessed = preprocess(schema)
  if (!preprocessed.ok) throw new Error(preprocessed.refusals.map((refusal) => refusal.message).join('\n'))
  return explain(preprocessed.schema, value).map((error) => `${error.kind} ${error.field}: ${error.message}`)
}

const circle = {
  title: 'Circle',
  type: 'object',
  required: ['kind', 'radius'],
  properties: { kind: { const: 'circle' }, radius: { type: 'number', exclusiveMinimum: 0 } },
}
const box = {
  title: 'Box',
  type: 'object',
  required: ['kind', 'width', 'height'],
  properties: { kind: { const: 'box' }, width: { type: 'number' }, height: { type: 'number' } },
}

describe.each(['anyOf', 'oneOf'])('An %s whose alternatives fix a property', (keyword) => {
  const shape = { [keyword]: [circle, box, { type: 'null' }] }

  test('is judged by the alternative that the property names', () => {
    expect(told(shape, { kind: 'box', width: '5' })).toEqual([
      'structure height: `height` is required: send a number. (Because `kind` is "box".)',
      'type width: `width` must be a number; a string was given. Send the number itself, without quotes. (Because `kind` is "box".)',
    ])
  })

  test('reports one error at the property when it names none of them', () => {
    expect(told(shape, { kind: 'crcle', radius: -1 })).toEqual([
      'constraint kind: `kind` must be one of "circle", "box". Did you mean "circle"?',
    ])
  })

  test('asks for the property when it is missing and nothing else decides', () => {
    expect(told(shape, { colour: 'red' })).toEqual(['structure kind: `kind` is required: send one of "circle", "box".'])
  })

  test('asks for the one value when everything else fits one alternative', () => {
    expect(told(shape, { radius: 2 })).toEqual([
      'structure kind: `kind` is required: send exactly "circle". (The closest of 2 alternatives, `Circle`.)',
    ])
  })

  test('lists the types when the value has none of them', () => {
    expect(told(shape, 'circle')).toEqual(['type $: The value must be an object or null; a string was given.'])
  })
})

test('A discriminator is found through references and allOf, in a union inside a union', () => {
  const schema = {
    $defs: { circle, round: { allOf: [{ $ref: '#/$defs/circle' }] }, angular: { oneOf: [box] } },
    anyOf: [{ $ref: '#/$defs/round' }, { $ref: '#/$defs/angular' }],
  }
  expect(told(schema, { kind: 'circle', radius: 0 })).toEqual([
    'constraint radius: `radius` must be greater than 0. (Because `kind` is "circle".)',
  ])
})

test('A nullable object is explained as the object, without mention of alternatives', () => {
  const schema = {
    anyOf: [{ type: 'object', required: ['a'], properties: { a: { type: 'string' } } }, { type: 'null' }],
  }
  expect(told(schema, {})).toEqual(['structure a: `a` is required: send a string.'])
})

test('A union of scalar types lists them with what they demand', () => {
  const schema = { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'integer', minimum: 1 }, { type: 'null' }] }
  expect(told(schema, true)).toEqual([
    'type $: The value must be a string UUID, integer of at least 1 or null; a boolean was given.',
  ])
  expect(told(schema, 0)).toEqual(['constraint $: The value must be at least 1.'])
})

test('A union of constants is told as a list of values', () => {
  const schema = { anyOf: [{ const: 'low' }, { const: 'high' }, { enum: ['none'] }] }
  expect(told(schema, 'High')).toEqual([
    'constraint $: The value must be one of "low", "high", "none". Did you mean "high"?',
  ])
})

test('A union of typed constants is an error of type when no type fits', () => {
  const schema = {
    anyOf: [
      { type: 'string', const: 'low' },
      { type: 'string', const: 'high' },
    ],
  }
  expect(told(schema, 3)).toEqual(['type $: The value must be a string, one of "low", "high"; an integer was given.'])
})

describe('Without a discriminator', () => {
  const person = {
    title: 'Person',
    type: 'object',
    additionalProperties: false,
    required: ['name', 'born'],
    properties: { name: { type: 'string' }, born: { type: 'object', properties: { year: { type: 'integer' } } } },
  }
  const company = {
    title: 'Company',
    type: 'object',
    additionalProperties: false,
    required: ['name', 'registration'],
    properties: { name: { type: 'string' }, registration: { type: 'string' } },
  }

  test('the alternative that the value gets furthest into is reported [closest-branch-explained]', () => {
    expect(told({ anyOf: [company, person] }, { name: 'Ada', born: { year: 'x' } })).toEqual([
      'type born.year: `born.year` must be an integer; a string was given. (The closest of 2 alternatives, `Person`.)',
    ])
  })

  test('many errors under one property count less than a wrong shape', () => {
    const list = {
      title: 'List',
      type: 'object',
      required: ['all'],
      properties: { all: { type: 'array', items: { type: 'integer' } } },
    }
    const value = { all: ['a', 'b', 'c', 'd', 'e', 'f'] }
    const errors = told({ anyOf: [company, list] }, value)
    expect(errors).toHaveLength(6)
    expect(errors[0]).toContain('`all[0]` must be an integer')
  })

  test('properties of which one group is needed are told together', () => {
    const groups = [{ required: ['email'] }, { required: ['phone', 'country'] }]
    expect(told({ type: 'object', anyOf: groups }, {})).toEqual([
      'structure $: The value must have `email`, or `phone` and `country`.',
    ])
    expect(told({ type: 'object', oneOf: groups }, {})).toEqual([
      'structure $: The value must have `email`, or `phone` and `country`, and only one of these.',
    ])
  })

  test('a value that fits several of which it may fit one is a constraint', () => {
    const schema = { oneOf: [{ title: 'By mail', required: ['email'] }, { required: ['phone'] }] }
    expect(told(schema, { email: 'a', phone: 'b' })).toEqual([
      'constraint $: The value must fit exactly one alternative, but fits `By mail` and number 2. Leave out what belongs to the others.',
    ])
  })
})

test('A union whose alternatives are all impossible says that nothing is allowed', () => {
  expect(told({ properties: { a: { anyOf: [false, false] } } }, { a: 1 })).toEqual([
    'structure a: `a` must be left out: no value is allowed here.',
  ])
})
