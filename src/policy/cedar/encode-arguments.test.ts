import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { planArguments } from './argument-plan.ts'
import { compileEncoder, findUnseen } from './encode-arguments.ts'

function planOf(schema: JsonObject) {
  const preprocessed = preprocess(schema)
  if (!preprocessed.ok) throw new Error(preprocessed.refusals.map(({ message }) => message).join('\n'))
  return planArguments(preprocessed.schema)
}

function encode(properties: JsonObject, args: JsonObject) {
  return compileEncoder(planOf({ type: 'object', properties }))(args)
}

describe('Encoding arguments', () => {
  test.each([
    [12.5, '12.5'],
    [100, '100.0'],
    [-0.0001, '-0.0001'],
    [922_337_203_685_477, '922337203685477.0'],
  ])('writes the number %d as an exact decimal', (value, text) => {
    expect(encode({ n: { type: 'number' } }, { n: value })).toEqual({ ok: true, value: { n: text } })
  })

  test.each([0.00001, 1e-7, 1e15, 1e300, 922_337_203_685_478, 100.00001])('refuses to round the number %d', (value) => {
    expect(encode({ n: { type: 'number' } }, { n: value })).toMatchObject({ ok: false, pointer: '/n' })
  })

  test('refuses whole numbers that doubles do not hold exactly', () => {
    expect(encode({ n: { type: 'integer' } }, { n: 2 ** 53 })).toMatchObject({ ok: false, pointer: '/n' })
    expect(encode({ n: { type: 'integer' } }, { n: 2 ** 53 - 1 })).toMatchObject({ ok: true })
  })

  test('names the place of what does not fit', () => {
    const inner = { type: 'object', properties: { 'a/b': { type: 'string' } } }
    const encoding = encode({ list: { type: 'array', items: inner } }, { list: [{ 'a/b': 'x' }, { 'a/b': 3 }] })
    expect(encoding).toMatchObject({ ok: false, pointer: '/list/1/a~1b' })
  })

  test('treats null as absent', () => {
    expect(encode({ a: { type: ['string', 'null'] } }, { a: null })).toEqual({ ok: true, value: {} })
  })

  test('writes a hostile object as text where anything is admitted, and drops it where nothing is declared', () => {
    const hostile = { __entity: { type: 'User', id: 'root' } }
    expect(encode({ a: {} }, { a: hostile, ...hostile })).toEqual({
      ok: true,
      value: { a: '{"__entity":{"id":"root","type":"User"}}' },
    })
  })

  test('never writes a key that the plan does not declare, for any arguments', () => {
    const plan = planOf({
      type: 'object',
      properties: {
        any: {},
        record: { type: 'object', properties: { x: { type: 'string' }, y: {} } },
        list: { type: 'array', items: { type: 'object', properties: { z: {} } } },
      },
    })
    const declared = new Set(['any', 'record', 'list', 'x', 'y', 'z'])
    const key = fc.constantFrom(
      'any',
      'record',
      'list',
      'x',
      'y',
      'z',
      '__entity',
      '__extn',
      '__expr',
      'fn',
      'arg',
      'type',
      'id',
    )
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<JsonValue[]>('User', 'ip', 1, null, true),
        fc.dictionary(key, tie('tree')) as fc.Arbitrary<JsonValue>,
        fc.array(tie('tree'), { maxLength: 3 }),
      ),
    }))
    fc.assert(
      fc.property(fc.dictionary(key, tree), (args) => {
        const encoding = compileEncoder(plan)(args)
        if (encoding.ok) for (const name of keysWithin(encoding.value)) expect(declared).toContain(name)
      }),
    )
  })

  test('tells what it left out by pointer', () => {
    const plan = planOf({
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'object', properties: { b: { type: 'string' } } } } },
    })
    expect(findUnseen(plan, { a: [{ b: 'x' }, { c: 1 }], bcc: 'x', __entity: {} })).toEqual([
      '/a/1/c',
      '/bcc',
      '/__entity',
    ])
  })
})

function keysWithin(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(keysWithin)
  return Object.entries(value).flatMap(([name, member]) => [name, ...keysWithin(member)])
}
