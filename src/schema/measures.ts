// Lengths of texts in code points, and `multipleOf` in exact decimals: the two tests that are slow when they are written
// plainly. Code points are counted only where the UTF-16 length does not already decide; a division is prepared once.
import { decimalOf, isMultipleOf } from '../json/decimal.ts'

export function isShorter(text: string, least: number): boolean {
  return text.length < least || (text.length < 2 * least && codePointLength(text) < least)
}

export function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || codePointLength(text) > most)
}

/** A lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = text.length
  for (let index = 1; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0xdc00 || unit > 0xdfff) continue
    const before = text.charCodeAt(index - 1)
    if (before >= 0xd800 && before <= 0xdbff) length--
  }
  return length
}

/** Decimals of at most 15 digits and doubles correspond one to one, so below this a double names its decimal. */
const exactBelow = 1e15

/** Powers of ten up to this exponent are doubles without rounding. */
const maxPlaces = 22

/** About 10 ns a test for amounts of money. */
export function multipleTest(divisor: number): (value: number) => boolean {
  const { digits, exponent } = decimalOf(divisor)
  const scale = 10 ** -exponent
  const unit = Number(digits)
  if (exponent > 0 || exponent < -maxPlaces || unit > exactBelow) return (value) => isMultipleOf(value, divisor)
  return (value) => {
    const shifted = Math.round(value * scale)
    if (Math.abs(shifted) >= exactBelow) return isMultipleOf(value, divisor)
    // The quotient is the double nearest to `shifted / scale`: equal only if the value has no further decimals.
    return shifted / scale === value && shifted % unit === 0
  }
}
