import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize } from '../json/canonical.ts'
import type { JsonValue } from '../json/value.ts'
import { sealText, shownText, shownValue } from './shown-text.ts'

// By number, so that this list shares nothing with the classes under test.
const nasty = [
  ...[0x00, 0x07, 0x08, 0x09, 0x0a, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0xa0, 0xad, 0x034f, 0x061c, 0x115f, 0x1160, 0x1680],
  ...[0x180b, 0x180e, 0x2000, 0x2003, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x202f],
  ...[0x205f, 0x2060, 0x2063, 0x2066, 0x2069, 0x206a, 0x2800, 0x3000, 0x3164, 0xd800, 0xdfff, 0xe000, 0xfe00, 0xfe0f],
  ...[0xfeff, 0xffa0, 0xfff9, 0xfffe, 0xffff, 0x1bca0, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xf0000, 0x10ffff],
]
const nastyCharacters = nasty.map((code) => String.fromCodePoint(code))
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(...nastyCharacters, '\\', '"', 'u', '{', '}', '2', '0', 'e', ' ', 'a', 'а', '\u0301'),
  }),
)
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value

/** The inverse of escaping, for texts without notes: that it exists is what makes different inputs different. */
const unescaped = (shown: string) =>
  shown.replaceAll(/\\u\{([0-9a-f]+)\}|\\(.)/gu, (_, code: string | undefined, plain: string) =>
    code === undefined ? plain : String.fromCodePoint(Number.parseInt(code, 16)),
  )

