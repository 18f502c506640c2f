import { assert, constantFrom, integer, json, property, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ParseOptions, parseInSteps, Unparsed } from './parse-in-steps.ts'
import { inOneGo } from './slices.ts'

/** Also a short text in steps. */
const read = (text: string, options: ParseOptions = {}) => {
  try {
    return { value: inOneGo(parseInSteps(text, options, 0)) }
  } catch (error) {
    if (error instanceof Unparsed) return error.reason
    throw error
  }
}
const readAtOnce = (text: string) => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return 'syntax'
  }
}

describe('JSON that is read in steps', () => {
  it.each([
    ' {"a" : [1, -2.5e3, true, false, null, "x\\n\\u00e9\\"", {}, []], "a": 2} ',
    '{"__proto__": {"x": 1}, "constructor": 1}',
    '["\\\\", "\\\\\\"", ""]',
    '1',
    '-0',
    '"text"',
    '',
    ' ',
    '[',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '{"a":1,}',
    '{"a"}',
    '{a:1}',
    '{"a":1 "b":2}',
    '[1 2]',
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    'nul',
    'nulll',
    '"\u0001"',
    '"\\x"',
    '"unended',
    '"ended by no mark\\"',
    '[]]',
    '[}',
    '{]',
    '1 1',
    '\u00a01',
    '\ufeff1',
    'NaN',
  ])('is what JSON.parse gives: %j', (text) => {
    expect(read(text)).toEqual(readAtOnce(text))
  })

  it('is what JSON.parse gives, for every text, also one that was damaged', () => {
    const damage = tuple(
      integer({ min: 0, max: 10_000 }),
      constantFrom('', ',', '"', '\\', '{', '}', '[', ']', ':', ' ', '1', 'e', '\n'),
    )
    assert(
      property(json(), damage, (text, [place, put]) => {
        const at = place % (text.length + 1)
        for (const one of [
          text,
          text.slice(0, at) + put + text.slice(at + 1),
          text.slice(0, at) + put + text.slice(at),
        ])
          expect(read(one)).toEqual(readAtOnce(one))
      }),
      { numRuns: 2_000 },
    )
  })

  it('keeps integers that a number cannot hold as texts, where that is asked', () => {
    const text = '[12345678901234567890, -9007199254740993, 9007199254740991, 1.5, 1e300, 0.12345678901234567890]'
    expect(read(text, { exact: true })).toEqual({
      value: [
        '12345678901234567890',
        '-9007199254740993',
        9007199254740991,
        1.5,
        1e300,
        Number('0.12345678901234567890'),
      ],
    })
  })

  it('has no object of more members than are allowed; a list may be longer', () => {
    expect(read('{"a":1,"b":2,"c":[1,2,3,4]}', { mostMembers: 3 })).toEqual({ value: { a: 1, b: 2, c: [1, 2, 3, 4] } })
    expect(read('[{"a":1,"b":2,"c":3}]', { mostMembers: 2 })).toBe('too_many_members')
  })

  it('may be nested as deeply as it likes', () => {
    expect(read(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toHaveProperty('value')
  })
})
