// Reads one character that is spelled with percent signs, as an escape or as an entity. It deals in numbers and makes no texts: a result
// may hold millions of them.

/** What was read: a code point, and where the text goes on. One object is filled again and again for a whole text, for speed. */
export interface Spelled {
  code: number
  end: number
}

/** False where no spelling stands at this place, which has the code given; then the character stands for itself. */
export function readSpelling(text: string, index: number, first: number, into: Spelled): boolean {
  if (first === percentSign) return percent(text, index, into)
  if (first === backslash) return escaped(text, index, into)
  return first === ampersand && entity(text, index, into)
}

const percentSign = 0x25
const backslash = 0x5c
const ampersand = 0x26
const sharp = 0x23
const semicolon = 0x3b

/** One character of UTF-8, of as many percent signs as it has bytes; a byte that begins none stands for itself. */
function percent(text: string, index: number, into: Spelled): boolean {
  const first = byteAt(text, index)
  if (first < 0) return false
  into.code = first
  into.end = index + 3
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  if (length === 1) return true
  let code = first & (0x7f >> length)
  for (let at = index + 3; at < index + 3 * length; at += 3) {
    const next = byteAt(text, at)
    if (next < 0 || (next & 0xc0) !== 0x80) return true
    code = code * 64 + (next & 0x3f)
  }
  if (code < (leastOf[length] ?? 0) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return true
  into.code = code
  into.end = index + 3 * length
  return true
}

/** The first character that takes so many bytes. */
const leastOf = [0, 0, 0x80, 0x800, 0x10000]

const byteAt = (text: string, index: number): number =>
  text.charCodeAt(index) === percentSign ? hexAt(text, index + 1, 2) : -1

/** -1 where there are not so many digits. */
function hexAt(text: string, index: number, length: number): number {
  let value = 0
  for (let at = index; at < index + length; at++) {
    const digit = digitOf(text.charCodeAt(at))
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  // Letters in both cases.
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** By the code of the letter behind the backslash; 0 where there is none. */
const escapes = new Uint8Array(128)
for (const [letter, plain] of ['b\b', 'f\f', 'n\n', 'r\r', 't\t', '""', "''", '//', '\\\\'])
  escapes[letter?.charCodeAt(0) ?? 0] = plain?.charCodeAt(0) ?? 0

function escaped(text: string, index: number, into: Spelled): boolean {
  const letter = text.charCodeAt(index + 1)
  const length = letter === 0x75 ? 4 : letter === 0x78 ? 2 : 0
  const code = length === 0 ? (escapes[letter] ?? 0) || -1 : hexAt(text, index + 2, length)
  if (code < 0) return false
  into.code = code
  into.end = index + 2 + length
  return true
}

const entities: ReadonlyMap<string, number> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    sol: '/',
    bsol: '\\',
    plus: '+',
    equals: '=',
    colon: ':',
    semi: ';',
    comma: ',',
    period: '.',
    num: '#',
    dollar: '$',
    percnt: '%',
    commat: '@',
    excl: '!',
    quest: '?',
    ast: '*',
    lowbar: '_',
    lpar: '(',
    rpar: ')',
    lsqb: '[',
    rsqb: ']',
    lcub: '{',
    rcub: '}',
    verbar: '|',
    grave: '`',
    Hat: '^',
  }).map(([name, plain]) => [name, plain.charCodeAt(0)]),
)
/** A longer word names none, and a shorter one neither. */
const longestName = Math.max(...[...entities.keys()].map(({ length }) => length))
const leastName = 2

function entity(text: string, index: number, into: Spelled): boolean {
  const isNumber = text.charCodeAt(index + 1) === sharp
  if (!(isNumber ? numberedEntity(text, index + 2, into) : namedEntity(text, index + 1, into))) return false
  if (text.charCodeAt(into.end) === semicolon) into.end++
  return true
}

function numberedEntity(text: string, index: number, into: Spelled): boolean {
  const isHex = (text.charCodeAt(index) | 0x20) === 0x78
  const base = isHex ? 16 : 10
  const from = isHex ? index + 1 : index
  const most = from + (isHex ? 6 : 7)
  let code = 0
  let at = from
  for (; at < most; at++) {
    const digit = digitOf(text.charCodeAt(at))
    if (digit < 0 || digit >= base) break
    code = code * base + digit
  }
  if (at === from || code > 0x10ffff) return false
  into.code = code
  into.end = at
  return true
}

function namedEntity(text: string, index: number, into: Spelled): boolean {
  let at = index
  while (at <= index + longestName && isLetter(text.charCodeAt(at))) at++
  if (at < index + leastName || at > index + longestName) return false
  const code = entities.get(text.slice(index, at))
  if (code === undefined) return false
  into.code = code
  into.end = at
  return true
}

const isLetter = (code: number): boolean => {
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x7a
}

export const isSpace = (code: number): boolean =>
  code <= 0x20 ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : code >= 0xa0 && /\s/.test(String.fromCharCode(code))
