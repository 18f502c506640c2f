// Further attempts after a failure that left no effect: same arguments, same key, a growing pause with jitter between them. Anything
// that may have had an effect ends the attempts at once.
import type { Outcome } from '../contract/call.ts'
import { type AttemptInput, attempt } from './attempt.ts'

export interface RetryInput extends AttemptInput {
  readonly maxRetries: number
  /** Whether the contract and the taxonomy let this failure be tried again. */
  readonly mayRetry: (outcome: Extract<Outcome, { kind: 'failed' }>) => boolean
  /** From 0 to 1. */
  readonly random: () => number
}

export interface Attempts {
  readonly outcome: Outcome
  readonly count: number
}

const baseMs = 100
/** A provider that asks for longer is left to the caller, who is told so. */
const longestPauseMs = 10_000

export async function attemptWithRetries(input: RetryInput): Promise<Attempts> {
  for (let count = 1; ; count++) {
    const outcome = await attempt({
      ...input,
      context: { ...input.context, attempt: input.context.attempt + count - 1 },
    })
    if (outcome.kind === 'returned' || count > input.maxRetries) return { outcome, count }
    const pauseMs = outcome.retryAfterMs ?? baseMs * 2 ** (count - 1) * (1 + input.random())
    const goesOn = outcome.effect === 'none' && pauseMs <= longestPauseMs && input.mayRetry(outcome)
    if (!goesOn || !(await pause(pauseMs, input.signal))) return { outcome, count }
  }
}

/** False when the caller went away meanwhile. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = () => {
      clearTimeout(timer)
      resolve(false)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave)
      resolve(true)
    }, ms)
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave, { once: true })
  })
}
