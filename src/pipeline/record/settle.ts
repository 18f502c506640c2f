// The second write of a mutating call: what its attempt came to, with the answer that every duplicate will get. A read has no slot, so
// only an approval it used is settled.
import type { ErrorDetail, Outcome } from '../../contract/call/call.ts'
import { isPartialResult } from '../../contract/call/partial-result.ts'
import { respond } from '../../contract/call/respond.ts'
import type { AttemptEnd, SettleRequest } from '../../contract/call/settlement.ts'
import type { AdmittedCall, Conclusion } from '../../contract/call/stages.ts'
import { canBeRecovered, effectOfStart, unknownEnd } from '../../execute/attempt/recovery.ts'
import {
  type MappedResult,
  mapResult,
  planResult,
  type Returned,
  storesResult,
} from '../../execute/results/map-result.ts'
import { within } from '../../execute/within.ts'
import { inSlices } from '../../json/slices.ts'
import { escalated } from '../call/escalations.ts'
import type { Deps } from '../deps.ts'
import { type Gives, passWith, type Stop, stop, type Verdict } from '../phase.ts'

/** How an attempt ended that failed. */
type FailureGives = Gives<AdmittedCall, never, 'due' | 'escalations' | 'effect'>

export type ResultGives = FailureGives &
  Gives<
    AdmittedCall,
    never,
    'json' | 'whole' | 'data' | 'value' | 'resultBytes' | 'warnings' | 'parts' | 'plan' | 'found'
  >
type ResultVerdict = Extract<Verdict<ResultGives>, { kind: 'pass' | 'stop' }>

/** What an executor returned, in time or late, comes to: success, or the failure to say what succeeded. */
export function settleReturned(
  call: AdmittedCall,
  returned: unknown,
  deps: Deps,
): ResultVerdict | Promise<ResultVerdict> {
  const { outputCheck } = call.tool.binding
  const partial = isPartialResult(returned) ? returned : undefined
  const value = partial === undefined ? returned : partial.value
  const scrub = call.outcome?.kind === 'returned' ? call.outcome.scrub : undefined
  const foreign = call.outcome?.kind === 'returned' && call.outcome.foreign
  const given: Returned = { value, partial, scrub, foreign }
  // Work that was done in part may have no result yet, and then there is nothing to check.
  const unfinished = partial !== undefined && partial.failed.length > 0 && value === undefined
  if (outputCheck === undefined || unfinished) return settleMapped(call, given, deps)
  return checkedOutput(call, value).then((checked) =>
    checked === undefined
      ? unmapped(call, "The result does not pass the checks of the tool's output schema.", deps)
      : settleMapped(call, { ...given, checked }, deps),
  )
}

const completed: AttemptEnd = Object.freeze({ status: 'COMPLETED', effect: 'happened', held: false })

function settleMapped(call: AdmittedCall, returned: Returned, deps: Deps): ResultVerdict | Promise<ResultVerdict> {
  const mapped = mapResult(returned, call.tool)
  return mapped instanceof Promise
    ? mapped.then((result) => mappedVerdict(call, result, deps))
    : mappedVerdict(call, mapped, deps)
}

function mappedVerdict(call: AdmittedCall, result: MappedResult, deps: Deps): ResultVerdict {
  const { tool } = call
  if (!result.ok) return unmapped(call, result.message, deps)
  const { json, whole, data, value, bytes, parts } = result
  const warnings = result.notes.length === 0 ? call.warnings : [...call.warnings, ...result.notes]
  const plan = planResult(tool, bytes)
  const gives = { json, whole, data, value, resultBytes: bytes, warnings, parts, plan, found: foundIn(result) }
  return passWith(call.slotRef === undefined ? gives : { ...gives, due: completed })
}

function foundIn({ cleaned, suspicions }: Extract<MappedResult, { ok: true }>): AdmittedCall['found'] {
  if (cleaned === undefined && suspicions.length === 0) return undefined
  const suspected = suspicions.map(({ rule, pointer }) => ({ rule, pointer }))
  if (cleaned === undefined) return { cleaned: undefined, suspected }
  const { controls, invisible, direction } = cleaned
  return { cleaned: { controls, invisible, direction }, suspected }
}

/** Undefined where the library refuses the result, or does not come to an end. */
async function checkedOutput(call: AdmittedCall, returned: unknown): Promise<{ readonly value: unknown } | undefined> {
  const { binding, contract } = call.tool
  try {
    const checking = binding.outputCheck?.(returned) ?? { ok: true, value: returned }
    const checked = await within(contract.runtime.timeout_ms, checking)
    if (!checked.ok) return undefined
    // The library may decode what no check of the raw value could see.
    const { value } = checked
    return { value: call.outcome?.kind === 'returned' ? await inSlices(call.outcome.scrub(value)) : value }
  } catch {
    return undefined
  }
}

function unmapped(call: AdmittedCall, message: string, deps: Deps): ResultVerdict {
  const failure = stop('OBSERVATION_NORMALIZATION_FAIL', 'result_mapping_failed', message)
  if (!deps.transactions.has(call.nonce ?? '')) return { ...failure, gives: failureEnd(call, failure, deps) }
  // What cannot be said is not committed either.
  const undone = { ...call, effect: 'none' } as const
  return { ...failure, gives: { ...failureEnd(undone, failure, deps), effect: 'none' } }
}

