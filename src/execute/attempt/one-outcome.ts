// The one outcome of an attempt: that of its executor, or the interruption that came first.
import type { Outcome } from '../../contract/call/call.ts'
import type { FailedOutcome } from './attempt-failures.ts'

export interface OneOutcome {
  readonly outcome: Promise<Outcome>
  /** The executor has ended, or was interrupted. A method: an accessor would give each object a shape of its own, and 1 KB with it. */
  isOver(): boolean
  /** `stop` tells the executor. `asked`: it has found out itself, and is given a moment to say what became of its effect. */
  interrupt(interruption: FailedOutcome, stop: () => void, asked: boolean): void
  finish(finished: Outcome): void
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
  let atOnce: Outcome | undefined
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
        resolve(atOnce === undefined ? interruption : interruptedBy(interruption, atOnce))
      }
      // An executor that ends at once when it is told knows what became of its effect: within the same turn, that is the answer.
      setImmediate(() => {
        if (!asked || atOnce !== undefined) return give()
        giveNow = give
        lingering = setTimeout(give, lingerMs)
      })
    },
    finish(finished) {
      if (given) late(finished)
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
