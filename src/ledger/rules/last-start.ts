// The latest moment at which the owner of an attempt may still start its executor, as another process counts it. The database's clock may
// step, after a failover for one, and a lease then looks long over while its owner is at work: what the process has watched itself, on its
// own monotonic time, does not depend on that.
import type { EpochMs } from '../../json/clock.ts'

export interface Watching {
  /** When the lease ends, and what the time is: both by the database's clock. */
  readonly leaseUntil: number
  readonly at: number
  /** For how long this process has seen the attempt pending. */
  readonly seenForMs: number
  /** For how long it runs. */
  readonly aliveForMs: number
  readonly leaseMs: number
}

/** Clocks that are corrected step by less. A process that has not run for so long believes a lease that is over by more than that. */
export const stepMs = 300_000

export function lastStart({ leaseUntil, at, seenForMs, aliveForMs, leaseMs }: Watching): EpochMs {
  // Admitted before it was seen, so its owner, who fences itself on monotonic time as well, starts nothing a lease later.
  const watched = at - seenForMs + leaseMs
  return Math.max(leaseUntil, aliveForMs < stepMs ? Math.min(watched, leaseUntil + stepMs) : watched) as EpochMs
}
