// A grant as the people read it who give it: what is fixed, what is free, and the most it can come to. Nothing is left out, and
// everything of it is shown text.
import { toIso } from '../../json/clock.ts'
import { compareDecimals, decimalOf } from '../../json/decimal.ts'
import { fieldPath } from '../../json/pointer.ts'
import { shownText, shownValue } from '../shown-text.ts'
import { multiplyDecimals, printDecimal } from './amounts.ts'
import type { FieldRule, Grant } from './grant.ts'

export interface GrantDescription {
  /** Pointers of the fields that nothing bounds. */
  readonly free: readonly string[]
  /** The least and the most that one call may move. */
  readonly perCall: { readonly min: number; readonly max: number } | undefined
  /** The most that all calls together can move: a decimal number. */
  readonly most: string | undefined
  readonly lines: readonly string[]
}

export function describeGrant(grant: Grant): GrantDescription {
  const free = [...grant.fields].flatMap(([pointer, rule]) => (rule.kind === 'any' ? [pointer] : []))
  const perCall = grant.amount === undefined ? undefined : extremesOf(grant.fields.get(grant.amount))
  const { most, line } = mostOf(grant, perCall?.max)
  const agent = grant.agent === undefined ? 'through no agent' : `through the agent ${shownValue(grant.agent, 200)}`
  const lines = [
    `Calls of ${shownText(grant.tool, 200)} for ${shownValue(grant.user, 200)}, ${agent}, in the tenant ${shownValue(grant.tenant, 200)}`,
    ...[...grant.fields].map(([pointer, rule]) => `${shownText(fieldPath(pointer), 200)}: ${ruleText(rule)}`),
    free.length === 0
      ? 'No field is free'
      : `FREE, the agent may put anything there: ${free.map((pointer) => shownText(fieldPath(pointer), 200)).join(', ')}`,
    line,
    `Until ${toIso(grant.limits.expiresAt)}`,
    grant.untrustedRuns
      ? 'ALSO for runs that have read what nobody vouches for'
      : 'Not for runs that have read what nobody vouches for',
    `For the contract ${grant.contractHash} alone`,
  ]
  return { free, perCall, most, lines }
}

function ruleText(rule: FieldRule): string {
  switch (rule.kind) {
    case 'const':
      return `always ${shownValue(rule.value)}`
    case 'enum':
      return `one of ${rule.values.length}: ${shownValue(rule.values)}`
    case 'range':
      return `from ${shownValue(rule.min)} to ${shownValue(rule.max)}`
    case 'any':
      return 'ANYTHING, or left out'
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

function mostOf({ limits }: Grant, max: number | undefined): { most: string | undefined; line: string } {
  const calls = `At most ${limits.count} ${limits.count === 1 ? 'call' : 'calls'}`
  if (max === undefined || limits.totalAmount === undefined) return { most: undefined, line: calls }
  const total = decimalOf(limits.totalAmount)
  const product = multiplyDecimals(decimalOf(limits.count), decimalOf(max))
  const most = printDecimal(compareDecimals(product, total) < 0 ? product : total)
  const sum = `${limits.count} × ${printDecimal(decimalOf(max))} = ${printDecimal(product)}`
  const bound = compareDecimals(product, total) <= 0 ? `${sum}, within the total of` : `${sum}, held to the total of`
  return { most, line: `${calls}, at most ${most} in all (${bound} ${printDecimal(total)})` }
}
