import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanedNote, cleanedText, cleanText, countUnwanted, mayHoldUnwanted, nothingCleaned } from './clean-text.ts'

const esc = '\u001b'
const bell = '\u0007'

describe('cleaning a text', () => {
  it.each([
    ['colours', `${esc}[31;1mred${esc}[0m`, 'red'],
    ['the one-character form of the same', '\u009b31mred', 'red'],
    ['a cleared screen', `a${esc}[2J${esc}[Hb`, 'ab'],
    ['a title of the window', `${esc}]0;owned${bell}x`, 'x'],
    ['a link whose address is not seen', `${esc}]8;;https://evil.example${bell}docs${esc}]8;;${bell}`, 'docs'],
    ['a text for the clipboard', `${esc}]52;c;ZXZpbA==${esc}\\x`, 'x'],
    ['a device string', `${esc}P1$r0m${esc}\\x`, 'x'],
    ['a sequence without an end', `${esc}]0;never ends`, '0;never ends'],
    ['backspaces over what was written', 'rm\b\bls', 'rmls'],
    ['other controls', 'a\0b\u0085c\u007fd', 'abcd'],
    ['separators of lines', 'a\u2028b\u2029c', 'a\nb\nc'],
    ['characters without width', 'ig\u200bno\u2060re\ufeff', 'ignore'],
    ['soft hyphens', 'in\u00adstruc\u00adtions', 'instructions'],
    ['overrides and isolates of direction', 'a\u202eb\u2066c\u2069\u202c\u200f', 'abc'],
    ['a text in tag characters', 'hi\u{e0049}\u{e0067}\u{e006e}', 'hi'],
    ['bytes in variation selectors', 'hi\ufe01\u{e0102}\u{e0103}', 'hi'],
    ['letters that are blank', 'a\u3164\uffa0\u115fb', 'ab'],
    ['a joiner between letters that do not join', 'ad\u200dmin', 'admin'],
    ['a joiner at the edge of a picture', 'x\u200d\u{1f525}', 'x\u{1f525}'],
  ])('takes out %s [output-is-cleaned]', (_, text, clean) => {
    expect(cleanedText(text)).toBe(clean)
  })

  it.each([
    ['plain text with its layout', 'a\tb\r\nc'],
    ['letters of every script', 'Größe, Ελλάδα, Дом, עברית, 漢字, ไทย'],
    ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
    ['a heart on fire', '\u2764\ufe0f\u200d\u{1f525}'],
    ['a person with a skin tone and a job', '\u{1f469}\u{1f3fd}\u200d\u{1f4bb}'],
    ['a keycap', '1\ufe0f\u20e3'],
    ['a flag of a nation', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['Persian with a non-joiner', 'می\u200cخواهم'],
    ['Hindi with a joiner', 'क्\u200dष'],
    ['a joiner at the end of an Indic word', 'क्\u200d'],
    ['a variant of an ideograph', '葛\u{e0100}'],
  ])('keeps %s [output-is-cleaned]', (_, text) => {
    const cleaned = nothingCleaned()
    expect(cleanText(text, cleaned)).toBe(text)
    expect(cleanedNote(cleaned)).toBeUndefined()
  })

  it('says what it took out, by kind', () => {
    const cleaned = nothingCleaned()
    cleanText(`${esc}[31ma\u200b\u200b\u202eb`, cleaned)
    expect(cleanedNote(cleaned)).toBe(
      'result_cleaned: 1 control sequence, 2 invisible characters, 1 mark of direction taken out',
    )
  })

  it('counts what can carry a text of its own apart', () => {
    const cleaned = nothingCleaned()
    cleanText('a\ufe00\ufe01\u{e0041}\u200b', cleaned)
    expect(cleaned).toMatchObject({ invisible: 4, smuggled: 3 })
  })

  it('comes to the same text when it is cleaned again, and leaves nothing that steers', () => {
    const alphabet = [
      'a',
      ' ',
      escape,
      '[',
      ']',
      '1',
      'm',
      bell,
      '\\',
      '\u200b',
      '\u200c',
      '\u200d',
      '\ufe0f',
      '\ufe00',
    ]
    const more = [
      '\u{1f469}',
      '\u{1f3fd}',
      '\u{1f3f4}',
      '\u{e0067}',
      '\u{e007f}',
      '\u202e',
      'ک',
      'क',
      '्',
      '葛',
      '\u{e0100}',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...alphabet, ...more), { maxLength: 24 }), (letters) => {
        const once = cleanedText(letters.join(''))
        expect(cleanedText(once)).toBe(once)
        expect(once.includes(esc) || once.includes('\u202e') || once.includes('\u200b')).toBe(false)
      }),
      { numRuns: 3_000 },
    )
  })

  it('never changes a text in which nothing is suspected', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        if (mayHoldUnwanted(text)) expect(countUnwanted(text)).toBeGreaterThan(0)
        else expect(cleanedText(text)).toBe(text)
      }),
    )
  })

  it('gives up looking one by one where everything is hidden, and takes all of it out', () => {
    const cleaned = nothingCleaned()
    expect(cleanText('a\u200b'.repeat(150_000), cleaned)).toBe('a'.repeat(150_000))
    expect(cleanText('b\u200d\u{1f525}\u200d', cleaned)).toBe('b\u{1f525}')
    expect(cleaned.invisible).toBe(150_002)
  })

  it.each(['\u0090', `${esc}]`, `${esc}[`, '\u200b', 'a\u200d'])(
    'takes time in proportion to the text, also where nothing comes to its end [text-in-linear-time]',
    (part) => {
      const began = process.cpuUsage()
      cleanedText(part.repeat(90_000))
      expect(process.cpuUsage(began).user).toBeLessThan(400_000)
    },
  )

  it('comes to the same text in parts as at once, wherever a part ends', () => {
    const odd = [
      `${esc}]0;${'x'.repeat(4_000)}${bell}`,
      '\u{1f468}\u200d\u{1f469}',
      'می\u200cخواهم',
      `${esc}[31m`,
      '\u{e0041}',
    ]
    for (const [index, part] of odd.entries()) {
      for (let before = 8_180; before < 8_200; before++) {
        const text = `${'a'.repeat(before)}${part}${'b'.repeat(9_000)}`
        const alone = cleanedText(`a${part}b`)
        expect([index, before, cleanedText(text)]).toEqual([
          index,
          before,
          `${'a'.repeat(before - 1)}${alone}${'b'.repeat(8_999)}`,
        ])
      }
    }
    expect(cleanedText('\u{e0041}'.repeat(200_001))).toBe('')
    expect(cleanedText(`a${'\u{e0041}'.repeat(200_001)}`)).toBe('a')
  })
})
