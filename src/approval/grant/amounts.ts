// What a grant has used up, in exact decimals: ten times 0.1 is 1. Invariant: neither count nor total ever goes beyond its limit.
import { compareDecimals, type Decimal, decimalOf } from '../../json/decimal.ts'
import type { Grant } from './grant.ts'

export interface GrantUsage {
  readonly count: number
  /** A decimal number. */
  readonly total: string
}

export type Debit =
  | { readonly ok: true; readonly usage: GrantUsage }
  | { readonly ok: false; readonly reason: 'count_used_up' | 'total_used_up' | 'no_amount' }

export const unused: GrantUsage = { count: 0, total: '0' }

/** One more call, of this amount. Nothing is used up where it does not fit. */
export function debit({ amount, limits }: Grant, { count, total }: GrantUsage, moved: number | undefined): Debit {
  if (!(count + 1 <= limits.count)) return { ok: false, reason: 'count_used_up' }
  if (amount === undefined) return { ok: true, usage: { count: count + 1, total } }
  if (limits.totalAmount === undefined || moved === undefined || !(moved >= 0))
    return { ok: false, reason: 'no_amount' }
  const sum = addDecimals(decimalOf(total), decimalOf(moved))
  if (compareDecimals(sum, decimalOf(limits.totalAmount)) > 0) return { ok: false, reason: 'total_used_up' }
  return { ok: true, usage: { count: count + 1, total: printDecimal(sum) } }
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent)
  return normal(a.digits * power(a.exponent - exponent) + b.digits * power(b.exponent - exponent), exponent)
}

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

const power = (exponent: number): bigint => 10n ** BigInt(exponent)

function normal(digits: bigint, exponent: number): Decimal {
  return decimalOf(`${digits}e${exponent}`)
}
