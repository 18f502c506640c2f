// Since when this process has seen each attempt pending, on its own monotonic time. The database's clock may step, after a failover for
// one, and a lease then looks long gone while its owner is at work; what this process has watched itself does not depend on that. A
// process that has not run for long enough to have watched believes the database where it speaks of more than a step.
import type { Clock, EpochMs } from '../../../json/clock.ts'

export interface Sightings {
  /** The latest moment, by the database's clock, at which the owner may have started its executor. */
  lastStart(attempt: { readonly nonce: string; readonly leaseUntil: number; readonly at: number }): EpochMs
}

/** Clocks that are corrected step by less. */
const stepMs = 300_000

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
      // Admitted before it was seen, so its owner, who fences itself on monotonic time as well, starts nothing a lease later.
      const watched = at - (now - seen) + leaseMs
      const isYoung = now - bornAt < stepMs
      return Math.max(leaseUntil, isYoung ? Math.min(watched, leaseUntil + stepMs) : watched) as EpochMs
    },
  }
}
