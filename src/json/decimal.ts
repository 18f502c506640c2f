// Exact decimals: what a JSON number literal says, and what the shortest decimal of a double says. Work is bounded by
// the length of the input, never by the size of an exponent.

/** `digits × 10^exponent`; digits never end in a zero, and zero is `0 × 10^0`, so equal values have equal fields. */
export interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

interface Significand {
  readonly negative: boolean
  /** Without leading and trailing zeros; empty for zero. */
  readonly digits: string
  readonly exponent: number
}

const literalSyntax = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
const zero: Decimal = { digits: 0n, exponent: 0 }

/**
 * The decimal that a number literal states, or the shortest decimal that reads back as the given double.
 * Throws on anything that is not a finite number. Exponents beyond ±2^53 count as ±2^53.
 */
export function decimalOf(value: number | string): Decimal {
  const text = typeof value === 'number' ? String(value) : value
  if (!literalSyntax.test(text)) throw new RangeError('Not a decimal number')
  const { negative, digits, exponent } = significandOf(text)
  if (digits === '') return zero
  return { digits: negative ? -BigInt(digits) : BigInt(digits), exponent }
}

/** Negative, zero or positive, as for sorting. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const sign = signOf(a.digits)
  if (sign !== signOf(b.digits)) return sign - signOf(b.digits)
  if (a.exponent === b.exponent) return signOf(a.digits - b.digits)
  // Only numbers of one order of magnitude need aligning, so the power below is no longer than their digits.
  const magnitude = lengthOf(a.digits) + a.exponent - (lengthOf(b.digits) + b.exponent)
  if (magnitude !== 0) return magnitude > 0 ? sign : -sign
  return a.exponent > b.exponent
    ? signOf(a.digits * 10n ** BigInt(a.exponent - b.exponent) - b.digits)
    : signOf(a.digits - b.digits * 10n ** BigInt(b.exponent - a.exponent))
}

/** Exact in decimal: 19.99 is a multiple of 0.01. Nothing is a multiple of zero or of what is not finite. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (divisor === 0 || !Number.isFinite(divisor) || !Number.isFinite(value)) return false
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const dividend = decimalOf(value)
  const unit = decimalOf(divisor)
  if (dividend.digits === 0n) return true
  // The dividend's digits do not end in a zero, so a unit with the larger exponent cannot divide it.
  if (dividend.exponent < unit.exponent) return false
  // Doubles span exponents from -324 to 308: the power has at most some 650 digits.
  return (dividend.digits * 10n ** BigInt(dividend.exponent - unit.exponent)) % unit.digits === 0n
}

/**
 * The double that a JSON number literal means, or undefined when the double's own shortest decimal would be another
 * number. The literal must be well-formed. Negative zero becomes zero.
 */
export function exactNumber(literal: string): number | undefined {
  const plain = Number(literal)
  // Most literals were printed from a double by their writer and read back as themselves.
  if (plain !== 0 && String(plain) === literal) return plain
  const { negative, digits, exponent } = significandOf(literal)
  if (digits === '') return 0
  // No shortest decimal of a double has more than 17 digits.
  if (digits.length > 17) return undefined
  const value = Number(`${digits}e${exponent}`)
  if (value === 0 || !Number.isFinite(value)) return undefined
  const shortest = significandOf(String(value))
  if (shortest.digits !== digits || shortest.exponent !== exponent) return undefined
  return negative ? -value : value
}

function significandOf(literal: string): Significand {
  const negative = literal.charCodeAt(0) === 45
  const exponentAt = Math.max(literal.indexOf('e'), literal.indexOf('E'))
  const mantissaEnd = exponentAt === -1 ? literal.length : exponentAt
  const pointAt = literal.indexOf('.')
  const mantissaStart = negative ? 1 : 0
  const all =
    pointAt === -1
      ? literal.slice(mantissaStart, mantissaEnd)
      : literal.slice(mantissaStart, pointAt) + literal.slice(pointAt + 1, mantissaEnd)
  let first = 0
  let last = all.length
  while (first < last && all.charCodeAt(first) === 48) first++
  while (last > first && all.charCodeAt(last - 1) === 48) last--
  const stated = exponentAt === -1 ? 0 : clampExponent(Number(literal.slice(exponentAt + 1)))
  const fraction = pointAt === -1 ? 0 : mantissaEnd - pointAt - 1
  return { negative, digits: all.slice(first, last), exponent: stated - fraction + (all.length - last) }
}

function clampExponent(exponent: number): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, exponent))
}

function signOf(digits: bigint): number {
  return digits > 0n ? 1 : digits < 0n ? -1 : 0
}

function lengthOf(digits: bigint): number {
  return String(digits < 0n ? -digits : digits).length
}
