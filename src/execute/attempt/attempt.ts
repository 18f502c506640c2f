// One attempt of an executor: given its secrets, started, watched, and ended by its timeout or by the caller going away. All that it lets
// out has lost those secrets before it leaves this file. The answer never waits for an executor that ignores its signal; what such an
// executor still does is reported to `late`. Timers may fire late, so the time is compared also when the executor asks.
import type { Outcome } from '../../contract/call/call.ts'
import { LedgerLost, Quarantined, ToolError, Withheld } from '../../contract/fault.ts'
import { isExecutorClass, isTaxonomyClass, type TaxonomyClass } from '../../contract/taxonomy.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import type { ExecutionContext, Executor } from '../../contract/tool/executor.ts'
import { type Clock, elapsedSince, momentOf, timerMs } from '../../json/clock.ts'
import { inSlices, type Steps } from '../../json/slices.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Secrets } from '../credentials/resolve-credentials.ts'
import { toolFetch } from '../egress/tool-egress.ts'
import { cleanedText } from '../results/clean-text.ts'
import { copyOfResultInSteps } from '../scrub/own-result.ts'
import { createScrubbedStream, type ScrubbedStream, type StreamedMessage } from '../scrub/scrub-stream.ts'
import { scrubInSteps } from '../scrub/scrub-value.ts'
import { createScrubber, marked, type Scrubber } from '../scrub/scrubber.ts'
import {
  canceled,
  createOneOutcome,
  cutOff,
  type FailedOutcome,
  lostLease,
  notStarted,
  overdue,
  timedOut,
  tooLate,
} from './attempt-outcome.ts'
import { compareWhenRead } from './may-act.ts'

type MadeByAttempt = 'signal' | 'mayAct' | 'timeoutMs' | 'fetch' | 'credentials' | 'progress' | 'partial' | 'warn'

export interface AttemptInput {
  readonly executor: Executor
  readonly contract: Contract
  /** Called for every attempt: what one attempt does to its arguments must not reach the next. */
  readonly args: () => JsonObject
  readonly mutates: boolean
  /** `none` where a failure is undone as a whole; otherwise the tool has to say so itself. */
  readonly failedEffect: 'none' | undefined
  readonly context: Omit<ExecutionContext, MadeByAttempt>
  /** Whether the output is checked by code of the host, which may open instances of its own classes. */
  readonly checksOutput: boolean
  /** Finds the secrets of one start; undefined where the tool asks for none. */
  readonly secrets: (() => Promise<Secrets>) | undefined
  /** Gets what the executor says while it runs. */
  readonly onMessage: (message: StreamedMessage) => void
  /** The caller's own signal. */
  readonly signal: AbortSignal | undefined
  /** How much of the caller's own time is left; undefined where they set none. */
  readonly leftMs: () => number | undefined
  readonly clock: Clock
  /** Whether this process still owns the attempt. Asked before every start and every effect: another may have taken it over meanwhile. */
  readonly mayStart: () => boolean
  /** Called when the executor ends after its outcome was already given as unknown. */
  readonly late: (outcome: Outcome) => void
}

const mostWarnings = 10
const longestWarning = 500

const noSecrets: ReadonlyMap<string, string> = new Map()

export function attempt(input: AttemptInput): Promise<Outcome> {
  const early = reasonNotToStart(input)
  if (early !== undefined) return Promise.resolve(early)
  return input.secrets === undefined ? startWith(input, noSecrets) : startOnceFound(input, input.secrets)
}

async function startOnceFound(input: AttemptInput, find: () => Promise<Secrets>): Promise<Outcome> {
  const secrets = await find()
  // Finding them took its time: whether it may start is asked again.
  if (secrets.ok) return reasonNotToStart(input) ?? startWith(input, secrets.values)
  return notStarted('DEPENDENCY_UNAVAILABLE', 'credential_missing', secrets.code, secrets.message)
}