describe('text shown to a person', () => {
  it('is left alone where it is plain', () => {
    expect(shownText('Pay 4,999.00 USD to cust_9921_beta (inv. #1007)')).toBe(
      'Pay 4,999.00 USD to cust_9921_beta (inv. #1007)',
    )
    expect(shownText('Grüße aus Köln, 北京市, Привет мир, γειά σου, ありがとう, 😀')).toBe(
      'Grüße aus Köln, 北京市, Привет мир, γειά σου, ありがとう, 😀',
    )
  })

  it.each(nasty)('escapes U+%s', (code) => {
    const code16 = `\\u{${code.toString(16)}}`
    expect(shownText(`a${String.fromCodePoint(code)}b`)).toBe(`a${code16}b`)
  })

  it('shows line breaks, colours and reversed text for what they are', () => {
    expect(shownText('ok\n| Amount:\n|   1 EUR')).toBe('ok\\u{a}| Amount:\\u{a}| \\u{20}\\u{20}1 EUR')
    expect(shownText('\u001b[31mred\u001b[0m')).toBe('\\u{1b}[31mred\\u{1b}[0m')
    expect(shownText('invoice\u202egpj.exe')).toBe('invoice\\u{202e}gpj.exe')
  })

  it('does not let an escape be imitated', () => {
    expect(shownText('\\u{202e}')).toBe('\\\\u{202e}')
    expect(shownValue('"}, {"amount": 1')).toBe('"\\"}, {\\"amount\\": 1"')
  })

  it('keeps marks on their letter, and escapes those that would be drawn over something else', () => {
    expect(shownText('e\u0301')).toBe('e\u0301')
    expect(shownText('\u0338=')).toBe('\\u{338}=')
    expect(shownText(`e${'\u0301'.repeat(5)}`)).toBe('e\u0301\u0301\u0301\\u{301}\\u{301}')
    expect(shownText('!\u0301\u0302')).toBe('!\\u{301}\\u{302}')
  })

  it('never lets a misleading character out, and loses nothing', () => {
    const misleading = new Set(nasty)
    fc.assert(
      fc.property(text, (input) => {
        const shown = shownText(input, Number.POSITIVE_INFINITY)
        expect([...shown].filter((character) => misleading.has(character.codePointAt(0) ?? 0))).toEqual([])
        expect(shown).not.toMatch(/\p{C}|\p{Z}{2}|^ | $/u)
        const body = unescaped(shown)
        expect(body === input || (body.startsWith(`${input} [`) && body.endsWith(']'))).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  it('shows different values differently', () => {
    fc.assert(
      fc.property(json, json, fc.constantFrom(0, 5, 40, 1_000), (one, other, limit) => {
        const same = canonicalize(one) === canonicalize(other)
        expect(shownValue(one, limit) === shownValue(other, limit)).toBe(same)
      }),
      { numRuns: 1_000 },
    )
    fc.assert(
      fc.property(text, text, fc.constantFrom(0, 5, 40), (one, other, limit) => {
        expect(shownText(one, limit) === shownText(other, limit)).toBe(one === other)
        // What was shown, given in once more, is another text and shown as one.
        expect(shownText(shownText(one, limit), limit) === shownText(one, limit)).toBe(shownText(one, limit) === one)
      }),
      { numRuns: 1_000 },
    )
  })

  it('says so where a value is too long to show', () => {
    const shown = shownValue('x'.repeat(5_000))
    expect(shown).toMatch(/^"x{999} … \(cut: 5000 characters in all, sha256 [0-9a-f]{64}\)$/)
    expect(shownValue(`${'x'.repeat(4_999)}y`)).not.toBe(shown)
    expect(shownValue(`${'x'.repeat(998)}\u202e${'x'.repeat(998)}`)).toContain('\\u{202e} … (cut')
  })

  it('escapes no more of a long value than it shows', () => {
    const start = performance.now()
    for (const character of ['\u202e', '\u0301', ' ', '\\', '界', 'p\u0430']) {
      const long = character.repeat(1_000_000)
      expect(shownText(long)).toMatch(/… \(cut: [12]000000 characters in all, sha256 [0-9a-f]{64}\)/)
      expect(shownValue({ a: [long, long] }).length).toBeLessThan(1_500)
    }
    // Escaping all of it takes seconds; what remains is to hash it.
    expect(performance.now() - start).toBeLessThan(5_000)
  })

  it('prints numbers and structure as in the canonical form', () => {
    expect(shownValue({ b: [1e21, 0.1, -0, null], a: true })).toBe('{"a": true, "b": [1e+21, 0.1, 0, null]}')
  })

  it.each([
    ['p\u0430ypal.com', 'p\\u{430}ypal mixes Latin and Cyrillic letters'],
    ['\u03bfpen', '\\u{3bf}pen mixes Latin and Greek letters'],
    ['\uff50aypal', '\\u{ff50}aypal has characters that only look like ASCII'],
    ['\u{1d429}aypal', '\\u{1d429}aypal has characters that only look like ASCII'],
    ['1\u09ea0', '1\\u{9ea}0 mixes digits of different scripts'],
    ['קוד 100', 'has right-to-left letters'],
  ])('notes what is wrong with %s', (input, note) => {
    expect(shownText(input)).toBe(`${input} [${note}]`)
    expect(shownValue({ to: input })).toBe(`{"to": "${input}"} [${note}]`)
  })

  it('leaves words alone that are whole, and scripts that are written together', () => {
    for (const fine of [
      'Москва and London',
      'Tシャツを買う',
      '한국어 English',
      'naïve café',
      'm² 5 µm',
      'résumé.pdf',
      'Łódź 24',
    ]) {
      expect(shownText(fine)).toBe(fine)
    }
  })

  it('names three odd words and counts the rest', () => {
    const shown = shownText(Array.from({ length: 5 }, (_, index) => `p\u0430y${index}`).join(' '))
    expect(shown).toContain('; and 2 more words like that]')
  })

  it('seals what was made of shown text without escaping twice', () => {
    expect(sealText('to "\\u{202e}\\\\" \u202e')).toBe('to "\\u{202e}\\\\" \\u{202e}')
    fc.assert(fc.property(text, (input) => sealText(sealText(input)) === sealText(input)))
  })
})
