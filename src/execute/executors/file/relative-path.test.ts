// A path that a model wrote is taken in one spelling or not at all.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRelativePath } from './relative-path.ts'

const rules = { hidden: '.trash' }
const reasonOf = (path: unknown) => {
  const reading = readRelativePath(path, rules)
  return reading.ok ? 'taken' : reading.reason
}

describe('a path', () => {
  it.each([
    ['..', 'sandbox_violation'],
    ['../secret', 'sandbox_violation'],
    ['a/../../secret', 'sandbox_violation'],
    ['a/..', 'sandbox_violation'],
    ['/etc/passwd', 'sandbox_violation'],
    ['//etc/passwd', 'sandbox_violation'],
    ['..\\secret', 'sandbox_violation'],
    ['C:\\secret', 'sandbox_violation'],
    ['a\0.txt', 'sandbox_violation'],
    ['a\nb', 'sandbox_violation'],
    ['invoice\u202efdp.exe', 'sandbox_violation'],
    ['\ud800', 'sandbox_violation'],
    ['.trash', 'sandbox_violation'],
    ['.trash/x', 'sandbox_violation'],
    ['.TRASH/x', 'sandbox_violation'],
    ['.trash./x', 'sandbox_violation'],
    ['.ｔｒａｓｈ/x', 'sandbox_violation'],
    ['./a', 'invalid_arguments'],
    ['a//b', 'invalid_arguments'],
    ['a/', 'invalid_arguments'],
    ['.', 'invalid_arguments'],
    ['', 'invalid_arguments'],
    ['cafe\u0301', 'invalid_arguments'],
    ['x'.repeat(256), 'invalid_arguments'],
    ['x/'.repeat(600), 'invalid_arguments'],
    [7, 'invalid_arguments'],
    [null, 'invalid_arguments'],
  ])('such as %j is refused', (path, reason) => {
    expect(reasonOf(path)).toBe(reason)
  })

  it.each(['a', 'a/b.txt', '...', '..a', 'a..', '%2e%2e/x', '~/x', 'café', '日本/語', 'a b', '-rf', '.hidden'])(
    'such as %j is a plain name',
    (path) => {
      expect(reasonOf(path)).toBe('taken')
    },
  )

  it('that is taken stays below the root, with any characters in it', () => {
    const piece = fc.constantFrom('..', '.', '', 'a', '.trash', '\\', '%2e', '\u2024', 'é', ' ')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const reading = readRelativePath(pieces.join('/'), rules)
        if (reading.ok) expect(new URL(`file:///base/${encodeURI(pieces.join('/'))}`).pathname).toMatch(/^\/base\/./)
      }),
    )
  })
})
