import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../json/value.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { type Plan, planArguments } from './argument-plan.ts'

function shapeOf(schema: JsonObject): unknown {
  const preprocessed = preprocess(schema)
  if (!preprocessed.ok) throw new Error(preprocessed.refusals.map(({ message }) => message).join('\n'))
  return shape(planArguments(preprocessed.schema))
}

function shape(plan: Plan): unknown {
  if (plan.kind === 'set') return [shape(plan.element)]
  if (plan.kind !== 'record') return plan.kind
  return Object.fromEntries(
    [...plan.attributes].map(([name, { plan: inner, required }]) => [required ? name : `${name}?`, shape(inner)]),
  )
}

const properties = (of: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties: of, ...more })

describe('The Cedar type of an argument', () => {
  test('follows from the declared type', () => {
    const schema = properties(
      {
        a: { type: 'string' },
        b: { type: 'integer' },
        c: { type: 'number' },
        d: { type: 'boolean' },
        e: { type: 'array', items: { type: 'string' } },
        f: properties({ g: { enum: ['x', 'y'] } }, { required: ['g'] }),
        h: { type: 'number', multipleOf: 1 },
        i: { const: 7 },
      },
      { required: ['a', 'f'] },
    )
    expect(shapeOf(schema)).toEqual({
      a: 'string',
      'b?': 'long',
      'c?': 'decimal',
      'd?': 'boolean',
      'e?': ['string'],
      f: { g: 'string' },
      'h?': 'long',
      'i?': 'long',
    })
  })

  test('is text where there is no one type', () => {
    const schema = properties({
      union: { type: ['string', 'integer'] },
      anything: {},
      map: { type: 'object', additionalProperties: { type: 'string' } },
      tuple: { type: 'array', prefixItems: [{ type: 'string' }] },
      list: { type: 'array' },
      nullable: { type: 'array', items: { type: ['string', 'null'] } },
    })
    expect(shapeOf(schema)).toEqual({
      'union?': 'text',
      'anything?': 'text',
      'map?': 'text',
      'tuple?': 'text',
      'list?': 'text',
      'nullable?': 'text',
    })
  })

  test('leaves an attribute optional where it may be null, required or not', () => {
    const schema = properties({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, { required: ['a'] })
    expect(shapeOf(schema)).toEqual({ 'a?': 'string' })
  })

  test('joins what references, compositions and branches declare', () => {
    const schema = properties(
      { base: { $ref: '#/$defs/money' } },
      {
        $defs: { money: properties({ amount: { type: 'integer' } }, { required: ['amount'] }) },
        allOf: [properties({ both: { type: 'string' } })],
        oneOf: [
          properties({ kind: { const: 'card' }, number: { type: 'string' } }),
          properties({ kind: { const: 'bank' }, number: { type: 'integer' }, iban: { type: 'string' } }),
        ],
      },
    )
    expect(shapeOf(schema)).toEqual({
      'base?': { amount: 'long' },
      'both?': 'string',
      'kind?': 'string',
      'number?': 'text',
      'iban?': 'string',
    })
  })

  test('ends at recursion', () => {
    const schema = properties({ next: { $ref: '#' }, name: { type: 'string' } })
    expect(shapeOf(schema)).toEqual({ 'next?': 'text', 'name?': 'string' })
  })

  test('ends where references multiply', () => {
    const defs: Record<string, JsonObject> = { d30: { type: 'string' } }
    for (let index = 0; index < 30; index++) {
      const next = { $ref: `#/$defs/d${index + 1}` }
      defs[`d${index}`] = properties({ a: next, b: next })
    }
    const started = performance.now()
    shapeOf(properties({ root: { $ref: '#/$defs/d0' } }, { $defs: defs }))
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('is never given to a name that Cedar reads as an entity or an extension', () => {
    const schema = properties({
      __entity: { type: 'string' },
      __extn: properties({ fn: { type: 'string' } }),
      ok: { type: 'string' },
    })
    expect(shapeOf(schema)).toEqual({ 'ok?': 'string' })
  })
})
