// How an attempt fails without its executor saying so: it was not started, or it was interrupted.
import type { Outcome } from '../../contract/call/call.ts'
import type { TaxonomyClass } from '../../contract/taxonomy.ts'

export type FailedOutcome = Extract<Outcome, { kind: 'failed' }>

interface Interrupted {
  readonly mutates: boolean
  /** `none` where a failure is undone as a whole. */
  readonly failedEffect: 'none' | undefined
}

export function notStarted(
  taxonomyClass: TaxonomyClass,
  reason: FailedOutcome['reason'],
  code: string,
  message: string,
): FailedOutcome {
  return { kind: 'failed', class: taxonomyClass, reason, code, message, effect: 'none', retryAfterMs: undefined }
}

export const lostLease = notStarted(
  'DEPENDENCY_UNAVAILABLE',
  'dependency_unavailable',
  'lease_lost',
  'This process lost touch with the ledger for too long to start the tool. Nothing was done; try again.',
)

export const overdue = notStarted(
  'TIMEOUT',
  'timeout',
  'deadline',
  'The time that the caller gave the call was up before the tool was started. Nothing was done.',
)

/** An executor that was interrupted says that it has had no effect. */
export const tooLate = notStarted(
  'TIMEOUT',
  'timeout',
  'withheld',
  'The tool was interrupted before it had any effect. Nothing was done.',
)

export const timedOut = (input: Interrupted, timeoutMs: number): FailedOutcome => ({
  kind: 'failed',
  class: 'TIMEOUT',
  reason: 'timeout',
  code: 'timeout',
  message: `The tool did not finish within ${timeoutMs} ms.`,
  effect: input.mutates ? (input.failedEffect ?? 'unknown') : 'none',
  retryAfterMs: undefined,
})

export const cutOff = (input: Interrupted): FailedOutcome => ({
  ...timedOut(input, 0),
  code: 'deadline',
  message: 'The tool did not finish within the time that the caller gave the call.',
})

export const canceled = (input: Interrupted): FailedOutcome => ({
  kind: 'failed',
  class: 'UNKNOWN_ERROR',
  reason: 'canceled',
  code: 'canceled',
  message: 'The caller went away while the tool was running.',
  effect: input.mutates ? (input.failedEffect ?? 'unknown') : 'none',
  retryAfterMs: undefined,
})
