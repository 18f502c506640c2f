import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { compileOne, form } from '../../../../test/policy/rule-fixture.ts'
import { nativeTest } from './matches-function.ts'

const atoms = [
  'a',
  'b',
  '-',
  '\\.',
  '\\d',
  '\\w',
  '[ab]',
  '[^a]',
  '[a-c_.]',
  '[^\\d-]',
  '\\W',
  '\\b',
  '$',
  '^',
  '\\$',
  'é',
  '(?:ab|c)',
  '(a|b)',
]
const atom = fc
  .tuple(fc.constantFrom(...atoms), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}'))
  .map((parts) => parts.join(''))
const branch = fc.array(atom, { maxLength: 5 }).map((parts) => parts.join(''))
const pattern = fc.oneof(
  branch,
  fc.tuple(branch, branch).map((parts) => parts.join('|')),
  branch.map((one) => `^${one}$`),
)
const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '-', '.', '1', '_', '$', 'é', '\n', '\r', '\u2028', '😀', ' '), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''))

describe('matches', () => {
  it('means the same on the built-in engine as on RE2, wherever the built-in engine is used', () => {
    let compared = 0
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
        const native = nativeTest(source)
        if (native === undefined) return
        const program = RE2JS.compile(source)
        compared++
        for (const one of texts) expect(native.test(one), `${source} on ${JSON.stringify(one)}`).toBe(program.test(one))
      }),
      { numRuns: 4_000 },
    )
    expect(compared).toBeGreaterThan(500)
  })

  it('leaves to RE2 what the two engines read differently, or the built-in one may not run in linear time', () => {
    for (const source of [
      'a.b',
      '\\s',
      '(?i)a',
      '[[:alpha:]]',
      '(?P<n>a)',
      '[]a]',
      '(a+)+$',
      '^(a|aa)+$',
      '\\pL',
      '[\\s]',
      'a\\z',
    ]) {
      expect(nativeTest(source), source).toBeUndefined()
    }
    for (const source of ['^[a-z]{2,8}$', '^ord_[0-9a-z]{8}$', '^https://[a-z.]+/', '@example\\.com$']) {
      expect(nativeTest(source), source).toBeDefined()
    }
  })

  it('is counted by what it costs: little on the built-in engine, much on RE2', () => {
    const input = form({ type: 'object', required: ['t'], properties: { t: { type: 'string', maxLength: 200 } } })
    expect(compileOne('args.t.matches("^[a-z]+$")', { input }).units).toBeLessThan(100)
    expect(compileOne('args.t.matches("(a|b)*a(a|b){3}$")', { input }).units).toBeGreaterThan(10_000)
  })
})
