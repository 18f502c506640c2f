// Which counters this process has seen in the database, where none ever goes: to add to one that is there costs a fraction of making sure
// that it is.
import { ownedName } from '../../rules/names.ts'

interface Counter {
  readonly tenant: string
  readonly name: string
}

export interface SeenCounters {
  has(counter: Counter): boolean
  add(counter: Counter): void
}

/** All are forgotten when there are more. */
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
