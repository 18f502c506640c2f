// How long a saga waits before it tries again, or looks again: longer each time, up to a bound.
import type { RetryPolicy } from '../../contract/saga/saga.ts'

export interface Pauses {
  readonly attempts: number
  readonly firstPauseMs: number
  readonly longestPauseMs: number
}

/** Steps behind the pivot must succeed in the end; compensations are tried as patiently before people are asked. */
export const patient: Pauses = { attempts: 8, firstPauseMs: 1_000, longestPauseMs: 300_000 }

/** Before the pivot there is a way back: a few tries, where the answer allows them, and then the saga goes back. */
export const impatient: Pauses = { attempts: 3, firstPauseMs: 500, longestPauseMs: 60_000 }

export const pausesOf = (policy: RetryPolicy | undefined, otherwise: Pauses): Pauses => ({
  attempts: policy?.attempts ?? otherwise.attempts,
  firstPauseMs: policy?.firstPauseMs ?? otherwise.firstPauseMs,
  longestPauseMs: policy?.longestPauseMs ?? otherwise.longestPauseMs,
})

/** No answer makes a saga wait longer than this. */
const longestAskedMs = 3_600_000

/** Whether an answer asks for more time than a saga gives it: then people are asked. */
export const asksTooLong = (askedMs: number | undefined): boolean => (askedMs ?? 0) > longestAskedMs

/** After so many failures; an answer may ask for a longer pause, up to an hour. */
export function pauseAfter(failures: number, pauses: Pauses, askedMs: number | undefined): number {
  const { firstPauseMs, longestPauseMs } = pauses
  const own = Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 30), longestPauseMs)
  return Math.max(own, askedPause(askedMs ?? 0))
}

/** What is no number of milliseconds asks for nothing. */
export const askedPause = (askedMs: number): number => (askedMs > 0 ? Math.min(askedMs, longestAskedMs) : 0)

const shortestLookMs = 250
const longestLookMs = 10_000

/** How soon to look again at what others decide: soon at first, then every ten seconds. */
export const sagaLookMs = (waitedMs: number): number => Math.min(Math.max(waitedMs / 2, shortestLookMs), longestLookMs)
