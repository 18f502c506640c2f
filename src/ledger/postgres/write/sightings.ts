// Since when this process has seen each attempt pending, on its own monotonic time.
import type { Clock, EpochMs } from '../../../json/clock.ts'
import { lastStart } from '../../rules/last-start.ts'

export interface Sightings {
  /** The latest moment, by the database's clock, at which the owner may have started its executor. */
  lastStart(attempt: { readonly nonce: string; readonly leaseUntil: number; readonly at: number }): EpochMs
}

/** Of as many as this at most: the oldest are forgotten, and watched anew when they are seen again. */
const maxWatched = 10_000

export function createSightings(clock: Clock, leaseMs: number): Sightings {
  const firstSeen = new Map<string, number>()
  const bornAt = clock.monotonic()
  return {
    lastStart({ nonce, leaseUntil, at }) {
      const now = clock.monotonic()
      const seen = firstSeen.get(nonce) ?? now
      if (!firstSeen.has(nonce)) {
        if (firstSeen.size >= maxWatched) firstSeen.delete(firstSeen.keys().next().value ?? '')
        firstSeen.set(nonce, seen)
      }
      return lastStart({ leaseUntil, at, seenForMs: now - seen, aliveForMs: now - bornAt, leaseMs })
    },
  }
}
