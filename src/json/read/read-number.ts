// Reads one JSON number. It is refused unless its decimal is the very one the resulting double prints: two texts that
// state different numbers are never read as the same.

import { exactNumber } from '../decimal.ts'
import { type Cursor, MINUS, NINE, PLUS, POINT, peek, ZERO } from './cursor.ts'
import { fail, failExpected } from './fault.ts'

const powersOfTen = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15] as const

/**
 * Up to 15 significant digits without an exponent are exact by construction: the mantissa is below 2^53, the power of
 * ten is exact, so their quotient is the correctly rounded double, and no other decimal of so few digits means that double.
 */
export function readNumber(cursor: Cursor): number | undefined {
  const text = cursor.text
  const start = cursor.at
  const negative = text.charCodeAt(start) === MINUS
  const first = negative ? start + 1 : start
  let at = first
  let mantissa = 0
  let code = peek(text, at)
  while (code >= ZERO && code <= NINE) {
    mantissa = mantissa * 10 + (code - ZERO)
    code = peek(text, ++at)
  }
  if (at === first) return failExpected(cursor, text.startsWith('-Infinity', start) ? start : at, 'a digit')
  if (at - first > 1 && text.charCodeAt(first) === ZERO) {
    return fail(cursor, start, 'syntax', 'The number begins with a zero. Write it without leading zeros.')
  }
  let decimals = 0
  if (code === POINT) {
    const fraction = ++at
    code = peek(text, at)
    while (code >= ZERO && code <= NINE) {
      mantissa = mantissa * 10 + (code - ZERO)
      code = peek(text, ++at)
    }
    decimals = at - fraction
    if (decimals === 0) return failExpected(cursor, at, 'a digit after the point')
  }
  const digits = at - first - (decimals > 0 ? 1 : 0)
  const hasExponent = code === 101 || code === 69
  if (hasExponent) {
    code = peek(text, ++at)
    if (code === PLUS || code === MINUS) code = peek(text, ++at)
    if (!(code >= ZERO && code <= NINE)) return failExpected(cursor, at, 'a digit in the exponent')
    while (code >= ZERO && code <= NINE) code = peek(text, ++at)
  }
  cursor.at = at
  if (!hasExponent && digits <= 15) {
    const magnitude = decimals === 0 ? mantissa : mantissa / (powersOfTen[decimals] as number)
    return negative ? 0 - magnitude : magnitude
  }
  const value = exactNumber(text.slice(start, at))
  if (value !== undefined) return value
  const advice = decimals === 0 ? 'Write it as a string' : 'Write it as a string, or with at most 15 significant digits'
  return fail(cursor, start, 'inexact_number', `The number cannot be held exactly by a 64-bit float. ${advice}.`)
}
