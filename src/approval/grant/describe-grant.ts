// A grant as people read it before they give it: what is fixed, what is free, and the most it can come to. Nothing is left out, and
// everything of it is shown text.

import { toIso } from '../../json/clock.ts'
import { compareDecimals, type Decimal, decimalOf } from '../../json/decimal.ts'
import { fieldPath } from '../../json/pointer.ts'
import { shownText, shownValue } from '../shown-text.ts'
import type { FieldRule, Grant } from './grant.ts'

export interface GrantDescription {
  /** Pointers of the fields that nothing bounds. */
  readonly free: readonly string[]
  /** The least and the most that one call may move. */
  readonly perCall: { readonly min: number; readonly max: number } | undefined
  /** The most that all calls together can move: a decimal number, in the unit of the argument. */
  readonly most: string | undefined
  readonly lines: readonly string[]
}

/** What the tool says of the fields that the grant speaks of. */
export interface GrantTerms {
  /** Whether every call has the field: then the text need not say that it may be left out. */
  readonly isAlwaysGiven: (pointer: string) => boolean
  readonly currency?: string | undefined
  /** How many digits of the amount are behind the point: 2 where cents are counted. */
  readonly decimals?: number | undefined
}

export function describeGrant(grant: Grant, terms: GrantTerms): GrantDescription {
  const free = [...grant.fields].flatMap(([pointer, rule]) => (rule.kind === 'any' ? [pointer] : []))
  const perCall = grant.amount === undefined ? undefined : extremesOf(grant.fields.get(grant.amount))
  const { most, line } = mostOf(grant, perCall?.max, terms)
  const agent = grant.agent === undefined ? 'through no agent' : `through the agent ${shownValue(grant.agent, 200)}`
  const lines = [
    `Calls of ${shownText(grant.tool, 200)} for ${shownValue(grant.user, 200)}, ${agent}, in the tenant ${shownValue(grant.tenant, 200)}`,
    ...[...grant.fields].map(([pointer, rule]) => {
      const text = ruleText(rule, terms.isAlwaysGiven(pointer))
      const worth = pointer === grant.amount && perCall !== undefined ? worthText(perCall, terms) : ''
      return `${shownText(fieldPath(pointer), 200)}: ${text}${worth}`
    }),
    free.length === 0
      ? 'No field is free'
      : `FREE, the agent may put anything there: ${free.map((pointer) => shownText(fieldPath(pointer), 200)).join(', ')}`,
    line,
    `Until ${toIso(grant.limits.expiresAt)}`,
    grant.untrustedRuns
      ? 'ALSO for runs that have read untrusted content'
      : 'Not for runs that have read untrusted content',
    `For the contract ${grant.contractHash} alone`,
  ]
  return { free, perCall, most, lines }
}

function ruleText(rule: FieldRule, isAlwaysGiven: boolean): string {
  switch (rule.kind) {
    case 'const':
      return `always ${shownValue(rule.value)}`
    case 'enum':
      return `one of ${rule.values.length}: ${shownValue(rule.values)}`
    case 'range':
      return `from ${shownValue(rule.min)} to ${shownValue(rule.max)}`
    case 'any':
      return isAlwaysGiven ? 'ANYTHING' : 'ANYTHING, or left out'
    case 'absent':
      return 'left out'
  }
}

function extremesOf(rule: FieldRule | undefined): GrantDescription['perCall'] {
  if (rule?.kind === 'range') return { min: rule.min, max: rule.max }
  const values = rule?.kind === 'const' ? [rule.value] : rule?.kind === 'enum' ? rule.values : []
  const numbers = values.filter((value) => typeof value === 'number')
  // One after the other: a list may be longer than a call takes arguments.
  return numbers.length === 0
    ? undefined
    : { min: numbers.reduce((a, b) => Math.min(a, b)), max: numbers.reduce((a, b) => Math.max(a, b)) }
}

/** Cents are said in euros as well: a person who reads 5000 thinks of 5000 euros. */
function worthText({ min, max }: { readonly min: number; readonly max: number }, terms: GrantTerms): string {
  if ((terms.decimals ?? 0) === 0) return ''
  const [least, most] = [min, max].map((amount) => moneyText(decimalOf(amount), terms))
  return min === max ? ` (${most})` : ` (${least} to ${most})`
}

function moneyText({ digits, exponent }: Decimal, { currency, decimals = 0 }: GrantTerms): string {
  const [whole = '', fraction = ''] = printDecimal({ digits, exponent: exponent - decimals }).split('.')
  const padded = fraction.padEnd(decimals, '0')
  const number = padded === '' ? whole : `${whole}.${padded}`
  return currency === undefined ? number : `${number} ${shownText(currency, 20)}`
}

function mostOf(
  { limits }: Grant,
  max: number | undefined,
  terms: GrantTerms,
): { most: string | undefined; line: string } {
  const calls = `At most ${limits.count} ${limits.count === 1 ? 'call' : 'calls'}`
  if (max === undefined || limits.totalAmount === undefined) return { most: undefined, line: calls }
  const total = decimalOf(limits.totalAmount)
  const product = multiplyDecimals(decimalOf(limits.count), decimalOf(max))
  const most = compareDecimals(product, total) < 0 ? product : total
  const sum = `${limits.count} × ${moneyText(decimalOf(max), terms)} = ${moneyText(product, terms)}`
  const bound = compareDecimals(product, total) <= 0 ? `${sum}, within the total of` : `${sum}, held to the total of`
  const line = `${calls}, at most ${moneyText(most, terms)} in all (${bound} ${moneyText(total, terms)})`
  return { most: printDecimal(most), line }
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

function normal(digits: bigint, exponent: number): Decimal {
  return decimalOf(`${digits}e${exponent}`)
}
