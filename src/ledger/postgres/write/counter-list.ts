// The counters that a batch claims from, each once and in the same order in every batch, so that no two batches wait for each other.

import type { CounterClaim, Reserved } from '../../../contract/call/claim.ts'
import { compareNames, ownedName } from '../../rules/names.ts'

/** As the slot keeps it: [[name, amount, window in ms or 0], …]; null where nothing is ever given back. */
export function reservedText(reserved: readonly Reserved[]): string | null {
  if (reserved.length === 0) return null
  return JSON.stringify(reserved.map(({ name, amount, windowMs }) => [name, amount, windowMs ?? 0]))
}

interface Counter {
  readonly tenant: string
  readonly name: string
  claimed: number
  readonly windowMs: number
  /** The lowest limit of all claims of the batch. */
  most: number
  index: number
}

/** What a batch claims of one counter. */
export type CounterSum = Readonly<Pick<Counter, 'tenant' | 'name' | 'claimed' | 'most' | 'windowMs'>>

export interface CounterList {
  claim(tenant: string, claim: Pick<CounterClaim, 'name' | 'amount' | 'max' | 'windowMs'>): void
  /** Fixes the order; positions are known from here on. */
  sort(): readonly CounterSum[]
  /** Counted from 1, as SQL does. */
  indexOf(tenant: string, name: string): number
}

export function createCounterList(): CounterList {
  const byKey = new Map<string, Counter>()
  let sorted: Counter[] = []
  return {
    claim(tenant, { name, amount, max, windowMs = 0 }) {
      const key = ownedName(tenant, name)
      const counter = byKey.get(key)
      if (counter === undefined) byKey.set(key, { tenant, name, claimed: amount, windowMs, most: max, index: 0 })
      else {
        counter.claimed += amount
        counter.most = Math.min(counter.most, max)
      }
    },
    sort() {
      sorted = [...byKey.values()].sort((a, b) => compareNames(a.tenant, b.tenant) || compareNames(a.name, b.name))
      for (const [index, counter] of sorted.entries()) counter.index = index + 1
      return sorted
    },
    indexOf: (tenant, name) => byKey.get(ownedName(tenant, name))?.index ?? 0,
  }
}

type CounterName = Pick<Counter, 'tenant' | 'name'>

/**
 * The counters that this process has seen in the database, from which none is ever deleted: adding to a counter that exists costs a
 * fraction of first making sure that it exists.
 */
export interface SeenCounters {
  has(counter: CounterName): boolean
  add(counter: CounterName): void
}

/** With more than this, all are forgotten. */
const maxSeen = 10_000

export function createSeenCounters(): SeenCounters {
  const names = new Set<string>()
  return {
    has: ({ tenant, name }) => names.has(ownedName(tenant, name)),
    add({ tenant, name }) {
      if (names.size >= maxSeen) names.clear()
      names.add(ownedName(tenant, name))
    },
  }
}