/** Undefined where it may be started now. */
function reasonNotToStart(input: AttemptInput): FailedOutcome | undefined {
  if (input.signal?.aborted) return { ...canceled(input), effect: 'none' }
  if (!input.mayStart()) return lostLease
  return (input.leftMs() ?? 1) > 0 ? undefined : overdue
}

async function startWith(input: AttemptInput, secrets: ReadonlyMap<string, string>): Promise<Outcome> {
  const scrubber = createScrubber(secrets)
  const handed = new Map(secrets)
  const controller = new AbortController()
  const { signal } = controller
  const { clock } = input
  const began = momentOf(clock)
  const { timeout_ms } = input.contract.runtime
  const leftMs = input.leftMs() ?? timeout_ms
  const timeoutMs = Math.min(timeout_ms, leftMs)
  const end = createOneOutcome(input.late)
  let stream: ScrubbedStream | undefined
  const warnings: string[] = []
  const streaming = () => {
    stream ??= createScrubbedStream(scrubber, input.onMessage)
    return stream
  }
  const abort = (why: string) => () => controller.abort(new DOMException(why, 'AbortError'))
  const onTimeUp = (asked: boolean) =>
    end.interrupt(leftMs < timeout_ms ? cutOff(input) : timedOut(input, timeoutMs), abort('Its time is up.'), asked)
  const onCallerAbort = () => end.interrupt(canceled(input), abort('The caller went away.'), false)
  const compareTime = () => {
    // The caller's signal may be one that compares the time itself: read, it aborts this one.
    if (!end.isOver() && !input.signal?.aborted && elapsedSince(clock, began) >= timeoutMs) onTimeUp(true)
  }
  const mayAct = () => {
    compareTime()
    return !end.isOver() && input.mayStart()
  }
  compareWhenRead(signal, compareTime)
  const over = new AbortController()
  const context: ExecutionContext = {
    ...input.context,
    signal,
    mayAct,
    timeoutMs,
    fetch: toolFetch(input.context.egress, { signal, over: over.signal, mayAct }),
    credentials: handed,
    progress: (text) => end.isOver() || streaming().progress(text),
    partial: (value) => end.isOver() || streaming().partial(value),
    warn: (text) =>
      void (warnings.length < mostWarnings && warnings.push(withoutSecrets(text, longestWarning, scrubber))),
  }
  const timer = setTimeout(onTimeUp, timerMs(timeoutMs), false)
  input.signal?.addEventListener('abort', onCallerAbort, { once: true })
  ran(input, context)
    .then(
      (returned) => end.finish(inSlices(returnedOutcome(input, returned, scrubber, warnings))),
      (error: unknown) => end.finish(failedOutcome(input, error, scrubber, signal)),
    )
    .catch(end.fail)

  try {
    return await end.outcome
  } finally {
    clearTimeout(timer)
    end.close()
    input.signal?.removeEventListener('abort', onCallerAbort)
    stream?.end()
    // Code that still runs has no secrets any more, and no connections.
    handed.clear()
    over.abort()
  }
}

/** What it throws at once is a rejection as well. */
const ran = async (input: AttemptInput, context: ExecutionContext): Promise<unknown> =>
  await input.executor.run(input.args(), context)

/** The executor has ended, so no time is up any more: what it did is looked through to the end. */
function* returnedOutcome(
  input: AttemptInput,
  returned: unknown,
  scrubber: Scrubber,
  warnings: readonly string[],
): Steps<Outcome> {
  const own = yield* copyOfResultInSteps(returned, input.checksOutput)
  const { value, count } = yield* scrubInSteps(own.value, scrubber)
  const effect = input.mutates ? 'happened' : 'none'
  function* scrub(made: unknown): Steps<unknown> {
    const copy = yield* copyOfResultInSteps(made)
    return (yield* scrubInSteps(copy.value, scrubber)).value
  }
  return { kind: 'returned', value, foreign: own.foreign, effect, scrubbed: count, scrub, warnings }
}

