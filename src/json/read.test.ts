import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ReadLimits, readJson } from './read.ts'
import type { RefusalCode } from './refusal.ts'

function readOk(text: string, limits?: Partial<ReadLimits>): unknown {
  const reading = readJson(text, limits)
  if (!reading.ok) throw new Error(`refused: ${reading.refusal.code} ${reading.refusal.message}`)
  return reading.value
}

function refusalOf(text: string, limits?: Partial<ReadLimits>) {
  const reading = readJson(text, limits)
  if (reading.ok) throw new Error('was read')
  return reading.refusal
}

/** Any value as JSON.stringify prints it: -0 comes out as 0, and the strings generated here are well-formed. */
const jsonText = fc.jsonValue({ stringUnit: 'binary' }).map((value) => JSON.stringify(value))

describe('readJson', () => {
  it('agrees with JSON.parse on all that JSON.stringify prints, compact or indented', () => {
    fc.assert(
      fc.property(jsonText, fc.constantFrom(0, 1, 2), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent)
        if (hasProtoKey(JSON.parse(text))) expect(refusalOf(spaced).code).toBe('forbidden_key')
        else expect(readOk(spaced)).toEqual(JSON.parse(spaced))
      }),
      { numRuns: 2_000 },
    )
  })

  it('accepts nothing that JSON.parse rejects, and never throws', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '0',
      '.',
      'e',
      '+',
      'true',
      'nul',
      'l',
      ' ',
      '\n',
      '\\',
      'u',
      'd83d',
      "'",
      '/*',
      '\uFEFF',
      '\ud800',
      '\udc00',
      '😀',
      '\u0001',
    ]
    const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
        const reading = readJson(text)
        if (reading.ok) expect(reading.value).toEqual(normalizeZero(JSON.parse(text)))
      }),
      { numRuns: 10_000 },
    )
  })

  it('refuses a valid text that is cut off anywhere, and calls it truncated', () => {
    const text = '{"a":[1.5e+3,true,null,{"b\\u00e9\\n":"x\\ud83d\\ude00"}],"c":-0.25,"d":false}'
    for (let length = 1; length < text.length; length++) {
      expect(refusalOf(text.slice(0, length)).code, text.slice(0, length)).toBe('truncated')
    }
  })

  it('reads bytes that are not JSON without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(typeof readJson(Buffer.from(bytes).toString('latin1')).ok).toBe('boolean')
        expect(typeof readJson(Buffer.from(bytes).toString('utf16le')).ok).toBe('boolean')
      }),
      { numRuns: 5_000 },
    )
  })

  it.each<[text: string, code: RefusalCode, line: number, column: number, pointer: string]>([
    ['', 'empty', 1, 1, ''],
    [' \n\t', 'empty', 2, 2, ''],
    ['{"a":1} x', 'trailing_text', 1, 9, ''],
    ['{}{}', 'trailing_text', 1, 3, ''],
    ['1 2', 'trailing_text', 1, 3, ''],
    ['{"a":1,"a":2}', 'duplicate_key', 1, 8, '/a'],
    ['{"a":1,\n "\\u0061":2}', 'duplicate_key', 2, 2, '/a'],
    ['{"x":[{"toString":1,"toString":2}]}', 'duplicate_key', 1, 21, '/x/0/toString'],
    ['{"":1,"":2}', 'duplicate_key', 1, 7, '/'],
    ['{"a/b":{"~":1,"~":2}}', 'duplicate_key', 1, 15, '/a~1b/~0'],
    ['{"__proto__":1}', 'forbidden_key', 1, 2, '/__proto__'],
    ['[{"a":{"__proto__":{}}}]', 'forbidden_key', 1, 8, '/0/a/__proto__'],
    ['{"_\\u005fproto__":1}', 'forbidden_key', 1, 2, '/__proto__'],
    ['["\ud800"]', 'lone_surrogate', 1, 3, '/0'],
    ['["a\udc00b"]', 'lone_surrogate', 1, 4, '/0'],
    ['["😀\\ud83d"]', 'lone_surrogate', 1, 5, '/0'],
    ['["\\\\ud83d\\ude00"]', 'lone_surrogate', 1, 10, '/0'],
    ['["\\ude00\\ud83d"]', 'lone_surrogate', 1, 3, '/0'],
    ['["\ud83d\\ude00"]', 'lone_surrogate', 1, 3, '/0'],
    ['["\\ud83d\ude00"]', 'lone_surrogate', 1, 3, '/0'],
    ['{"k\\ud800":1}', 'lone_surrogate', 1, 4, ''],
    ['{"a":12345678901234567890}', 'inexact_number', 1, 6, '/a'],
    ['[9007199254740993.0]', 'inexact_number', 1, 2, '/0'],
    ['[0.10000000000000000555]', 'inexact_number', 1, 2, '/0'],
    ['1e400', 'inexact_number', 1, 1, ''],
    ['-1e400', 'inexact_number', 1, 1, ''],
    ['1e-400', 'inexact_number', 1, 1, ''],
    ['4e-324', 'inexact_number', 1, 1, ''],
    ['1e99999999999999999999', 'inexact_number', 1, 1, ''],
    ['9007199254740993', 'inexact_number', 1, 1, ''],
    ['["a\nb"]', 'control_character', 1, 4, '/0'],
    ['["\u0000"]', 'control_character', 1, 3, '/0'],
    ['["\u001f"]', 'control_character', 1, 3, '/0'],
    ['["a long string of text\twith a tab"]', 'control_character', 1, 24, '/0'],
    ['["\\n\u0001"]', 'control_character', 1, 5, '/0'],
    ['["\\x41"]', 'syntax', 1, 3, '/0'],
    ['["\\u12g4"]', 'syntax', 1, 3, '/0'],
    ['["\\\n"]', 'syntax', 1, 3, '/0'],
    ['[1,]', 'syntax', 1, 4, '/1'],
    ['{"a":1,}', 'syntax', 1, 8, ''],
    ['[,1]', 'syntax', 1, 2, '/0'],
    ['[1 2]', 'syntax', 1, 4, ''],
    ['{"a" 1}', 'syntax', 1, 6, ''],
    ['{a:1}', 'syntax', 1, 2, ''],
    ["{'a':1}", 'syntax', 1, 2, ''],
    ['{"a":1 "b":2}', 'syntax', 1, 8, ''],
    ['{"a":}', 'syntax', 1, 6, '/a'],
    ['[1]]', 'trailing_text', 1, 4, ''],
    ['NaN', 'syntax', 1, 1, ''],
    ['[Infinity]', 'syntax', 1, 2, '/0'],
    ['[-Infinity]', 'syntax', 1, 2, '/0'],
    ['undefined', 'syntax', 1, 1, ''],
    ['[True]', 'syntax', 1, 2, '/0'],
    ['// c\n1', 'syntax', 1, 1, ''],
    ['[1 /* c */]', 'syntax', 1, 4, ''],
    ['\uFEFF{}', 'syntax', 1, 1, ''],
    ['\u00a0{}', 'syntax', 1, 1, ''],
    ['```json\n{}\n```', 'syntax', 1, 1, ''],
    ['01', 'syntax', 1, 1, ''],
    ['-01', 'syntax', 1, 1, ''],
    ['+1', 'syntax', 1, 1, ''],
    ['.5', 'syntax', 1, 1, ''],
    ['[1.]', 'syntax', 1, 4, '/0'],
    ['[1.e5]', 'syntax', 1, 4, '/0'],
    ['[1e]', 'syntax', 1, 4, '/0'],
    ['[1e+]', 'syntax', 1, 5, '/0'],
    ['[-]', 'syntax', 1, 3, '/0'],
    ['[-a]', 'syntax', 1, 3, '/0'],
    ['[0x10]', 'syntax', 1, 3, ''],
    ['[1_000]', 'syntax', 1, 3, ''],
    ['nullx', 'trailing_text', 1, 5, ''],
    ['\ud800', 'syntax', 1, 1, ''],
    ['{\r\n  "a": [\r\n    1,\r\n    x\r\n  ]\r\n}', 'syntax', 4, 5, '/a/1'],
  ])('refuses %j as %s at %i:%i', (text, code, line, column, pointer) => {
    const refusal = refusalOf(text)
    expect({ ...refusal, message: undefined }).toEqual({ code, line, column, pointer, message: undefined })
    expect(refusal.message).toMatch(/^[A-Z].*\.$/)
  })

  it('says what to write instead', () => {
    expect(refusalOf('{"id":12345678901234567890}').message).toContain('Write it as a string')
    expect(refusalOf('{"a":1,}').message).toContain('leave that comma out')
    expect(refusalOf("['a']").message).toContain('double quotes')
    expect(refusalOf('[NaN]').message).toContain('write null')
    expect(refusalOf('{"a":1,"a":2}').message).toContain('"a"')
  })

  it('never repeats a value in a refusal', () => {
    const secret = 'sk_live_4242'
    for (const text of [
      `["${secret}`,
      `[${secret}]`,
      `["${secret}\n"]`,
      `["${secret}\\q"]`,
      `{"a":"${secret}" x}`,
      `{"a":1}${secret}`,
    ]) {
      expect(JSON.stringify(refusalOf(text))).not.toContain('sk_')
    }
    expect(refusalOf(`{"${'k'.repeat(500)}":1,"${'k'.repeat(500)}":2}`).message.length).toBeLessThan(120)
  })

  it('reads numbers that a double holds exactly as written', () => {
    const texts = [
      '1.0',
      '1e2',
      '0.1',
      '1E+2',
      '100',
      '9007199254740992',
      '9007199254740993e1',
      '5e-324',
      '1.7976931348623157e308',
      '123456789012345678e-2',
    ]
    const read = texts.map((text) => readJson(text))
    expect(read.map((reading) => (reading.ok ? reading.value : reading.refusal.code))).toEqual([
      1,
      100,
      0.1,
      100,
      100,
      9007199254740992,
      'inexact_number',
      5e-324,
      1.7976931348623157e308,
      'inexact_number',
    ])
    expect(readOk('1e23')).toBe(1e23)
    expect(readOk('12345678901234567000')).toBe(12345678901234567000)
    expect(readOk(`0.${'0'.repeat(1_000)}1e1001`)).toBe(1)
    expect(readOk(`1${'0'.repeat(300)}`)).toBe(1e300)
    expect(readOk('1e0000000000000000000000002')).toBe(100)
  })

  it.each(['-0', '-0.0', '-0e5', '-0.000E-3', '-0.00000000000000000000', '0e999999999999999999999'])(
    'reads %s as zero',
    (text) => {
      expect(Object.is(readOk(text), 0)).toBe(true)
    },
  )

  it('keeps names that objects inherit as ordinary own keys', () => {
    const value = readOk('{"toString":1,"constructor":{"prototype":2},"hasOwnProperty":null,"valueOf":[]}')
    expect(Object.entries(value as object)).toEqual([
      ['toString', 1],
      ['constructor', { prototype: 2 }],
      ['hasOwnProperty', null],
      ['valueOf', []],
    ])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('does not normalize Unicode: two spellings of one letter are two keys', () => {
    expect(Object.keys(readOk('{"\u00e9":1,"e\u0301":2}') as object)).toHaveLength(2)
  })

  it('counts the size in UTF-8 bytes', () => {
    expect(readOk('"éé"', { maxBytes: 6, maxDepth: 1 })).toBe('éé')
    expect(refusalOf('"éé"', { maxBytes: 5, maxDepth: 1 })).toMatchObject({
      code: 'too_large',
      line: 1,
      column: 1,
      pointer: '',
    })
    expect(refusalOf('"😀"', { maxBytes: 5, maxDepth: 1 }).code).toBe('too_large')
    expect(readOk('"😀"', { maxBytes: 6, maxDepth: 1 })).toBe('😀')
  })

  it('counts arrays and objects inside one another', () => {
    const limits = { maxBytes: 100, maxDepth: 2 }
    expect(readOk('[{}]', limits)).toEqual([{}])
    expect(refusalOf('[{"a":[]}]', limits)).toMatchObject({ code: 'too_deep', column: 7, pointer: '/0/a' })
    expect(readOk(`${'['.repeat(128)}${']'.repeat(128)}`)).toBeDefined()
    expect(refusalOf('['.repeat(129)).code).toBe('too_deep')
  })

  it('holds the stack at any depth that a caller allows', () => {
    const limits = { maxBytes: 10_000_000, maxDepth: Number.POSITIVE_INFINITY }
    expect(refusalOf('['.repeat(1_000_000), limits).code).toBe('too_deep')
    expect(refusalOf('{"a":'.repeat(1_000_000), limits).code).toBe('too_deep')
    expect(readOk(`${'['.repeat(1_000)}${']'.repeat(1_000)}`, limits)).toBeDefined()
  })

  it('answers hostile texts of a mebibyte quickly', () => {
    const size = 1_000_000
    const many = Array.from({ length: 60_000 }, (_, index) => `"k${index}":${index % 10}`).join(',')
    const texts = [
      '['.repeat(10 * size),
      '9'.repeat(size),
      `0.${'0'.repeat(size)}1`,
      `1e${'9'.repeat(size)}`,
      `"${'\\n'.repeat(size / 2)}"`,
      `"${'\\ud83d\\ude00'.repeat(80_000)}\\ud83d"`,
      `"${'\\'.repeat(size)}`,
      `{${many}}`,
      ' '.repeat(size),
      '\n'.repeat(size),
      `[${'0,'.repeat(size / 2)}`,
    ]
    for (const text of texts) {
      const start = performance.now()
      readJson(text)
      expect(performance.now() - start, text.slice(0, 20)).toBeLessThan(1_000)
    }
  })

  it('refuses more values than allowed, however small they are', () => {
    const many = `[${'{},'.repeat(20_000)}{}]`
    expect(readJson(many)).toMatchObject({ ok: false, refusal: { code: 'too_many' } })
    expect(readJson('[1,2]', { maxValues: 2 })).toMatchObject({
      ok: false,
      refusal: { code: 'too_many', pointer: '/1' },
    })
    expect(readJson('[1,2]', { maxValues: 3 })).toMatchObject({ ok: true })
  })
})

function normalizeZero(value: unknown): unknown {
  if (Object.is(value, -0)) return 0
  if (Array.isArray(value)) return value.map(normalizeZero)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, normalizeZero(member)]))
}

function hasProtoKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProtoKey)
}
