import { createContext, runInContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize } from './canonical.ts'
import { type CopyOptions, copyParsed } from './copy.ts'
import type { RefusalCode } from './refusal.ts'
import type { JsonValue } from './value.ts'

function refusalOf(value: unknown, options?: CopyOptions) {
  const copying = copyParsed(value, options)
  if (copying.ok) throw new Error('was copied')
  return copying.refusal
}

function copyOf(value: unknown, options?: CopyOptions): JsonValue {
  const copying = copyParsed(value, options)
  if (!copying.ok) throw new Error(`refused: ${copying.refusal.code} at ${copying.refusal.pointer}`)
  return copying.value
}

function throwing(): never {
  throw new Error('secret')
}

describe('copyParsed', () => {
  it('gives an equal value and its canonical text for all that JSON.parse returns', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (original) => {
        const text = JSON.stringify(original)
        fc.pre(!text.includes('"__proto__"'))
        const value = JSON.parse(text) as JsonValue
        expect(copyParsed(value)).toEqual({ ok: true, value, canonical: canonicalize(value) })
      }),
      { numRuns: 1_000 },
    )
  })

  it('reads every property once, and keeps what it read', () => {
    let reads = 0
    const value = {
      get amount() {
        return ++reads
      },
    }
    expect(copyParsed(value)).toEqual({ ok: true, value: { amount: 1 }, canonical: '{"amount":1}' })
    expect(reads).toBe(1)
  })

  it('does not share structure with the original', () => {
    const original = { list: [{ a: 1 }] }
    const copy = copyOf(original)
    original.list[0] = { a: 2 }
    expect(copy).toEqual({ list: [{ a: 1 }] })
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })

  it('leaves out members that are undefined, symbol keys and hidden members, and turns -0 into 0', () => {
    const value = { a: undefined, b: -0, [Symbol('c')]: 1 }
    Object.defineProperty(value, 'hidden', { value: 1, enumerable: false })
    expect(copyParsed(value)).toEqual({ ok: true, value: { b: 0 }, canonical: '{"b":0}' })
  })

  it('keeps names that objects inherit', () => {
    expect(Object.entries(copyOf({ toString: 1, constructor: 2 }) ?? {})).toEqual([
      ['constructor', 2],
      ['toString', 1],
    ])
  })

  it('accepts objects without a prototype and objects of another realm', () => {
    expect(copyOf(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 })
    expect(copyOf(runInContext('({ a: [1, { b: null }] })', createContext()))).toEqual({ a: [1, { b: null }] })
  })

  const cyclic: Record<string, unknown> = { a: {} }
  cyclic.a = { b: [cyclic] }
  const sparse = [1]
  sparse[2] = 3
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()

  it.each<[what: string, value: unknown, code: RefusalCode, pointer: string]>([
    ['NaN', { a: [Number.NaN] }, 'not_finite', '/a/0'],
    ['Infinity', Number.NEGATIVE_INFINITY, 'not_finite', ''],
    ['a bigint', { id: 1n }, 'not_json', '/id'],
    ['a function', { f: () => 1 }, 'not_json', '/f'],
    ['a symbol', [Symbol('s')], 'not_json', '/0'],
    ['undefined itself', undefined, 'not_json', ''],
    ['undefined in an array', [1, undefined], 'not_json', '/1'],
    ['a hole in an array', sparse, 'sparse_array', '/1'],
    ['an immense empty array', new Array(4_000_000_000), 'sparse_array', '/0'],
    ['a cycle', cyclic, 'cycle', '/a/b/0'],
    ['a raw lone surrogate', { a: 'x\ud800' }, 'lone_surrogate', '/a'],
    ['a lone surrogate in a key', { 'k\udc00': 1 }, 'lone_surrogate', '/k\ufffd'],
    ['an own key __proto__', JSON.parse('{"a/b":{"__proto__":1}}'), 'forbidden_key', '/a~1b/__proto__'],
    ['a Map', { m: new Map() }, 'class_instance', '/m'],
    ['a Set', new Set(), 'class_instance', ''],
    ['a Date', { at: new Date(0) }, 'class_instance', '/at'],
    ['a Buffer', Buffer.from('x'), 'class_instance', ''],
    ['a boxed number', [Object(1)], 'class_instance', '/0'],
    ['an object with a foreign prototype', Object.create({ a: 1 }), 'class_instance', ''],
    ['a plain object with toJSON', { toJSON: () => 1 }, 'not_json', '/toJSON'],
    ['a proxy', { p: new Proxy({}, {}) }, 'unreadable', '/p'],
    ['a revoked proxy', [revoked.proxy], 'unreadable', '/0'],
    [
      'a getter that throws',
      {
        get a() {
          return throwing()
        },
      },
      'unreadable',
      '/a',
    ],
    ['a prototype that throws', Object.create(new Proxy({}, { getPrototypeOf: throwing })), 'unreadable', ''],
  ])('refuses %s', (_what, value, code, pointer) => {
    const refusal = refusalOf(value)
    expect({ code: refusal.code, pointer: refusal.pointer }).toEqual({ code, pointer })
    expect(refusal.message).not.toContain('secret')
  })

  it('accepts the same object in two places, but not so often that the text exceeds its limit', () => {
    const shared = { a: 1 }
    expect(copyOf([shared, shared])).toEqual([shared, shared])
    let bomb: unknown = 'x'
    for (let level = 0; level < 100; level++) bomb = [bomb, bomb]
    expect(refusalOf(bomb).code).toBe('too_many')
    expect(refusalOf(bomb, { maxValues: Number.POSITIVE_INFINITY }).code).toBe('too_large')
  })

  it('judges size by the bytes of the canonical text and depth by nesting', () => {
    expect(copyOf({ a: 'é' }, { maxBytes: 10 })).toEqual({ a: 'é' })
    expect(refusalOf({ a: 'é' }, { maxBytes: 9 }).code).toBe('too_large')
    expect(copyOf([[1]], { maxDepth: 2 })).toEqual([[1]])
    expect(refusalOf([[[1]]], { maxDepth: 2 })).toMatchObject({ code: 'too_deep', pointer: '/0/0' })
    expect(refusalOf('x'.repeat(2_000_000)).code).toBe('too_large')
    const flat = [[], [], [], []]
    expect(copyOf(flat, { maxBytes: 13 })).toEqual(flat)
  })

  it('holds the stack at any depth that a caller allows', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = { a: deep }
    expect(refusalOf(deep, { maxDepth: Number.POSITIVE_INFINITY }).code).toBe('too_deep')
  })

  describe('with toJson', () => {
    it('asks toJSON once, with the key, and copies the answer', () => {
      const value = { at: new Date(0), point: { x: 1, toJSON: (key: string) => ({ key, toJSON: 'kept' }) } }
      expect(copyOf(value, { toJson: true })).toEqual({
        at: '1970-01-01T00:00:00.000Z',
        point: { key: 'point', toJSON: 'kept' },
      })
    })

    it('reads through proxies that behave', () => {
      expect(copyOf(new Proxy({ a: [1] }, {}), { toJson: true })).toEqual({ a: [1] })
    })

    it.each<[what: string, value: unknown, code: RefusalCode]>([
      ['a class instance without toJSON', new Map(), 'class_instance'],
      ['toJSON that throws', { toJSON: throwing }, 'unreadable'],
      ['toJSON that gives undefined', { toJSON: () => undefined }, 'not_json'],
      ['a revoked proxy', revoked.proxy, 'unreadable'],
      ['a proxy whose traps throw', new Proxy({}, { ownKeys: throwing }), 'unreadable'],
      [
        'an array proxy without end',
        new Proxy([], {
          get: (_target, key) => (key === 'length' ? Number.POSITIVE_INFINITY : key === 'toJSON' ? undefined : 0),
        }),
        'too_many',
      ],
    ])('refuses %s', (_what, value, code) => {
      expect(refusalOf(value, { toJson: true }).code).toBe(code)
    })
  })
})
