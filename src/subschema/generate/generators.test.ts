import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import type { Preprocessed } from '../../schema/normal.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { compileValidator } from '../../schema/validator.ts'
import { inhabits } from '../inhabits.ts'
import { isClosed } from '../is-closed.ts'
import { mutations } from './mutations.ts'
import { sample } from './sample.ts'

function read(schema: JsonValue): Preprocessed {
  const result = preprocess(schema)
  if (!result.ok) throw new Error(result.refusals[0]?.message)
  return result.schema
}

const order = read({
  type: 'object',
  required: ['id', 'amount'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^o-[0-9]{3}$' },
    amount: { type: 'number', minimum: 1, maximum: 100, multipleOf: 0.01 },
    tags: { type: 'array', items: { enum: ['new', 'paid', 'sent'] }, uniqueItems: true, maxItems: 3 },
    note: { anyOf: [{ type: 'null' }, { type: 'string', maxLength: 5 }] },
  },
})

describe('inhabits', () => {
  it('gives a small example', () => {
    expect(inhabits(order)).toMatchObject({ verdict: 'inhabited', example: { id: 'o-000', amount: 1 } })
  })

  it('proves that nothing obeys a contradiction, also through recursion', () => {
    expect(inhabits(read({ allOf: [{ type: 'string' }, { type: 'null' }] }))).toEqual({ verdict: 'empty' })
    const endless = { $defs: { a: { type: 'object', required: ['a'], properties: { a: { $ref: '#/$defs/a' } } } } }
    expect(inhabits(read({ $ref: '#/$defs/a', ...endless }))).toEqual({ verdict: 'empty' })
  })
})

describe('isClosed', () => {
  const closed: readonly JsonValue[] = [
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    { type: 'object', allOf: [{ properties: { a: { type: 'string' } } }], unevaluatedProperties: false },
    { type: 'object', properties: { a: { type: 'string' } }, propertyNames: { enum: ['a'] } },
    { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { type: 'object', properties: {}, additionalProperties: false } } },
    { type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
  ]
  it.each(closed.map((schema) => [schema]))('is closed: %j [closed-by-meaning]', (schema) => {
    expect(isClosed(read(schema))).toEqual({ verdict: 'closed' })
  })

  it('names the open place and shows a value with an undeclared property [closed-by-meaning]', () => {
    const open = {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'string' } } } },
      additionalProperties: false,
    }
    expect(isClosed(read({ type: 'object' }))).toMatchObject({ verdict: 'open', pointer: '' })
    expect(isClosed(read(open))).toMatchObject({ verdict: 'open', pointer: '/properties/a' })
  })
})

describe('sample and mutations', () => {
  const { matches } = compileValidator(order)

  it('makes as many different valid values as asked for, edges included, the same ones for a seed [samples-obey]', () => {
    const values = sample(order, 40, 7)
    expect(values).toHaveLength(40)
    expect(values.every(matches)).toBe(true)
    expect(new Set(values.map((value) => JSON.stringify(value))).size).toBe(40)
    expect(sample(order, 40, 7)).toEqual(values)
    const amounts = new Set(values.map((value) => (value as { amount: number }).amount))
    expect(amounts.has(1) && amounts.has(100)).toBe(true)
  })

  it('makes near misses, each labelled with what it breaks [samples-obey]', () => {
    const broken = mutations(order, 60, 7)
    expect(broken).toHaveLength(60)
    expect(broken.some(({ value }) => matches(value))).toBe(false)
    const labels = new Set(broken.map(({ breaks }) => breaks))
    for (const label of ['required', 'additionalProperties', 'type', 'pattern', 'minimum', 'uniqueItems']) {
      expect(labels, label).toContain(label)
    }
    expect(mutations(order, 60, 7)).toEqual(broken)
  })
})
