// Further starts after a failure: same arguments, same key, a growing pause with full jitter between them. After a failure that may have
// had an effect only a provider that honours the key is asked again, within its window; any other unsafe start is not made, and the log
// says why. Each further start is a request of its own to the rate of the tool: where the rate has no room, it is not made.
import type { Outcome, StartLog, StartRecord } from '../../contract/call/call.ts'
import { type AttemptInput, attempt } from './attempt.ts'
import type { FailedOutcome } from './attempt-outcome.ts'

export interface RetryInput extends AttemptInput {
  readonly maxRetries: number
  /** Made when something has failed: most calls never ask. */
  readonly terms: () => RetryTerms
}

export interface RetryTerms {
  /** Whether the contract and the taxonomy let a failure of this kind be tried again, its effect aside. */
  readonly mayRetry: (outcome: FailedOutcome) => boolean
  /** Whether the provider would still take the same request for the same: its window is open long enough for one more start. */
  readonly mayResend: () => boolean
  /** Counts one more start against all that limits starts; what it gives says why there may be none. */
  readonly count: () => Promise<UncountedStart | undefined>
  /** From 0 to 1. */
  readonly random: () => number
}

/** Why a start was not counted, and so is not made. */
export interface UncountedStart {
  readonly why: 'rate_limited' | 'budget_exhausted' | 'not_counted'
  /** When there may be another, where that is known. */
  readonly retryAfterMs?: number
}

export interface Attempts {
  readonly outcome: Outcome
  readonly count: number
  readonly log: StartLog
}

const baseMs = 100
/** Where a provider asks for a longer pause, no start is made here; the answer says when the caller may try again. */
const longestPauseMs = 10_000

export async function attemptWithRetries(input: RetryInput): Promise<Attempts> {
  const starts: StartRecord[] = []
  const book = createStartBook(input.late)
  let terms: RetryTerms | undefined
  for (let count = 1; ; count++) {
    const startedAt = input.clock.monotonic()
    const { attempt: first } = input.context
    const outcome = await attempt({
      ...input,
      late: book.late,
      context: { ...input.context, attempt: first + count - 1 },
    })
    const tookMs = input.clock.monotonic() - startedAt
    if (outcome.kind === 'returned') {
      starts.push(recordOf(outcome, tookMs, undefined))
      return { outcome: book.conclude(outcome), count, log: { starts } }
    }
    terms ??= input.terms()
    const { mayResend } = terms
    const unsafeNow = () => whyUnsafe(outcome, book.hasHappened(), mayResend)
    const failure: FailedStart = { input, terms, outcome, unsafeNow, count, tookMs }
    const next = nextStart(failure)
    starts.push(recordOf(outcome, tookMs, next.kind === 'retry' ? next.pauseMs : undefined))
    book.end(outcome)
    const end = next.kind === 'retry' ? await waitFor(failure, next.pauseMs) : next
    if (end === undefined) continue
    const log = { starts, ...whyEnded(end, input.maxRetries) }
    return { outcome: withWait(book.conclude(outcome), end), count, log }
  }
}

type Next = { readonly kind: 'retry'; readonly pauseMs: number } | End
type End =
  | { readonly kind: 'blocked'; readonly why: NonNullable<StartLog['blocked']> }
  | { readonly kind: 'end'; readonly why: NonNullable<StartLog['gaveUp']>; readonly retryAfterMs?: number }

/** A start that has failed, for the question whether there is another one. */
interface FailedStart {
  readonly input: RetryInput
  readonly terms: RetryTerms
  readonly outcome: FailedOutcome
  /** Why another start would be unsafe, by what is known now. */
  readonly unsafeNow: () => End | undefined
  readonly count: number
  readonly tookMs: number
}

function nextStart({ input, terms, outcome, unsafeNow, count, tookMs }: FailedStart): Next {
  if (count > input.maxRetries) return { kind: 'end', why: 'exhausted' }
  if (!terms.mayRetry(outcome)) return { kind: 'end', why: 'not_retryable' }
  const unsafe = unsafeNow()
  if (unsafe !== undefined) return unsafe
  const pauseMs = pauseBefore(terms, outcome, count)
  if (pauseMs > longestPauseMs) return { kind: 'end', why: 'pause_too_long' }
  return hasTimeFor(input, pauseMs, tookMs) ? { kind: 'retry', pauseMs } : { kind: 'end', why: 'deadline' }
}

