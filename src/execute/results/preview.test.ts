import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { previewOf } from './preview.ts'

describe('a preview', () => {
  it('is the whole text where that fits', () => {
    expect(previewOf({ a: 1 }, 100)).toBe('{"a":1}')
    expect(previewOf('text', 4)).toBe('text')
  })

  it.each([
    ['a pair', '\u{1f600}\u{1f600}', 5, '\u{1f600}'],
    ['a character of several bytes', 'äöü', 3, 'ä'],
    ['a letter and its mark', 'ae\u0301o', 3, 'a'],
    ['a family of pictures', 'a\u{1f468}\u200d\u{1f469}', 6, 'a'],
  ])('never cuts through %s', (_, text, bytes, shown) => {
    expect(previewOf(text, bytes)).toBe(shown)
  })

  it('never cuts through an escape of its JSON text', () => {
    const value = ['a\u0001b"c\\d\n']
    for (let bytes = 0; bytes < 30; bytes++) {
      const head = previewOf(value, bytes)
      expect(/(?:^|[^\\])(?:\\\\)*\\(?:u[0-9a-f]{0,3})?$/.test(head)).toBe(false)
    }
  })

  it('is well-formed, a beginning of the text, and no longer than it may be', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, bytes) => {
        fc.pre(text.isWellFormed())
        const head = previewOf(text, bytes)
        expect(head.isWellFormed() && text.startsWith(head)).toBe(true)
        expect(Buffer.byteLength(head)).toBeLessThanOrEqual(bytes)
      }),
    )
  })
})