/** Without effect: final or open to a retry, as the class says. Happened: completed, with the failure as its answer. Unknown: held. */
export function failureEnd(call: AdmittedCall, failure: Stop, deps: Deps): FailureGives {
  if (call.slotRef === undefined && call.approval === undefined) return {}
  switch (call.effect) {
    case 'unknown': {
      const unknown = unknownEnd(becomesKnown(call, deps))
      const message = 'The attempt ended without saying whether its effect is there.'
      return { ...(unknown.asks ? escalated(call, 'unknown_effect', message, deps) : {}), due: unknown.end }
    }
    case 'happened':
      return {
        ...escalated(call, 'normalization_failed', 'The effect happened, but was not reported as promised.', deps),
        due: completed,
      }
    default: {
      const errorContract = call.tool.contract.error_contract
      const { retryable } = respond({ class: failure.class, reason: failure.reason, effect: 'none', errorContract })
      return { due: { status: retryable ? 'FAILED_RETRYABLE' : 'FAILED_FINAL', effect: 'none', held: false } }
    }
  }
}

/** Whether recovery will find out by itself: then no person is asked, and a caller that comes meanwhile is told to come back. */
function becomesKnown(call: AdmittedCall, { ledger }: Deps): boolean {
  const { slotRecord, idempotencyKey, tool } = call
  if (ledger.durability === 'ephemeral' || call.slotRef === undefined) return false
  // By the ledger's clock alone: this machine's own may be off. What went by since the slot was read is for recovery itself to count.
  const at = call.judgedAt
  const createdAt = call.attempt > 1 ? (slotRecord?.createdAt ?? at) : at
  return canBeRecovered({ slot: { createdAt, idempotencyKey: idempotencyKey ?? '' }, tool, lastStart: at, at })
}

/** Whether the phases after normalize only look on: then the settle is written with the end of the pass, in one commit. */
export function endsAtOnce(call: AdmittedCall, { hooks, transactions }: Deps): boolean {
  const { binding, contract } = call.tool
  return (
    binding.verifier === undefined &&
    !contract.transactional.post_action_verification_required &&
    !storesResult(call.plan) &&
    !transactions.has(call.nonce ?? '') &&
    hooks.every((hook) => hook.postToolUse === undefined && hook.resultPersistence === undefined)
  )
}

/** The warnings of the call, with a word on what was taken out of its result. */
export function scrubWarnings({ warnings }: AdmittedCall, outcome: Outcome): readonly string[] {
  if (outcome.kind !== 'returned') return warnings
  const said = [...warnings, ...outcome.warnings]
  if (outcome.scrubbed === 0) return said
  const what = outcome.scrubbed === 1 ? 'a secret was' : `${outcome.scrubbed} secrets were`
  return [...said, `result_scrubbed: ${what} taken out of what the tool returned`]
}

export interface LateEnd {
  readonly call: AdmittedCall
  readonly conclusion: Conclusion
}

/** What an attempt still holds when its executor ends after its call was answered `unknown`. */
export async function endLate(call: AdmittedCall, outcome: Outcome, deps: Deps): Promise<LateEnd | undefined> {
  const effect = effectOfStart(outcome.effect, call.resent)
  if (call.slotRef === undefined || effect === 'unknown' || effect === 'pending') return undefined
  // What its pass has asked people was asked by that pass, and is not asked again.
  const late: AdmittedCall = {
    ...call,
    escalations: undefined,
    outcome,
    effect,
    warnings: scrubWarnings(call, outcome),
  }
  if (outcome.kind === 'returned') {
    const verdict = await settleReturned(late, outcome.value, deps)
    const ended = 'gives' in verdict ? { ...late, ...verdict.gives } : late
    return { call: ended, conclusion: verdict.kind === 'stop' ? verdict : returnedEnd(ended) }
  }
  const failure = stop(outcome.class, outcome.reason, outcome.message)
  return { call: { ...late, ...failureEnd(late, failure, deps) }, conclusion: failure }
}

const success: Conclusion = Object.freeze({ kind: 'success' })

/**
 * How a pass ends that no phase has ended. Where work was done in part its effect stands, so its slot is completed and never run again; its
 * answer says which steps are missing.
 */
export function returnedEnd({ parts }: Pick<AdmittedCall, 'parts'>): Conclusion {
  if (parts === undefined) return success
  const errors = parts.failed.map(
    ({ name, code, message }): ErrorDetail => ({
      field: '$',
      expected: '',
      actual: code ?? '',
      message: message === undefined ? `The step ${name} failed.` : `The step ${name} failed: ${message}`,
      ...(code === undefined ? {} : { code }),
    }),
  )
  return stop('PARTIAL_SUCCESS', 'partial_effect', errors)
}

export function settleRequest(call: AdmittedCall, end: AttemptEnd, answer: SettleRequest['answer']): SettleRequest {
  const { contract, binding } = call.tool
  const { ttl_seconds } = contract.idempotency
  return {
    ...end,
    answer,
    callId: call.id,
    tenant: call.tenant,
    nonce: call.nonce ?? '',
    slotKey: call.slotRef?.key,
    generation: call.generation,
    attempt: call.attempt,
    tries: call.tries,
    ttlMs: ttl_seconds === null ? undefined : ttl_seconds * 1_000,
    rebuild: binding.recovery.expired === 'rebuild',
    named: call.slotRef?.resource !== undefined,
  }
}
