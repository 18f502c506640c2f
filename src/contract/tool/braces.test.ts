import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { argumentPointer, readBraces } from './braces.ts'

describe('readBraces', () => {
  it('takes text and holes apart, and doubled braces for braces', () => {
    expect(readBraces('a {x} {{b}}{/y/0}')).toEqual({
      ok: true,
      parts: ['a ', { hole: 'x' }, ' {b}', { hole: '/y/0' }],
    })
    expect(readBraces('')).toEqual({ ok: true, parts: [] })
  })

  it.each(['{', '}', 'a {b', 'a b}', '{{}', '{a{b}}'])('refuses %j, which leaves a brace open', (text) => {
    expect(readBraces(text)).toMatchObject({ ok: false, problem: expect.stringContaining('for a brace') })
  })

  it('gives any text back whose braces were doubled', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        const reading = readBraces(text.replaceAll('{', '{{').replaceAll('}', '}}'))
        expect(reading).toEqual({ ok: true, parts: text === '' ? [] : [text] })
      }),
    )
  })
})

describe('argumentPointer', () => {
  it('reads plain names and pointers', () => {
    expect(['x_1', 'größe', '$a.b-c', '/a b/0/~1'].map(argumentPointer)).toEqual([
      '/x_1',
      '/größe',
      '/$a.b-c',
      '/a b/0/~1',
    ])
  })

  it.each(['', 'a b', 'credential:key', 'env:HOME', '/a~2', '1st'])('refuses %j', (hole) => {
    expect(argumentPointer(hole)).toBeUndefined()
  })
})