/** Why a start would be unsafe: an effect is there, or may be, and the provider would not know the second request for the first. */
function whyUnsafe({ effect }: FailedOutcome, hasHappened: boolean, mayResend: () => boolean): End | undefined {
  if (effect === 'happened' || hasHappened) return { kind: 'blocked', why: 'effect_happened' }
  return effect === 'unknown' && !mayResend() ? { kind: 'blocked', why: 'effect_unknown' } : undefined
}

/** A tool that changes something must have its whole time: cut off half-way, its effect would be unknown. */
function hasTimeFor({ mutates, contract, leftMs }: RetryInput, pauseMs: number, tookMs: number): boolean {
  const neededMs = pauseMs + (mutates ? contract.runtime.timeout_ms : tookMs)
  return (leftMs() ?? neededMs) >= neededMs
}

/**
 * Undefined once the next start may be made. It is counted when it is due. Waiting and counting take time, in which an earlier start may
 * still end: so whether it is safe is judged again.
 */
async function waitFor({ input, terms, unsafeNow, tookMs }: FailedStart, pauseMs: number): Promise<End | undefined> {
  if (!(await pause(pauseMs, input.signal))) return { kind: 'end', why: 'canceled' }
  const unsafe = unsafeNow()
  if (unsafe !== undefined) return unsafe
  const uncounted = await terms.count()
  if (uncounted !== undefined) return { kind: 'end', ...uncounted }
  if (input.signal?.aborted) return { kind: 'end', why: 'canceled' }
  return unsafeNow() ?? (hasTimeFor(input, 0, tookMs) ? undefined : { kind: 'end', why: 'deadline' })
}

/** The answer says when the rate has room again, where the caller may try again. */
function withWait(outcome: Outcome, end: End): Outcome {
  if (outcome.kind === 'returned' || outcome.effect !== 'none' || end.kind !== 'end') return outcome
  const { retryAfterMs } = end
  return retryAfterMs === undefined
    ? outcome
    : { ...outcome, retryAfterMs: Math.max(retryAfterMs, outcome.retryAfterMs ?? 0) }
}

/** Never earlier than the provider asks; a little later, so that callers that got the same time do not come at once. */
function pauseBefore({ random }: RetryTerms, { retryAfterMs }: FailedOutcome, count: number): number {
  if (retryAfterMs !== undefined) return Math.ceil(retryAfterMs * (1 + random() / 10))
  return Math.round(Math.min(longestPauseMs, baseMs * 2 ** count) * random())
}

function whyEnded(end: End, maxRetries: number): Omit<StartLog, 'starts'> {
  if (end.kind === 'blocked') return { blocked: end.why }
  return maxRetries === 0 ? {} : { gaveUp: end.why }
}

function recordOf(outcome: Outcome, tookMs: number, pausedMs: number | undefined): StartRecord {
  const ms = Math.round(tookMs)
  const paused = pausedMs === undefined ? {} : { paused_ms: pausedMs }
  if (outcome.kind === 'returned') return { outcome: 'returned', effect: outcome.effect, ms, ...paused }
  return { outcome: outcome.code, class: outcome.class, effect: outcome.effect, ms, ...paused }
}

/**
 * What became of the starts of one attempt. A start that was given up as unknown may still end. If it happened, the whole attempt happened.
 * If it did nothing, that says something only once no other start is unknown.
 */
function createStartBook(reportLate: (outcome: Outcome) => void) {
  let open = 0
  let done = false
  let happened: Outcome | undefined
  let refused: Outcome | undefined
  const finish = (outcome: Outcome) => {
    if (outcome.effect === 'happened') {
      if (done && happened === undefined) reportLate(outcome)
      happened ??= outcome
    } else if (outcome.effect === 'none') {
      open--
      refused = outcome
      if (done && open === 0 && happened === undefined) reportLate(outcome)
    }
  }
  return {
    late: finish,
    hasHappened: () => happened !== undefined,
    end(outcome: Outcome) {
      if (outcome.effect === 'unknown') open++
    },
    conclude(outcome: Outcome): Outcome {
      done = true
      if (outcome.effect === 'happened') happened = outcome
      if (happened !== undefined && outcome.effect !== 'happened') return happened
      // No start is unknown any more: the outcome is that of the last one that ended.
      if (outcome.effect === 'unknown' && open === 0 && refused !== undefined) return refused
      // An earlier start may have had its effect, also where the last one had none.
      return outcome.kind === 'failed' && outcome.effect === 'none' && open > 0
        ? { ...outcome, effect: 'unknown' }
        : outcome
    },
  }
}

/** False where the caller went away meanwhile. */
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
