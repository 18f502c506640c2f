// The reader's refusals: what each is called, where it points, and what it tells the writer to do instead. Cold code;
// the pointer is put together only here, from the path the readers leave while they return.

import { appendPointer } from '../pointer.ts'
import { quoteKey, type Refusal, type RefusalCode } from '../refusal.ts'
import type { Cursor } from './cursor.ts'
import { describeUnexpected, positionOf } from './unexpected.ts'

export function fail(cursor: Cursor, at: number, code: RefusalCode, message: string): undefined {
  cursor.fault = { code, message, at }
}

/** Something other than the expected thing stands at the offset, or the text ends there. */
export function failExpected(cursor: Cursor, at: number, expected: string): undefined {
  if (at >= cursor.text.length) return failTruncated(cursor, expected)
  const found = describeUnexpected(cursor.text, at)
  fail(cursor, at, 'syntax', `Expected ${expected}, found ${found}.`)
}

export function failTruncated(cursor: Cursor, expected: string): undefined {
  fail(cursor, cursor.text.length, 'truncated', `The text ends where ${expected} is needed. Write the whole value.`)
}

export function failDepth(cursor: Cursor): undefined {
  const message = `More than ${cursor.maxDepth} arrays and objects lie inside one another. Write a flatter value.`
  fail(cursor, cursor.at, 'too_deep', message)
}

export function failCount(cursor: Cursor): undefined {
  const message = `The text holds more than ${cursor.maxValues} values. Write fewer.`
  fail(cursor, cursor.at, 'too_many', message)
}

export function failKey(cursor: Cursor, at: number, key: string): undefined {
  cursor.path.push(key)
  if (key === '__proto__') {
    fail(cursor, at, 'forbidden_key', 'The key "__proto__" is not allowed. Use another name.')
  } else {
    fail(cursor, at, 'duplicate_key', `The key ${quoteKey(key)} stands twice in one object. Write it once.`)
  }
}

export function failControl(cursor: Cursor, at: number): undefined {
  const advice = 'Write it as an escape, such as \\n, \\t or \\u0000'
  fail(cursor, at, 'control_character', `A string holds a bare control character or line break. ${advice}.`)
}

export function failEscape(cursor: Cursor, at: number): undefined {
  const { text } = cursor
  // A backslash so close to the end may be the start of a good escape that was cut off.
  if (/^\\(?:u[0-9A-Fa-f]{0,3})?$/.test(text.slice(at, at + 6)) && text.length - at < 6) {
    return failTruncated(cursor, 'the rest of an escape')
  }
  const advice = 'Write \\\\ for a backslash, or one of \\" \\/ \\b \\f \\n \\r \\t \\uXXXX'
  fail(cursor, at, 'syntax', `A backslash begins no valid escape. ${advice}.`)
}

/** Finds the first lone surrogate, raw or escaped, of the string between the offsets. */
export function failSurrogate(cursor: Cursor, start: number, end: number): undefined {
  const advice = 'Write the whole character, or both halves of its \\u escapes'
  const message = `A string holds half of a surrogate pair. ${advice}.`
  fail(cursor, loneSurrogateAt(cursor.text, start, end), 'lone_surrogate', message)
}

export function readRefusal(cursor: Cursor): { readonly ok: false; readonly refusal: Refusal } {
  const { text, fault, path } = cursor
  if (fault === undefined) throw new TypeError('A reader gave up without naming a fault')
  const pointer = path.reduceRight<string>(appendPointer, '')
  return { ok: false, refusal: { code: fault.code, message: fault.message, ...positionOf(text, fault.at), pointer } }
}

/** Size is judged before a cursor exists: the refusal points at the beginning. */
export function refuseSize(maxBytes: number): { readonly ok: false; readonly refusal: Refusal } {
  const message = `The text is larger than ${maxBytes} bytes. Send less, or a reference in place of the content.`
  return { ok: false, refusal: { code: 'too_large', message, line: 1, column: 1, pointer: '' } }
}

function loneSurrogateAt(text: string, start: number, end: number): number {
  // A raw half and an escaped half are no pair: the text itself could not be written as UTF-8.
  const raw = text.slice(start, end).search(/\p{Surrogate}/u)
  const pattern = /\\(?:u([Dd][89ABab][0-9A-Fa-f]{2})\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|u([Dd][89A-Fa-f][0-9A-Fa-f]{2})|.)/gs
  pattern.lastIndex = start
  let escaped = end
  for (let match = pattern.exec(text); match !== null && match.index < end; match = pattern.exec(text)) {
    if (match[2] !== undefined) {
      escaped = match.index
      break
    }
  }
  return raw === -1 ? escaped : Math.min(start + raw, escaped)
}
