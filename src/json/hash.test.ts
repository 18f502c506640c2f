import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashFields, hashJson, sha256 } from './hash.ts'

describe('sha256', () => {
  it('hashes text as UTF-8, and bytes as they are', () => {
    expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(sha256('é😀')).toBe(createHash('sha256').update('é😀', 'utf8').digest('hex'))
    expect(sha256(new TextEncoder().encode('é😀'))).toBe(sha256('é😀'))
  })
})

describe('hashJson', () => {
  it('depends on the value and not on the order of keys [TC-179]', () => {
    expect(hashJson({ b: 1, a: [2] })).toBe(hashJson({ a: [2], b: 1 }))
    expect(hashJson({ b: 1, a: [2] })).toBe(sha256('{"a":[2],"b":1}'))
    expect(hashJson(1)).not.toBe(hashJson('1'))
  })
})

describe('hashFields', () => {
  it('keeps apart fields that would concatenate to one text [TC-158]', () => {
    const digests = [
      hashFields('d', ['ab', 'c']),
      hashFields('d', ['a', 'bc']),
      hashFields('d', ['abc']),
      hashFields('d', ['abc', '']),
      hashFields('d', ['abc', null]),
      hashFields('d', ['abc', 'null']),
      hashFields('dabc', []),
      hashFields('d","a', ['bc']),
    ]
    expect(new Set(digests).size).toBe(digests.length)
  })

  it('is the same only for the same domain and fields, also with text that is no Unicode', () => {
    const tuple = fc.array(fc.option(fc.constantFrom('', 'a', '"', '","', '\ud800', '\ud801', '\ufffd', '\\ud800')), {
      minLength: 1,
      maxLength: 3,
    })
    fc.assert(
      fc.property(tuple, tuple, (a, b) => {
        const same = a.length === b.length && a.every((field, index) => field === b[index])
        expect(hashFields('slot', a) === hashFields('slot', b)).toBe(same)
      }),
      { numRuns: 2_000 },
    )
  })
})
