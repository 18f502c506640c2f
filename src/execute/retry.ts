// Further starts after a failure: same arguments, same key, a growing pause with full jitter between them. After a failure that may have
// had an effect only a provider that honours the key is asked again, within its window; anything else that is unsafe ends it, and is
// counted.
import type { Outcome, StartLog, StartRecord } from '../contract/call.ts'
import { type AttemptInput, attempt } from './attempt.ts'

type Failed = Extract<Outcome, { kind: 'failed' }>

export interface RetryInput extends AttemptInput {
  readonly maxRetries: number
  /** Whether the contract and the taxonomy let a failure of this kind be tried again, its effect aside. */
  readonly mayRetry: (outcome: Failed) => boolean
  /** Whether the provider would still take the same request for the same: its window is open long enough for one more start. */
  readonly mayResend: () => boolean
  /** From 0 to 1. */
  readonly random: () => number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

export interface Attempts {
  readonly outcome: Outcome
  readonly count: number
  readonly log: StartLog
}

const baseMs = 100
/** A provider that asks for longer is left to the caller, who is told so. */
const longestPauseMs = 10_000

export async function attemptWithRetries(input: RetryInput): Promise<Attempts> {
  const starts: StartRecord[] = []
  const book = createBook(input.late)
  for (let count = 1; ; count++) {
    const startedAt = input.now()
    const { attempt: first } = input.context
    const outcome = await attempt({
      ...input,
      late: book.late,
      context: { ...input.context, attempt: first + count - 1 },
    })
    const tookMs = input.now() - startedAt
    const next = outcome.kind === 'returned' ? undefined : judge(input, outcome, count, tookMs)
    const pausedMs = next?.kind === 'retry' ? next.pauseMs : undefined
    starts.push(recordOf(outcome, tookMs, pausedMs))
    book.end(outcome)
    if (next?.kind === 'retry' && (await pause(next.pauseMs, input.signal))) continue
    const log = { starts, ...(next === undefined ? {} : whyEnded(next, input.maxRetries)) }
    return { outcome: book.conclude(outcome), count, log }
  }
}

type Next =
  | { readonly kind: 'retry'; readonly pauseMs: number }
  | { readonly kind: 'blocked'; readonly why: NonNullable<StartLog['blocked']> }
  | { readonly kind: 'end'; readonly why: NonNullable<StartLog['gaveUp']> }

function judge(input: RetryInput, outcome: Failed, count: number, tookMs: number): Next {
  if (count > input.maxRetries) return { kind: 'end', why: 'exhausted' }
  if (!input.mayRetry(outcome)) return { kind: 'end', why: 'not_retryable' }
  if (outcome.effect === 'happened') return { kind: 'blocked', why: 'effect_happened' }
  if (outcome.effect === 'unknown' && !input.mayResend()) return { kind: 'blocked', why: 'effect_unknown' }
  const pauseMs = pauseBefore(input, outcome, count)
  if (pauseMs > longestPauseMs) return { kind: 'end', why: 'pause_too_long' }
  // What changes something must be able to take its whole time: cut off half-way, nobody would know what it did.
  const neededMs = pauseMs + (input.mutates ? input.contract.runtime.timeout_ms : tookMs)
  return (input.leftMs() ?? neededMs) < neededMs ? { kind: 'end', why: 'deadline' } : { kind: 'retry', pauseMs }
}

/** Never earlier than the provider asks; a little later, so that those who were told the same do not come together. */
function pauseBefore({ random }: RetryInput, { retryAfterMs }: Failed, count: number): number {
  if (retryAfterMs !== undefined) return Math.ceil(retryAfterMs * (1 + random() / 10))
  return Math.round(Math.min(longestPauseMs, baseMs * 2 ** count) * random())
}

function whyEnded(next: Next, maxRetries: number): Omit<StartLog, 'starts'> {
  if (next.kind === 'blocked') return { blocked: next.why }
  if (next.kind === 'retry') return { gaveUp: 'canceled' }
  return maxRetries === 0 ? {} : { gaveUp: next.why }
}

function recordOf(outcome: Outcome, tookMs: number, pausedMs: number | undefined): StartRecord {
  const ms = Math.round(tookMs)
  const paused = pausedMs === undefined ? {} : { paused_ms: pausedMs }
  if (outcome.kind === 'returned') return { outcome: 'returned', effect: outcome.effect, ms, ...paused }
  return { outcome: outcome.code, class: outcome.class, effect: outcome.effect, ms, ...paused }
}

/**
 * What became of the starts of one attempt. One that was given up as unknown may still end: if it happened, that is the truth of the
 * whole attempt; that it did nothing says something only where it is the last one of which that was not known.
 */
function createBook(tellLate: (outcome: Outcome) => void) {
  let open = 0
  let done = false
  let happened: Outcome | undefined
  const settle = (outcome: Outcome) => {
    if (outcome.effect === 'happened') {
      if (done && happened === undefined) tellLate(outcome)
      happened ??= outcome
    } else if (outcome.effect === 'none') {
      open--
      if (done && open === 0 && happened === undefined) tellLate(outcome)
    }
  }
  return {
    late: settle,
    end(outcome: Outcome) {
      if (outcome.effect === 'unknown') open++
    },
    conclude(outcome: Outcome): Outcome {
      done = true
      if (outcome.effect === 'happened') happened = outcome
      if (happened !== undefined && outcome.effect !== 'happened') return happened
      // An earlier start may stand, whatever the last one says of itself.
      return outcome.kind === 'failed' && outcome.effect === 'none' && open > 0
        ? { ...outcome, effect: 'unknown' }
        : outcome
    },
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
