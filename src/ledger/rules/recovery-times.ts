// The times by which a lost attempt is recovered. Every engine and every check takes them from here.
import type { EpochMs } from '../../json/clock.ts'

/** The executor of a claimed operation is started within so long after it was asked for. */
const startMs = 5_000

/** Started in time, it may act until its timeout is over. */
export const restartLeaseMs = (timeoutMs: number): number => startMs + timeoutMs

/** Beyond the timeout, for what has to be written then. */
const marginMs = 30_000

/** After a start of its own, a process is left alone with the operation for so long. */
export const restartLookMs = (timeoutMs: number): number => restartLeaseMs(timeoutMs) + marginMs

/** A process that claims an operation to find out about it has it alone for so long. */
export const claimMs = 60_000

/** An attempt whose end is not known is looked at again after this time: the more often it was started, the later. */
export const lookAgainMs = (starts: number): number => Math.min(60_000, 500 * 2 ** Math.min(starts, 10))

/** The same in Postgres. */
export const lookAgainSql = (starts: string): string => `least(60000, 500 * 2 ^ least(${starts}, 10))`

/** So much earlier than others the process that has looked before may look again. */
export const watcherMs = 5_000

/** After this time people are asked about a lost attempt that is not recovered: because no process knows its contract, or because it fails. */
export const orphanMs = 600_000

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

/**
 * The latest moment at which the owner of an attempt may still start its executor, as another process counts it. The database's clock may
 * step, after a failover for one, and a lease then looks long over while its owner is at work. What the process has watched itself, on
 * its own monotonic time, does not depend on that.
 */
export function lastStart({ leaseUntil, at, seenForMs, aliveForMs, leaseMs }: Watching): EpochMs {
  // Admitted before it was seen, so its owner, who fences itself on monotonic time as well, starts nothing a lease later.
  const watched = at - seenForMs + leaseMs
  return Math.max(leaseUntil, aliveForMs < stepMs ? Math.min(watched, leaseUntil + stepMs) : watched) as EpochMs
}
