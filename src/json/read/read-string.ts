// Reads one JSON string. The result is well-formed Unicode, and every escape in it was a valid one.
import { BACKSLASH, type Cursor, peek, QUOTE, SPACE } from './cursor.ts'
import { failControl, failEscape, failSurrogate, failTruncated } from './fault.ts'

/** Most keys and identifiers end within this; beyond it the regular expression is up to four times as fast. */
const shortLength = 16
/** Everything but control characters, the quote and the backslash. */
const plainRun = /[ !#-[\]-\uffff]*/y
/** The repetition is bounded so that the matcher's stack cannot grow with the text. */
const escapedRun = /(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[ !#-[\]-\uffff]*){0,1000}/y

/** Reads the string whose opening quote is at the cursor. */
export function readString(cursor: Cursor): string | undefined {
  const text = cursor.text
  const start = cursor.at + 1
  const near = Math.min(start + shortLength, text.length)
  let at = start
  while (at < near) {
    const code = text.charCodeAt(at)
    if (code === QUOTE || code === BACKSLASH || code < SPACE) break
    at++
  }
  if (at === near) {
    plainRun.lastIndex = at
    plainRun.test(text)
    at = plainRun.lastIndex
  }
  const code = peek(text, at)
  if (code === BACKSLASH) return readEscapedString(cursor, start, at)
  if (code !== QUOTE) return failString(cursor, at)
  cursor.at = at + 1
  const content = text.slice(start, at)
  return cursor.wellFormed || content.isWellFormed() ? content : failSurrogate(cursor, start, at)
}

/** The rest of a string from its first backslash. The escapes are checked here; the platform then decodes them. */
function readEscapedString(cursor: Cursor, start: number, firstEscape: number): string | undefined {
  const text = cursor.text
  let at = firstEscape
  while (peek(text, at) === BACKSLASH) {
    escapedRun.lastIndex = at
    escapedRun.test(text)
    if (escapedRun.lastIndex === at) return failEscape(cursor, at)
    at = escapedRun.lastIndex
  }
  if (peek(text, at) !== QUOTE) return failString(cursor, at)
  cursor.at = at + 1
  const content: unknown = JSON.parse(text.slice(start - 1, at + 1))
  if (typeof content !== 'string') throw new TypeError('A string literal was read as something else')
  const rawIsWellFormed = cursor.wellFormed || text.slice(start, at).isWellFormed()
  return rawIsWellFormed && content.isWellFormed() ? content : failSurrogate(cursor, start, at)
}

function failString(cursor: Cursor, at: number): undefined {
  if (at < cursor.text.length) return failControl(cursor, at)
  return failTruncated(cursor, 'a double quote that ends the string')
}
