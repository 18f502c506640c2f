import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { explain } from '../explain.ts'
import type { FieldError } from '../field-error.ts'
import { preprocess } from '../preprocess.ts'

function errorsOf(schema: JsonValue, value: JsonValue, sensitive: readonly string[]): readonly FieldError[] {
  const preprocessed = preprocess(schema)
  if (!preprocessed.ok) throw new Error(preprocessed.refusals.map((refusal) => refusal.message).join('\n'))
  return explain(preprocessed.schema, value, { sensitive })
}

const card = {
  type: 'object',
  required: ['holder'],
  properties: {
    holder: { type: 'string' },
    pin: { type: 'integer', minimum: 1000, maximum: 1999 },
    network: { enum: ['visa', 'master'] },
  },
  additionalProperties: false,
}

test('The value of a sensitive field is described by its type alone', () => {
  expect(errorsOf(card, { holder: 'a', pin: 4711, network: 'Visa' }, ['/pin', '/network'])).toMatchObject([
    { field: 'pin', actual: 'integer', message: '`pin` must be at most 1999.' },
    { field: 'network', actual: 'string', message: '`network` must be one of "visa", "master".' },
  ])
})

test('Nothing is said about the content of a sensitive text, not even that it is a number', () => {
  expect(errorsOf(card, { holder: 'a', pin: '4711' }, ['/pin'])[0]?.message).toBe(
    '`pin` must be an integer from 1000 to 1999; a string was given.',
  )
})

test('A star stands for any key or index', () => {
  const schema = { type: 'array', items: card }
  expect(errorsOf(schema, [{ holder: 'a', pin: 1 }], ['/*/pin'])).toMatchObject([
    { field: '[0].pin', actual: 'integer' },
  ])
})

test('What contains or lies inside a sensitive field is hidden as well', () => {
  const schema = { properties: { login: { maxProperties: 1, properties: { user: { maxLength: 1 } } } } }
  const value = { login: { user: 'root', secret: 'x' } }
  expect(errorsOf(schema, value, ['/login/secret'])).toMatchObject([
    { field: 'login', actual: 'object' },
    { field: 'login.user', actual: 'string of 4 characters' },
  ])
  expect(errorsOf(schema, value, ['/login'])).toMatchObject([{ actual: 'object' }, { actual: 'string' }])
})

test('Keys that were sent inside a sensitive field are not shown', () => {
  const schema = { properties: { vault: { additionalProperties: false, properties: { known: { type: 'string' } } } } }
  expect(errorsOf(schema, { vault: { hunter2: 1, known: 2 } }, ['/vault'])).toMatchObject([
    { field: 'vault["*"]', pointer: '/vault/*', message: '`vault` has a property that is not declared: leave it out.' },
    { field: 'vault.known', actual: 'integer' },
  ])
})

test('Beside a sensitive field names are still corrected', () => {
  const messages = errorsOf(card, { Holder: 'a', pin: 1500 }, ['/pin']).map((error) => error.message)
  expect(messages[0]).toBe('`holder` is required; `Holder` was given instead: rename it.')
})

test('Where all arguments of a tool are sensitive, no word of what was sent comes back', () => {
  const secret = fc.integer({ min: 1000, max: 9999 }).map((number) => `secret${number}`)
  const value = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      secret,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(secret, fc.constantFrom('kind', 'a')), tie('value'), { maxKeys: 3 }),
    ),
  })).value
  const schema = {
    $defs: {
      any: {
        anyOf: [
          {
            type: 'object',
            properties: { kind: { const: 'x' }, a: { $ref: '#/$defs/any' } },
            required: ['kind'],
            additionalProperties: false,
          },
          {
            type: 'object',
            properties: { kind: { enum: ['y', 'secret'] } },
            propertyNames: { maxLength: 4 },
            required: ['a'],
          },
          { type: 'array', items: { $ref: '#/$defs/any' }, uniqueItems: true, maxItems: 1, contains: { const: 'z' } },
          { type: 'string', pattern: '^x', format: 'uuid', not: { const: 'q' } },
        ],
      },
    },
    $ref: '#/$defs/any',
  }
  fc.assert(
    fc.property(value, (sent) => {
      expect(JSON.stringify(errorsOf(schema, sent, ['']))).not.toMatch(/secret\d/)
    }),
    { numRuns: 500 },
  )
})
