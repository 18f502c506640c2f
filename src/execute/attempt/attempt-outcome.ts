// How an attempt ends: with the outcome of its executor, or with a failure that the executor does not report: the attempt was not started,
// or it was interrupted. There is one outcome, the one that comes first.
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

export interface OneOutcome {
  readonly outcome: Promise<Outcome>
  /** The executor has ended, or was interrupted. A method: an accessor would give each object a shape of its own, and 1 KB with it. */
  isOver(): boolean
  /** `stop` tells the executor. `asked`: it has found out itself, and is given a moment to say what became of its effect. */
  interrupt(interruption: FailedOutcome, stop: () => void, asked: boolean): void
  /** A large result is still being looked through: the executor itself has ended. */
  finish(finished: Outcome | Promise<Outcome>): void
  fail(error: unknown): void
  close(): void
}

/** An executor that asks is on its way out: it may have files to close, or a transaction to undo. */
const lingerMs = 1_000

/** `late` gets the outcome of an executor that ends after the outcome was given without it. */
export function createOneOutcome(late: (outcome: Outcome) => void): OneOutcome {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  let over = false
  let given = false
  let atOnce: Outcome | Promise<Outcome> | undefined
  let giveNow: (() => void) | undefined
  let lingering: ReturnType<typeof setTimeout> | undefined
  return {
    outcome: promise,
    isOver: () => over,
    interrupt(interruption, stop, asked) {
      if (over) return
      over = true
      stop()
      const give = () => {
        given = true
        if (atOnce === undefined) resolve(interruption)
        else if (atOnce instanceof Promise) resolve(atOnce.then((ended) => interruptedBy(interruption, ended)))
        else resolve(interruptedBy(interruption, atOnce))
      }
      // An executor that ends at once when it is stopped knows what became of its effect: within the same turn, that is the answer.
      setImmediate(() => {
        if (!asked || atOnce !== undefined) return give()
        giveNow = give
        lingering = setTimeout(give, lingerMs)
      })
    },
    finish(finished) {
      if (given && finished instanceof Promise) finished.then(late, reject)
      else if (given) late(finished as Outcome)
      else if (over) atOnce = finished
      else resolve(finished)
      over = true
      giveNow?.()
    },
    fail: reject,
    close: () => clearTimeout(lingering),
  }
}

/** It stays an interruption; only what the executor knows of its effect is taken over. */
function interruptedBy(interruption: FailedOutcome, ended: Outcome): Outcome {
  if (ended.effect === 'happened') return ended
  return ended.effect === 'none' ? { ...interruption, effect: 'none' } : interruption
}
