// One attempt of an executor: started, watched, and ended by its timeout or by the caller going away. The answer never waits for an
// executor that ignores its signal; what such an executor still does is reported to `late`.
import type { Outcome } from '../contract/call.ts'
import type { Contract } from '../contract/envelope.ts'
import { LedgerLost, ToolError } from '../contract/fault.ts'
import { isTaxonomyClass, type TaxonomyClass } from '../contract/taxonomy.ts'
import type { ExecutionContext, Executor } from '../contract/tool.ts'
import type { JsonObject } from '../json/value.ts'

export interface AttemptInput {
  readonly executor: Executor
  readonly contract: Contract
  /** Called for every attempt: what one attempt does to its arguments must not reach the next. */
  readonly args: () => JsonObject
  readonly mutates: boolean
  /** `none` where whatever fails is undone as a whole; otherwise the tool has to say so itself. */
  readonly failedEffect: 'none' | undefined
  readonly context: Omit<ExecutionContext, 'signal'>
  /** The caller's own signal. */
  readonly signal: AbortSignal | undefined
  /** Whether this process still owns the attempt. Asked before every start: another may have taken it over meanwhile. */
  readonly mayStart: () => boolean
  /** Called when the executor ends after its outcome was already given as unknown. */
  readonly late: (outcome: Outcome) => void
}

export async function attempt(input: AttemptInput): Promise<Outcome> {
  if (input.signal?.aborted) return { ...canceled(input), effect: 'none' }
  if (!input.mayStart()) return lostLease
  const controller = new AbortController()
  const context: ExecutionContext = { ...input.context, signal: controller.signal }
  let ended = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let leave: (() => void) | undefined

  const interrupted = new Promise<Outcome>((resolve) => {
    const interrupt = (outcome: Outcome, why: string) => {
      if (ended) return
      ended = true
      resolve(outcome)
      controller.abort(new DOMException(why, 'AbortError'))
    }
    const { timeout_ms } = input.contract.runtime
    timer = setTimeout(
      () => interrupt(timedOut(input, timeout_ms), 'The contract’s time is up.'),
      // Node clamps longer delays to one millisecond.
      Math.min(timeout_ms, 2_147_483_647),
    )
    const onCallerAbort = () => interrupt(canceled(input), 'The caller went away.')
    input.signal?.addEventListener('abort', onCallerAbort, { once: true })
    leave = () => input.signal?.removeEventListener('abort', onCallerAbort)
  })

  const finished = start(input, context).then((outcome) => {
    if (ended) input.late(outcome)
    ended = true
    return outcome
  })

  try {
    return await Promise.race([finished, interrupted])
  } finally {
    clearTimeout(timer)
    leave?.()
  }
}

async function start(input: AttemptInput, context: ExecutionContext): Promise<Outcome> {
  try {
    const value = await input.executor.run(input.args(), context)
    return { kind: 'returned', value, effect: input.mutates ? 'happened' : 'none' }
  } catch (error) {
    return failed(input, error)
  }
}

function failed(input: AttemptInput, error: unknown): Outcome {
  const told = toldBy(error)
  if (told instanceof LedgerLost) return { ...lostLease, code: told.code, message: told.message }
  const found = told?.code ?? codeOf(error)
  const mapped = found === undefined ? undefined : mappedClass(input.contract, found)
  // A code that neither the tool nor its contract chose to say is not passed on.
  const code = told !== undefined || mapped !== undefined ? found : undefined
  const effect = input.mutates ? (input.failedEffect ?? effectOf(told) ?? 'unknown') : 'none'
  return {
    kind: 'failed',
    class: mapped ?? 'UNKNOWN_ERROR',
    reason: 'execution_failed',
    code: code ?? 'execution_failed',
    // Only what a tool says on purpose reaches the model; other messages may hold anything, secrets included.
    message: told?.message ?? 'The tool failed with an error that its contract does not describe.',
    effect,
    retryAfterMs: told?.retryAfterMs,
  }
}

/** The contract's word for an executor's code; own properties only, because the code comes from outside. */
function mappedClass(contract: Contract, code: string): TaxonomyClass | undefined {
  const mapping = contract.observability.error_taxonomy_mapping
  const name = Object.hasOwn(mapping, code) ? mapping[code] : undefined
  return name !== undefined && isTaxonomyClass(name) ? name : undefined
}

/** The tool's word, if it is one: what it throws is its own object, and may say anything. */
function effectOf(told: ToolError | undefined): 'none' | 'happened' | undefined {
  return told?.effect === 'none' || told?.effect === 'happened' ? told.effect : undefined
}

/** Only what a tool says on purpose; asking a hostile object what it is may itself throw. */
function toldBy(error: unknown): ToolError | undefined {
  try {
    return error instanceof ToolError ? error : undefined
  } catch {
    return undefined
  }
}

function codeOf(error: unknown): string | undefined {
  try {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
    return typeof code === 'string' && code.length <= 64 ? code : undefined
  } catch {
    return undefined
  }
}

const lostLease: Extract<Outcome, { kind: 'failed' }> = {
  kind: 'failed',
  class: 'DEPENDENCY_UNAVAILABLE',
  reason: 'dependency_unavailable',
  code: 'lease_lost',
  message: 'This process lost touch with the ledger for too long to start the tool. Nothing was done; try again.',
  effect: 'none',
  retryAfterMs: undefined,
}

const timedOut = (input: AttemptInput, timeoutMs: number): Outcome => ({
  kind: 'failed',
  class: 'TIMEOUT',
  reason: 'timeout',
  code: 'timeout',
  message: `The tool did not finish within ${timeoutMs} ms.`,
  effect: input.mutates ? (input.failedEffect ?? 'unknown') : 'none',
  retryAfterMs: undefined,
})

const canceled = (input: AttemptInput): Outcome => ({
  kind: 'failed',
  class: 'UNKNOWN_ERROR',
  reason: 'canceled',
  code: 'canceled',
  message: 'The caller went away while the tool was running.',
  effect: input.mutates ? (input.failedEffect ?? 'unknown') : 'none',
  retryAfterMs: undefined,
})
