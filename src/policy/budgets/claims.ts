// What a call takes from the limits that apply to it: one of its kind from each limit on calls, and from each financial limit of the
// currency what it moves and what it costs. Money that no applying limit counts is not spent where money is counted at all.
import type { ErrorDetail } from '../../contract/call/call.ts'
import type { CounterClaim } from '../../contract/call/claim.ts'
import type { JudgedCall, OpenedCall } from '../../contract/call/stages.ts'
import { effectRow } from '../../contract/effects.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { fieldPath, readPointer } from '../../json/pointer.ts'
import type { JsonObject } from '../../json/value.ts'
import type { CounterRef } from '../../ledger/ports/limits.ts'
import type { Voice } from '../voices.ts'
import type { Budgets, Limit } from './limit.ts'
import { currencyOf, inMillionths, readAmount } from './money.ts'

/** Who and what a counter of a limit belongs to. */
export interface Subject {
  readonly run: string | undefined
  readonly user: string | undefined
  readonly tool: string
}

/** Undefined where the limit does not count the subject: a standing one outside of any run. */
export function counterOf({ id, per, windowMs, standing }: Limit, subject: Subject): CounterRef | undefined {
  if (standing && subject.run === undefined) return undefined
  const window = windowMs === undefined ? '' : `/${windowMs / 1_000}s`
  return { name: `budget:${id}${window}:${subjectName(per, subject)}`, windowMs }
}

/** Calls without a run or a user share one counter; only a name that was given begins with a sign. */
function subjectName(per: Limit['per'], { run, user, tool }: Subject): string {
  switch (per) {
    case 'run':
      return run === undefined ? '' : `=${run}`
    case 'user':
      return user === undefined ? '' : `=${user}`
    case 'tool':
      return `=${tool}`
    case 'tenant':
      return ''
  }
}

export type Claims =
  | { readonly ok: true; readonly claims: readonly CounterClaim[] }
  /** One sentence: this money may not be spent. */
  | { readonly ok: false; readonly objection: string }

export function claimsOf(
  { run, principal }: Pick<OpenedCall, 'run' | 'principal'>,
  tool: Pick<Tool, 'contract'>,
  amount: Amount | undefined,
  budgets: Budgets,
): Claims {
  const { calls, money } = budgets.of(tool)
  const subject = { run, user: principal.user, tool: tool.contract.identity.name }
  const claims: CounterClaim[] = []
  for (const limit of calls) addClaim(claims, limit, subject, 1)
  return money.length === 0 ? { ok: true, claims } : withMoney(claims, money, spentBy(tool, amount), subject)
}

/**
 * What a further start of a call takes. A read takes what a call costs, because each start of a read is spent, also one that fails. A change
 * has reserved its cost with its operation, and it is spent once, by the start that happens.
 */
export function claimsOfStart(
  { run, principal }: Pick<OpenedCall, 'run' | 'principal'>,
  tool: Pick<Tool, 'contract'>,
  budgets: Budgets,
): Claims {
  const { identity, transactional } = tool.contract
  const { money } = budgets.of(tool)
  if (money.length === 0 || effectRow(transactional.side_effect_class).mutates) return { ok: true, claims: [] }
  const subject = { run, user: principal.user, tool: identity.name }
  return withMoney([], money, spentBy(tool, undefined), subject)
}

function withMoney(
  claims: CounterClaim[],
  money: readonly Limit[],
  spent: ReadonlyMap<string, number> | string,
  subject: Subject,
): Claims {
  if (typeof spent === 'string') return { ok: false, objection: spent }
  for (const [currency, millionths] of spent) {
    const counted = money.filter((limit) => limit.currency === currency)
    if (counted.length === 0) return { ok: false, objection: uncounted(currency, money) }
    for (const limit of counted) addClaim(claims, limit, subject, millionths)
  }
  return { ok: true, claims }
}

