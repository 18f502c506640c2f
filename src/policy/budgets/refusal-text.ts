// What a model is told when a limit is reached: which one, how it stands, what would still fit, and what can be done.
import { toIso } from '../../json/clock.ts'
import type { BudgetRefusal } from '../../ledger/ports/limits.ts'
import { amountText } from './money.ts'

export interface RefusalText {
  readonly expected: string
  readonly actual: string
  readonly message: string
}

export function refusalText({ claim, used, max, resets }: BudgetRefusal): RefusalText {
  const { currency } = claim
  const text = (amount: number) => (currency === undefined ? String(amount) : `${amountText(amount)} ${currency}`)
  const left = Math.max(0, max - used)
  const state = `The limit ${claim.limit} allows ${text(max)} (${claim.what}); ${text(used)} used, ${text(left)} left.`
  const need = currency === undefined ? '' : ` This call needs ${text(claim.amount)}.`
  return {
    expected: currency === undefined ? `at most ${text(max)}` : `at most ${text(left)}`,
    actual: currency === undefined ? text(used + claim.amount) : text(claim.amount),
    message: `${state}${need} ${wayOut(claim.currency !== undefined && left > 0, resets)}`,
  }
}

function wayOut(couldBeSmaller: boolean, resets: BudgetRefusal['resets']): string {
  const ways = [
    'Finish with what you have',
    ...(couldBeSmaller ? ['do with less'] : []),
    ...(resets === undefined ? [] : [`wait until ${toIso(resets.at)}`]),
  ]
  return `${ways.join(', ')}, or have the limit raised.`
}
