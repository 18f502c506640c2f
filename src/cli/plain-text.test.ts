import { describe, expect, it } from 'vitest'
import { cutText, lineText, safeText } from './plain-text.ts'
import { textTable } from './print.ts'
import { wantsColour } from './terminal.ts'

describe('text from outside', () => {
  it('cannot steer the terminal', () => {
    expect(safeText('\u001b[2J\u0007 \u009b1m \u202etxt')).toBe('\\u001b[2J\\u0007 \\u009b1m \\u202etxt')
  })

  it('keeps its line breaks, or loses them where one line is wanted', () => {
    expect(safeText('a\n\tb')).toBe('a\n\tb')
    expect(cutText(' a\n\n b ', 10)).toBe('a b')
  })

  it('cannot pass for another row where it stands in one', () => {
    expect(lineText('Refund 1 EUR.\n  why  none\u2028x')).toBe('Refund 1 EUR.\\n  why  none\\u2028x')
  })

  it('is cut without breaking a character in half', () => {
    expect(cutText('ab😀cd', 4).isWellFormed()).toBe(true)
    expect(cutText('abcdef', 4)).toBe('abc…')
  })
})

describe('a table of text', () => {
  it('aligns its columns, with colours or without', () => {
    const rows = [
      ['\u001b[31ma\u001b[39m', 'x'],
      ['bcd', 'y'],
    ]
    expect(textTable(rows)).toBe('\u001b[31ma\u001b[39m    x\nbcd  y')
  })
})

describe('colours', () => {
  it('are for terminals, and not where NO_COLOR says so', () => {
    expect(wantsColour({}, true)).toBe(true)
    expect(wantsColour({}, false)).toBe(false)
    expect(wantsColour({ NO_COLOR: '1' }, true)).toBe(false)
    expect(wantsColour({ NO_COLOR: '' }, true)).toBe(true)
    expect(wantsColour({ TERM: 'dumb' }, true)).toBe(false)
  })
})
