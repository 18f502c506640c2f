// Since when this process has known each operation and each attempt, by its own monotonic time. The database's clock may step, for example
// back after a failover.
import type { SlotRecord } from '../../../contract/call/slot.ts'
import type { Clock, EpochMs } from '../../../json/clock.ts'
import { lastStart } from '../../rules/recovery-times.ts'

export interface Sightings {
  /** The latest moment, by the database's clock, at which the owner may have started its executor. */
  lastStart(
    attempt: Pick<SlotRecord, 'nonce' | 'attempt'> & { readonly leaseUntil: number; readonly at: number },
  ): EpochMs
  /** When the operation was admitted first, by the database's clock as it is now: never later than this process has known it. */
  createdAt(
    operation: Pick<SlotRecord, 'tenant' | 'key' | 'generation' | 'createdAt'> & { readonly at: number },
  ): EpochMs
}

/** So many at most: the oldest are forgotten, and watched anew when they are seen again. */
const maxWatched = 10_000

export function createSightings(clock: Clock, leaseMs: number): Sightings {
  const attempts = createWatch(clock)
  const operations = createWatch(clock)
  const bornAt = clock.monotonic()
  return {
    lastStart({ nonce, attempt, leaseUntil, at }) {
      // An admission that is sent again after its attempt was concluded begins another one under the same name.
      const seenForMs = attempts.seenForMs(`${nonce} ${attempt}`)
      const aliveForMs = clock.monotonic() - bornAt
      return lastStart({ leaseUntil, at, seenForMs, aliveForMs, leaseMs })
    },
    createdAt({ tenant, key, generation, createdAt, at }) {
      const seenForMs = operations.seenForMs(JSON.stringify([tenant, key, generation]))
      return Math.min(createdAt, Math.floor(at - seenForMs)) as EpochMs
    },
  }
}

function createWatch(clock: Clock) {
  const firstSeen = new Map<string, number>()
  return {
    /** For how long it has been seen by now; 0 for a new one. */
    seenForMs(name: string): number {
      const now = clock.monotonic()
      const seen = firstSeen.get(name)
      if (seen !== undefined) return now - seen
      if (firstSeen.size >= maxWatched) firstSeen.delete(firstSeen.keys().next().value ?? '')
      firstSeen.set(name, now)
      return 0
    },
  }
}
