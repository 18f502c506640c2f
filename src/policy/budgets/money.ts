// Money in counters: whole millionths of a currency, so that ten times 0.1 is 1. Nothing is ever rounded: what has finer parts, or is
// beyond 9,007,199,254.740991, does not fit and is refused.

import { type Decimal, decimalOf } from '../../json/decimal.ts'
import { withoutEnd } from '../../json/text-end.ts'

/** Digits behind the point that a counter keeps. */
const scale = 6

/** An amount may be written as a number or, where a service wants it so, as its plain decimal text. */
const plainDecimal = /^-?[0-9]{1,30}(?:\.[0-9]{1,30})?$/

/** Undefined for what is no amount. */
export function readAmount(value: unknown): Decimal | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? decimalOf(value) : undefined
  return typeof value === 'string' && plainDecimal.test(value) ? decimalOf(value) : undefined
}

/**
 * In millionths; undefined where it does not fit.
 * @param decimals How many digits of the number are behind the point: 2 where cents are given.
 */
export function inMillionths({ digits, exponent }: Decimal, decimals = 0): number | undefined {
  const shift = exponent - decimals + scale
  // Digits do not end in a zero, so cutting any off would change the amount.
  if (digits !== 0n && (shift < 0 || shift > 16)) return undefined
  const scaled = Number(digits * 10n ** BigInt(digits === 0n ? 0 : shift))
  return Number.isSafeInteger(scaled) ? scaled : undefined
}

/** `12.5`, from 12,500,000. */
export function amountText(millionths: number): string {
  const text = String(Math.abs(millionths)).padStart(scale + 1, '0')
  const fraction = withoutEnd(text.slice(-scale), '0')
  return `${millionths < 0 ? '-' : ''}${text.slice(0, -scale)}${fraction === '' ? '' : `.${fraction}`}`
}

/** `EUR` and `eur` are one currency. Undefined for what names none. */
export function currencyOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z]{3,12}$/.test(value) ? value.toUpperCase() : undefined
}
