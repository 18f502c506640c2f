import { array, assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chains, cpuMs, secret, written } from '../../../test/execute/secret-spellings.ts'
import { inOneGo, type Steps } from '../../json/slices.ts'
import { copyOfResult } from './own-result.ts'
import { scrubInSteps, scrubValue } from './scrub-value.ts'
import { createScrubber } from './scrubber.ts'

const scrubber = createScrubber(new Map([['api', secret]]))
const nothing = createScrubber(new Map())

const inSteps = (text: string, window: number, by = scrubber) => inOneGo(by.findInSteps(text, window))

// In two parts each, so that a search for secrets does not take them for real ones.
const shapes = [
  `AKIA${'IOSFODNN7EXAMPLE'}`,
  `ghp${'_16C7e42F292c6912E7710c838347Ae178B4a'}`,
  `sk${'-proj-AbCd1234EfGh5678IjKl9012'}`,
  `eyJ${'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'}`,
  `-----BEGIN RSA PRIVATE${' KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----'}`,
  'Authorization: Bearer abcDEF123456789012345',
  'postgres://ann:hunter2!@db.example.com/x',
  'sk-ordinary-words-in-a-row-and-more',
]

describe('a long text is looked through in steps', () => {
  it.each(chains.map((chain) => chain.join(', then ')))(
    'and a secret is found wherever a step ends: %s [secrets-are-scrubbed]',
    (name) => {
      const text = `before ${written(secret, name.split(', then '))} after`
      const whole = scrubber.find(text)
      expect(whole.length).toBeGreaterThan(0)
      // With steps of one character there is an end of a step at every place; longer ones end at others.
      for (const window of [1, 2, 3, 4, 5, 7, 11, 16, 29, 64, 100]) expect(inSteps(text, window)).toEqual(whole)
    },
  )

  it.each(shapes)('and a shape is found wherever a step ends: %s [secrets-are-scrubbed]', (shape) => {
    const text = `key "${shape}" and ${shape}`
    for (let window = 1; window <= text.length; window++)
      expect(inSteps(text, window, nothing)).toEqual(nothing.find(text))
  })

  it('and the same is found as in one go, whatever the text and wherever the steps end [secrets-are-scrubbed]', () => {
    const pieces = [
      ...chains.map((chain) => written(secret, chain)),
      ...shapes,
      ...[
        '%2',
        '%25',
        '\\u00',
        '\\',
        '&#x',
        '&amp;',
        ' ',
        '\n',
        '://',
        ':',
        '@',
        '/',
        'eyJ',
        '.',
        'sk-',
        'bearer ',
        '-----',
      ],
      ...['忽略', '\u{1f600}', 'İ', 'QUFB', '41', secret.slice(0, 9), secret.slice(9)],
    ]
    assert(
      property(
        array(constantFrom(...pieces), { minLength: 1, maxLength: 8 }),
        string({ maxLength: 6 }),
        constantFrom(1, 2, 3, 5, 8, 13, 31, 77),
        (parts, between, window) => {
          const text = parts.join(between)
          for (const by of [scrubber, nothing]) expect(inSteps(text, window, by)).toEqual(by.find(text))
        },
      ),
      { numRuns: 500 },
    )
  }, 120_000)

  it('and a secret is found across the end of each real step [secrets-are-scrubbed]', () => {
    for (const chain of [
      ['raw'],
      ['base64'],
      ['numbered entities in hex', 'base64'],
      ['broken into lines'],
      ['entities'],
    ]) {
      const spelled = written(secret, chain)
      for (let before = 32_768 - spelled.length; before <= 32_768; before += 7) {
        const { value, count } = scrubValue(`${'.'.repeat(before)}${spelled}${'.'.repeat(40_000)}`, scrubber)
        expect([chain, count > 0, String(value).includes('[secret:api]')]).toEqual([chain, true, true])
      }
    }
  }, 60_000)

  it('and a run of megabytes behind the beginning of a key hides nothing [secrets-are-scrubbed]', () => {
    for (const head of ['ghp_', 'sk-', 'eyJaaaaaaaaaaaa.', '://', 'bearer ', '-----BEGIN PRIVATE KEY-----']) {
      const { value, whole } = scrubValue({ text: `${secret} ${head}${'a'.repeat(12_000_000)}` }, scrubber)
      expect([head, whole, JSON.stringify(value).includes('p@ss')]).toEqual([head, true, false])
      expect(JSON.stringify(value).startsWith('{"text":"[secret:api] ')).toBe(true)
    }
  }, 60_000)

  it('and no step takes long [large-text-in-slices]', () => {
    const parts = [' ', 'a', 'ghp_a', '://a:', 'QUFB', '%2541', '&amp;', '忽略之前', '1234567890ab ', `${secret} `]
    for (const part of parts) {
      const text = part.repeat(4_000_000 / part.length)
      expect([part, longestStep(() => scrubInSteps({ text }, scrubber)) < 50]).toEqual([part, true])
    }
    const many = Array.from({ length: 300_000 }, (_, at) => ({ a: `row ${at}` }))
    expect(longestStep(() => scrubInSteps(many, scrubber))).toBeLessThan(50)
  }, 120_000)
})

describe('what cannot be looked through', () => {
  it('is not shown [secrets-are-scrubbed]', () => {
    const throwing = {
      secret,
      get x() {
        throw new Error('no')
      },
    }
    const { value, whole } = scrubValue(throwing, scrubber)
    expect([whole, JSON.stringify(value)]).toEqual([false, undefined])
  })

  it('is an object of more members than are listed in one go', () => {
    const many = Object.fromEntries(Array.from({ length: 100_001 }, (_, at) => [`k${at}`, 1]))
    const { value } = copyOfResult({ many })
    expect(Object.keys((value as { many: object }).many).length).toBeLessThan(3)
  })
})

/** Milliseconds of processor time, the least of three: the collector of garbage comes when it likes. */
function longestStep(begin: () => Steps<unknown>): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && least >= 50; run++) {
    const steps = begin()
    let longest = 0
    for (let done = false; !done; )
      longest = Math.max(
        longest,
        cpuMs(() => {
          done = steps.next().done === true
        }),
      )
    least = Math.min(least, longest)
  }
  return least
}
