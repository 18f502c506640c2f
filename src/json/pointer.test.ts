import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { appendPointer, escapeToken, fieldPath, isPointer, readPointer, tokensOf } from './pointer.ts'

describe('pointers', () => {
  it('survive escaping and splitting, with any tokens', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('~', '/', '~1', '~0', '~01', ''))), (tokens) => {
        const pointer = tokens.reduce(appendPointer, '')
        expect(isPointer(pointer)).toBe(true)
        expect(tokensOf(pointer)).toEqual(tokens)
      }),
    )
    expect(escapeToken('a~/b')).toBe('a~0~1b')
    expect(appendPointer('/a', 0)).toBe('/a/0')
  })

  it('are recognized, and anything else is a bug where tokens are asked for', () => {
    expect(['', '/', '/a//b', '/~0~1'].every(isPointer)).toBe(true)
    for (const text of ['a', '#/a', '/~', '/~2', ' /a']) {
      expect(isPointer(text)).toBe(false)
      expect(() => tokensOf(text)).toThrow(RangeError)
    }
  })
})

describe('readPointer', () => {
  const value = { a: [{ 'x/y': 1, '~': 2 }, null], '': { '': 3 }, '0': 'zero' }

  it.each<[string, unknown]>([
    ['', value],
    ['/a/0/x~1y', 1],
    ['/a/0/~0', 2],
    ['/a/1', null],
    ['//', 3],
    ['/0', 'zero'],
    ['/a/2', undefined],
    ['/a/-', undefined],
    ['/a/00', undefined],
    ['/a/length', undefined],
    ['/a/1/b', undefined],
    ['/toString', undefined],
    ['/__proto__', undefined],
    ['/0/length', undefined],
  ])('reads %j', (pointer, expected) => {
    expect(readPointer(value, pointer)).toEqual(expected)
  })
})

describe('fieldPath', () => {
  it.each([
    ['', '$'],
    ['/topIssues/0/severity', 'topIssues[0].severity'],
    ['/0/a', '[0].a'],
    ['/a.b/c', '["a.b"].c'],
    ['/a/top-issues', 'a["top-issues"]'],
    ['/a~1b', '["a/b"]'],
    ['/', '[""]'],
    ['/$', '["$"]'],
    ['/größe/01', 'größe["01"]'],
  ])('shows %j as %s', (pointer, path) => {
    expect(fieldPath(pointer)).toBe(path)
  })

  it('takes numbers in a list of tokens for indexes and texts for keys', () => {
    expect(fieldPath(['a', 0, 'b'])).toBe('a[0].b')
    expect(fieldPath(['a', '0', 'b'])).toBe('a["0"].b')
    expect(fieldPath([])).toBe('$')
  })
})
