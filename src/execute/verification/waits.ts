// When a state that is not there yet is read again: a bounded number of times, each wait twice as long as the last.
import { type BoundVerification, longestWaitMs } from '../../contract/verification/verifier.ts'

/** Undefined where there is no further reading after so many. */
export function nextWait({ again }: BoundVerification, reads: number): number | undefined {
  if (reads > again.times) return undefined
  return Math.min(longestWaitMs, again.everyMs * 2 ** Math.max(0, reads - 1))
}