function addClaim(claims: CounterClaim[], limit: Limit, subject: Subject, amount: number): void {
  const counter = counterOf(limit, subject)
  if (counter === undefined || amount === 0) return
  const { max, id, what, currency } = limit
  claims.push({ ...counter, amount, max, returns: true, limit: id, what, currency })
}

/** By currency: what the call moves, and what its contract says that a call costs. */
function spentBy(
  { contract }: Pick<Tool, 'contract'>,
  amount: Amount | undefined,
): ReadonlyMap<string, number> | string {
  const { cost_per_call: perCall, currency } = contract.runtime.cost_profile
  const spent = new Map<string, number>()
  if (amount !== undefined && amount.millionths > 0) spent.set(amount.currency, amount.millionths)
  if (perCall === 0) return spent
  const cost = readAmount(perCall)
  const millionths = cost === undefined ? undefined : inMillionths(cost)
  const named = currencyOf(currency)
  if (millionths === undefined || millionths < 0 || named === undefined)
    return 'What a call of this tool costs cannot be counted exactly, so it is not spent. Have its contract looked at.'
  return spent.set(named, (spent.get(named) ?? 0) + millionths)
}

function uncounted(currency: string, limits: readonly Limit[]): string {
  const budgeted = [...new Set(limits.map((limit) => limit.currency))].sort().join(', ')
  return `There is no budget in ${currency} for this tool, only in ${budgeted}.`
}

const silent: readonly Voice[] = Object.freeze([])

/** What budgets say before a person is asked: money that no limit of the tool counts is not spent. The admission judges how much is left. */
export function budgetVoices(call: JudgedCall, tool: Tool, budgets: Budgets): readonly Voice[] {
  if (budgets.of(tool).money.length === 0 || call.saga?.direction === 'backward') return silent
  const reading = amountOf(call, tool)
  // No amount at all was refused where arguments are judged.
  if (!reading.ok) return silent
  const claims = claimsOf(call, tool, reading.amount, budgets)
  return claims.ok ? silent : [{ source: 'budget/currency', says: 'deny', message: claims.objection }]
}

/** What a call moves, read from the input that its executor gets. */
export interface Amount {
  readonly millionths: number
  readonly currency: string
}

/** An amount that is missing, negative, or finer than a counter is refused before a person is asked about the call. */
export type AmountReading =
  /** Undefined where the tool moves no money that its binding knows of. */
  { readonly ok: true; readonly amount: Amount | undefined } | { readonly ok: false; readonly error: ErrorDetail }

const noAmount: AmountReading = { ok: true, amount: undefined }

export function amountOf({ callJson }: Pick<JudgedCall, 'callJson'>, tool: Tool): AmountReading {
  const { amount } = tool.binding
  return amount === undefined ? noAmount : readFrom(callJson, amount)
}

function readFrom(input: JsonObject, amount: NonNullable<Tool['binding']['amount']>): AmountReading {
  const { pointer, currency, decimals } = amount
  const value = readAmount(readPointer(input, pointer))
  if (value === undefined) return amountRefused(pointer, 'an amount of money', 'Say how much: this is no amount.')
  if (value.digits < 0n)
    return amountRefused(pointer, 'an amount that is not negative', 'An amount of money cannot be negative.')
  const millionths = inMillionths(value, decimals)
  if (millionths === undefined) {
    const message = 'The amount is larger than 9,007,199,254.740991, or has parts finer than a millionth.'
    return amountRefused(pointer, 'an amount that can be counted exactly', message)
  }
  const named = typeof currency === 'string' ? currencyOf(readPointer(input, currency)) : currencyOf(currency.const)
  if (named !== undefined) return { ok: true, amount: { millionths, currency: named } }
  const where = typeof currency === 'string' ? currency : pointer
  return amountRefused(where, 'the code of a currency, such as EUR', 'Say in which currency: this is none.')
}

/** The value itself is not quoted: the argument may be a sensitive one. */
function amountRefused(pointer: string, expected: string, message: string): AmountReading {
  return { ok: false, error: { field: fieldPath(pointer), expected, actual: 'another value', message } }
}