function failedOutcome(input: AttemptInput, error: unknown, scrubber: Scrubber, signal: AbortSignal): FailedOutcome {
  const kind = kindOf(error)
  if (kind === 'withheld') return signal.aborted ? tooLate : lostLease
  const said = kind === 'foreign' ? undefined : saidBy(error as ToolError)
  if (kind === 'quarantined')
    return notStarted(
      'POLICY_VIOLATION',
      'blocked_tool',
      'quarantined',
      said?.message ?? 'It is not as it was approved.',
    )
  if (kind === 'ledger_lost') return { ...lostLease, code: 'ledger_lost', message: said?.message ?? lostLease.message }
  const ownCode = kind === 'foreign' ? codeOfError(error) : said?.code
  const mapped = ownCode === undefined ? undefined : mappedClass(input.contract, ownCode)
  // A code that neither the tool nor its contract chose is not passed on.
  const code = said !== undefined || mapped !== undefined ? ownCode : undefined
  return {
    kind: 'failed',
    class: mapped ?? said?.class ?? 'UNKNOWN_ERROR',
    reason: 'execution_failed',
    code: code === undefined ? 'execution_failed' : withoutSecrets(code, 64, scrubber),
    // Only what a tool says on purpose reaches the model; other messages may hold anything, secrets included.
    message:
      said?.message === undefined
        ? 'The tool failed with an error that its contract does not describe.'
        : withoutSecrets(said.message, 2_000, scrubber),
    effect: input.mutates ? (input.failedEffect ?? said?.effect ?? 'unknown') : 'none',
    retryAfterMs: said?.retryAfterMs,
  }
}

/** A text that was cut may end within a secret: where its last part begins like one, it goes. */
function withoutSecrets(text: string, cutAt: number, scrubber: Scrubber): string {
  const clean = cleanedText(text)
  const whole = text.length < cutAt ? clean : clean.slice(0, scrubber.open(clean) ?? clean.length)
  return marked(whole, scrubber.find(whole))
}

/** What a tool says on purpose. */
interface Said {
  readonly code: string | undefined
  readonly message: string | undefined
  readonly effect: 'none' | 'happened' | undefined
  /** Only a class that an executor may name. */
  readonly class: TaxonomyClass | undefined
  readonly retryAfterMs: number | undefined
}

/**
 * What a tool throws is its own object: each field may hold anything, and something else when it is read again. So each is read once, only
 * values of the right kind are taken, and one that cannot be read says nothing at all.
 */
function saidBy(error: ToolError): Said | undefined {
  try {
    const {
      code,
      message,
      effect,
      class: named,
      retryAfterMs: wait,
    } = error as { readonly [Key in keyof ToolError]: unknown }
    return {
      code: typeof code === 'string' ? code : undefined,
      message: typeof message === 'string' ? message : undefined,
      effect: effect === 'none' || effect === 'happened' ? effect : undefined,
      class: isExecutorClass(named) ? named : undefined,
      retryAfterMs: typeof wait === 'number' && wait >= 0 && Number.isFinite(wait) ? wait : undefined,
    }
  } catch {
    return undefined
  }
}

/** The contract's word for an executor's code; own properties only, because the code comes from outside. */
function mappedClass(contract: Contract, code: string): TaxonomyClass | undefined {
  const mapping = contract.observability.error_taxonomy_mapping
  const name = Object.hasOwn(mapping, code) ? mapping[code] : undefined
  return name !== undefined && isTaxonomyClass(name) ? name : undefined
}

type ErrorKind = 'quarantined' | 'withheld' | 'ledger_lost' | 'tool' | 'foreign'

/** To ask a hostile object what it is may itself throw; then it is none of ours. */
function kindOf(error: unknown): ErrorKind {
  try {
    if (!(error instanceof ToolError)) return 'foreign'
    if (error instanceof Quarantined) return 'quarantined'
    if (error instanceof Withheld) return 'withheld'
    return error instanceof LedgerLost ? 'ledger_lost' : 'tool'
  } catch {
    return 'foreign'
  }
}

function codeOfError(error: unknown): string | undefined {
  try {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
    return typeof code === 'string' && code.length <= 64 ? code : undefined
  } catch {
    return undefined
  }
}
