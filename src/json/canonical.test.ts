import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize } from './canonical.ts'
import { readJson } from './read.ts'
import type { JsonValue } from './value.ts'

// Well-formed values without "__proto__", and without -0, which equals 0 in JSON.
const json = fc
  .jsonValue({ stringUnit: 'binary' })
  .map((value) => JSON.stringify(value))
  .filter((text) => !text.includes('"__proto__"'))
  .map((text) => JSON.parse(text) as JsonValue)

describe('canonicalize', () => {
  it('orders keys by UTF-16 code units, which is not the order of code points', () => {
    const value = { '\ufb33': 1, '😀': 2, '\u20ac': 3, '\r': 4, '1': 5, '\u0080': 6, ö: 7 }
    expect(canonicalize(value)).toBe('{"\\r":4,"1":5,"\u0080":6,"ö":7,"€":3,"😀":2,"\ufb33":1}')
  })

  it('orders keys that look like numbers as text', () => {
    expect(canonicalize({ 9: 'a', 10: 'b', 1: 'c', '01': 'd', '': 'e', '-1': 'f' })).toBe(
      '{"":"e","-1":"f","01":"d","1":"c","10":"b","9":"a"}',
    )
  })

  it('orders nested objects and keeps the order of arrays', () => {
    expect(canonicalize({ b: [{ d: 1, c: 2 }, 3, []], a: {} })).toBe('{"a":{},"b":[{"c":2,"d":1},3,[]]}')
  })

  it.each<[number, string]>([
    [0, '0'],
    [-0, '0'],
    [1, '1'],
    [-1.5, '-1.5'],
    [1e21, '1e+21'],
    [1e20, '100000000000000000000'],
    [123456789012345680000, '123456789012345680000'],
    [1e-6, '0.000001'],
    [1e-7, '1e-7'],
    [5e-324, '5e-324'],
    [-5e-324, '-5e-324'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [9007199254740992, '9007199254740992'],
    [0.1 + 0.2, '0.30000000000000004'],
    [333333333.3333333, '333333333.3333333'],
  ])('prints the number %d as %s', (value, text) => {
    expect(canonicalize(value)).toBe(text)
  })

  it('escapes what must be escaped and nothing else', () => {
    expect(canonicalize('\u0000\b\t\n\v\f\r\u001f"\\/\u007f\u2028€😀')).toBe(
      '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\"\\\\/\u007f\u2028€😀"',
    )
    expect(canonicalize(`${'x'.repeat(60)}"\n`)).toBe(`"${'x'.repeat(60)}\\"\\n"`)
    expect(canonicalize([true, false, null, ''])).toBe('[true,false,null,""]')
  })

  it('is the text of the same value, and is its own canonical form', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalize(value)
        const reading = readJson(text)
        expect(reading).toEqual({ ok: true, value: JSON.parse(text) })
        expect(JSON.parse(text)).toEqual(value)
        expect(reading.ok && canonicalize(reading.value)).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  it('orders few keys and many as the engine compares texts', () => {
    const names = fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 40 })
    fc.assert(
      fc.property(names, (keys) => {
        const object = Object.fromEntries(keys.map((key) => [`k${key}`, 1]))
        const ordered = Object.keys(object).sort()
        expect(canonicalize(object)).toBe(`{${ordered.map((key) => `${JSON.stringify(key)}:1`).join(',')}}`)
      }),
      { numRuns: 1_000 },
    )
  })

  it('does not depend on the order in which keys were written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer(), { noNullPrototype: true }), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse())
        expect(canonicalize(reversed)).toBe(canonicalize(object))
      }),
    )
  })

  it('never gives two different values one text [different-values-different-hashes]', () => {
    const leaf = fc.constantFrom<JsonValue>(
      0,
      1,
      -1,
      '0',
      '1',
      '',
      null,
      'null',
      true,
      'true',
      [],
      {},
      [[]],
      '[]',
      ',',
      '"',
      '\\"',
      '\ud800',
      '\\ud800',
    )
    const small = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('', 'a', 'b', '0', ','), leaf, { maxKeys: 2, noNullPrototype: true }),
    )
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(canonicalize(a) === canonicalize(b)).toBe(isEqual(a, b))
      }),
      { numRuns: 20_000 },
    )
  })

  it('throws on what is no JSON value', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, undefined, 1n, () => 1, { a: undefined }, [undefined]]) {
      expect(() => canonicalize(value as JsonValue)).toThrow(TypeError)
    }
  })
})

function isEqual(a: JsonValue, b: JsonValue): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = Object.entries(a)
  const right = new Map(Object.entries(b))
  return (
    left.length === right.size && left.every(([key, value]) => right.has(key) && isEqual(value, right.get(key) ?? null))
  )
}
