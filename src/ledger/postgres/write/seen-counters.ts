// The counters that this process has seen in the database, from which none is ever deleted: adding to a counter that exists costs a
// fraction of first making sure that it exists.
import { ownedName } from '../../rules/names.ts'

interface Counter {
  readonly tenant: string
  readonly name: string
}

export interface SeenCounters {
  has(counter: Counter): boolean
  add(counter: Counter): void
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
