// Products of amounts, exact and printed for people: twenty times 0.1 is 2.
import { type Decimal, decimalOf } from '../../json/decimal.ts'

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return normal(a.digits * b.digits, a.exponent + b.exponent)
}

/** Without an exponent: people compare lengths. Doubles span some 650 places at most. */
export function printDecimal({ digits, exponent }: Decimal): string {
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits)
  if (exponent >= 0) return sign + text + (digits === 0n ? '' : '0'.repeat(exponent))
  const padded = text.padStart(1 - exponent, '0')
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}

function normal(digits: bigint, exponent: number): Decimal {
  return decimalOf(`${digits}e${exponent}`)
}
