// The counters that a batch claims from, each once and in one order for everybody, so that no two batches wait for each other.
import type { BudgetClaim } from '../../contract/settlement.ts'
import type { RateWindow } from '../ledger.ts'
import { arrayText } from './array-text.ts'

export const rateName = ({ scope }: RateWindow): string => `rate:${scope}`
export const budgetName = ({ kind, run }: BudgetClaim): string => `budget:${kind}:${run}`

interface Counter {
  readonly tenant: string
  readonly name: string
  claimed: number
  readonly windowMs: number
  /** The least that any claim of the batch allows. */
  most: number
  index: number
}

export interface CounterList {
  claim(tenant: string, name: string, windowMs: number, max: number): void
  /** Fixes the order; positions are known from here on. */
  sort(): readonly Pick<Counter, 'tenant' | 'name' | 'claimed' | 'most'>[]
  /** Counted from 1, as SQL does. */
  indexOf(tenant: string, name: string): number
  /** Names and numbers, two of each per counter, as array texts. */
  columns(): readonly [string, string]
}

export function createCounterList(): CounterList {
  const byKey = new Map<string, Counter>()
  let sorted: Counter[] = []
  const keyOf = (tenant: string, name: string) => `${tenant.length}:${tenant}${name}`
  return {
    claim(tenant, name, windowMs, max) {
      const key = keyOf(tenant, name)
      const counter = byKey.get(key)
      if (counter === undefined) byKey.set(key, { tenant, name, claimed: 1, windowMs, most: max, index: 0 })
      else {
        counter.claimed++
        counter.most = Math.min(counter.most, max)
      }
    },
    sort() {
      sorted = [...byKey.values()].sort((a, b) => compare(a.tenant, b.tenant) || compare(a.name, b.name))
      for (const [index, counter] of sorted.entries()) counter.index = index + 1
      return sorted
    },
    indexOf: (tenant, name) => byKey.get(keyOf(tenant, name))?.index ?? 0,
    columns: () => [
      arrayText(sorted.flatMap(({ tenant, name }) => [tenant, name])),
      arrayText(sorted.flatMap(({ claimed, windowMs }) => [claimed, windowMs])),
    ],
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
