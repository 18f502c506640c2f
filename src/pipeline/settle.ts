// The second write of a mutating call: what its attempt came to, with the answer that every duplicate will get. A read has no slot, so
// only an approval it used is settled.
import type { Call, CallGives, Outcome } from '../contract/call.ts'
import { respond } from '../contract/respond.ts'
import type { AttemptEnd, SettleRequest } from '../contract/settlement.ts'
import { canBeRecovered } from '../execute/recovery.ts'
import { mapResult } from '../execute/result.ts'
import { toolOf } from './context.ts'
import type { Deps } from './deps.ts'
import { asks } from './escalate.ts'
import { type Stop, stop, type Verdict } from './phase.ts'
import { within } from './within.ts'

/** What an executor returned, in time or late, comes to: success, or the failure to say what succeeded. */
export function settleReturned(call: Call, returned: unknown, deps: Deps): Verdict | Promise<Verdict> {
  const { outputCheck } = toolOf(call).binding
  if (outputCheck === undefined) return settleMapped(call, returned, undefined, deps)
  return checkedOutput(call, returned).then((checked) =>
    checked === undefined
      ? unmapped(call, "The result does not pass the checks of the tool's output schema.", deps)
      : settleMapped(call, returned, checked, deps),
  )
}

const completed: AttemptEnd = Object.freeze({ status: 'COMPLETED', effect: 'happened', held: false })

function settleMapped(
  call: Call,
  returned: unknown,
  checked: { readonly value: unknown } | undefined,
  deps: Deps,
): Verdict {
  const result = mapResult(returned, checked, toolOf(call))
  if (!result.ok) return unmapped(call, result.message, deps)
  const { json, whole, data, value, bytes } = result
  const warnings = result.notes.length === 0 ? call.warnings : [...call.warnings, ...result.notes]
  const gives = { json, whole, data, value, resultBytes: bytes, warnings }
  return { kind: 'pass', gives: call.slotRef === undefined ? gives : { ...gives, due: completed } }
}

/** Undefined where the library refuses the result, or does not come to an end. */
async function checkedOutput(call: Call, returned: unknown): Promise<{ readonly value: unknown } | undefined> {
  const { binding, contract } = toolOf(call)
  try {
    const checking = binding.outputCheck?.(returned) ?? { ok: true, value: returned }
    const checked = await within(contract.runtime.timeout_ms, checking)
    return checked.ok ? { value: checked.value } : undefined
  } catch {
    return undefined
  }
}

function unmapped(call: Call, message: string, deps: Deps): Verdict {
  const verdict = stop('OBSERVATION_NORMALIZATION_FAIL', 'result_mapping_failed', message)
  if (!deps.transactions.has(call.nonce ?? '')) return { ...verdict, gives: failureEnd(call, verdict, deps) }
  // What cannot be said is not committed either.
  const undone = { ...call, effect: 'none' } as const
  return { ...verdict, gives: { ...failureEnd(undone, verdict, deps), effect: 'none' } }
}

/** Without effect: final or open to a retry, as the class says. Happened: completed, with the failure as its answer. Unknown: held. */
export function failureEnd(call: Call, failure: Stop, deps: Deps): CallGives {
  if (call.slotRef === undefined && call.approval === undefined) return {}
  switch (call.effect) {
    case 'unknown':
      if (becomesKnown(call, deps)) return { due: { status: 'PENDING', effect: 'unknown', held: false } }
      return {
        ...asks(call, 'unknown_effect', 'The attempt ended without saying whether its effect is there.', deps),
        due: { status: 'PENDING', effect: 'unknown', held: true },
      }
    case 'happened':
      return {
        ...asks(call, 'normalization_failed', 'The effect happened, but was not reported as promised.', deps),
        due: completed,
      }
    default: {
      const errorContract = toolOf(call).contract.error_contract
      const { retryable } = respond({ class: failure.class, reason: failure.reason, effect: 'none', errorContract })
      return { due: { status: retryable ? 'FAILED_RETRYABLE' : 'FAILED_FINAL', effect: 'none', held: false } }
    }
  }
}

/** Whether recovery will find out by itself: then nobody is asked, and whoever comes meanwhile is told to come back. */
function becomesKnown(call: Call, { ledger }: Deps): boolean {
  const { slotRecord, idempotencyKey, tool } = call
  if (ledger.durability === 'ephemeral' || call.slotRef === undefined) return false
  // By the ledger's clock alone: this machine's own may be off. What went by since the slot was read is for recovery itself to count.
  const at = call.judgedAt ?? call.startedAt
  const createdAt = (call.attempt ?? 1) > 1 ? (slotRecord?.createdAt ?? at) : at
  return canBeRecovered({ slot: { createdAt, idempotencyKey: idempotencyKey ?? '' }, tool, lastStart: at, at })
}

/** Whether the phases after normalize only look on: then the settle is written with the end of the pass, in one commit. */
export function endsAtOnce(call: Call, { hooks, transactions }: Deps): boolean {
  const { binding, contract } = toolOf(call)
  return (
    binding.verifier === undefined &&
    !contract.transactional.post_action_verification_required &&
    (call.resultBytes ?? 0) <= binding.persistence.maxInlineBytes &&
    !transactions.has(call.nonce ?? '') &&
    hooks.every((hook) => hook.postToolUse === undefined && hook.resultPersistence === undefined)
  )
}

/** What an attempt still holds when its executor ends after its call was answered `unknown`. */
export async function endLate(call: Call, outcome: Outcome, deps: Deps): Promise<Call | undefined> {
  if (call.slotRef === undefined || outcome.effect === 'unknown' || outcome.effect === 'pending') return undefined
  const late: Call = { ...call, outcome, effect: outcome.effect }
  if (outcome.kind === 'returned') {
    const verdict = await settleReturned(late, outcome.value, deps)
    return { ...late, ...gives(verdict), conclusion: verdict.kind === 'stop' ? verdict : { kind: 'success' } }
  }
  const failure = stop(outcome.class, outcome.reason, outcome.message)
  return { ...late, ...failureEnd(late, failure, deps), conclusion: failure }
}

const gives = (verdict: Verdict): CallGives => ('gives' in verdict ? (verdict.gives ?? {}) : {})

export function settleRequest(call: Call, end: AttemptEnd, answer: SettleRequest['answer']): SettleRequest {
  const { contract, binding } = toolOf(call)
  const { ttl_seconds } = contract.idempotency
  return {
    ...end,
    answer,
    callId: call.id,
    tenant: call.tenant,
    nonce: call.nonce ?? '',
    slotKey: call.slotRef?.key,
    generation: call.generation ?? 1,
    attempt: call.attempt ?? 1,
    tries: call.tries ?? 1,
    ttlMs: ttl_seconds === null ? undefined : ttl_seconds * 1_000,
    rebuild: binding.recovery.expired === 'rebuild',
    named: call.slotRef?.resource !== undefined,
  }
}
