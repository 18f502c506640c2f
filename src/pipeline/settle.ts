// The second write of a mutating call: what its attempt came to, with the answer that every duplicate will get. A read has no slot, so
// only an approval it used is settled.
import type { Call, Outcome } from '../contract/call.ts'
import { mapResult } from '../execute/result.ts'
import type { Settlement, SettleRequest } from '../ledger/ledger.ts'
import { makeAnswer, recordAnswer } from './answers.ts'
import { toolOf } from './context.ts'
import type { Deps } from './deps.ts'
import { escalate } from './escalate.ts'
import { budgetOf } from './operation.ts'
import { type Stop, stop, type Verdict } from './phase.ts'
import { within } from './within.ts'

type Settled = Pick<SettleRequest, 'status' | 'effect' | 'held' | 'answer'>

/** Settles what an executor returned, in time or late: success, or the failure to say what succeeded. */
export function settleReturned(call: Call, returned: unknown, deps: Deps): Verdict | Promise<Verdict> {
  const { outputCheck } = toolOf(call).binding
  if (outputCheck === undefined) return settleMapped(call, returned, undefined, deps)
  return checkedOutput(call, returned).then((checked) =>
    checked === undefined
      ? unmapped(call, "The result does not pass the checks of the tool's output schema.", deps)
      : settleMapped(call, returned, checked, deps),
  )
}

function settleMapped(
  call: Call,
  returned: unknown,
  checked: { readonly value: unknown } | undefined,
  deps: Deps,
): Verdict | Promise<Verdict> {
  const result = mapResult(returned, checked, toolOf(call))
  if (!result.ok) return unmapped(call, result.message, deps)
  const { json, whole, data, value, bytes } = result
  const warnings = result.notes.length === 0 ? call.warnings : [...call.warnings, ...result.notes]
  const gives = { json, whole, data, value, resultBytes: bytes, warnings }
  if (call.slotRef === undefined) return { kind: 'pass', gives }
  const mapped = { ...call, ...gives }
  const answer = recordAnswer(makeAnswer(mapped, { kind: 'success' }, deps.clock.now()), mapped)
  const settling = write(call, { status: 'COMPLETED', effect: 'happened', held: false, answer }, deps)
  return settling.then(() => ({ kind: 'pass', gives: { ...gives, settled: { data, warnings } } }))
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

async function unmapped(call: Call, message: string, deps: Deps): Promise<Verdict> {
  const verdict = stop('OBSERVATION_NORMALIZATION_FAIL', 'result_mapping_failed', message)
  await settleFailure(call, verdict, deps)
  return verdict
}

/** Without effect: final or open to a retry, as the class says. Happened: completed, with the failure as its answer. Unknown: held. */
export async function settleFailure(call: Call, failure: Stop, deps: Deps): Promise<void> {
  if (call.slotRef === undefined && call.approval === undefined) return
  const answer = makeAnswer(call, failure, deps.clock.now())
  const recorded = recordAnswer(answer, call)
  const { effect } = recorded
  switch (effect) {
    case 'unknown':
      await write(call, { status: 'PENDING', effect, held: true, answer: recorded }, deps)
      return escalate(call, 'unknown_effect', 'The attempt ended without saying whether its effect is there.', deps)
    case 'happened':
      await write(call, { status: 'COMPLETED', effect, held: false, answer: recorded }, deps)
      return escalate(call, 'normalization_failed', 'The effect happened, but was not reported as promised.', deps)
    case 'none': {
      const status = answer.response.retryable ? 'FAILED_RETRYABLE' : 'FAILED_FINAL'
      await write(call, { status, effect, held: false, answer: recorded }, deps)
    }
  }
}

/** An executor that ends after its call was answered `unknown` resolves its own held slot; the fact says that it came late. */
export async function settleLate(call: Call, outcome: Outcome, deps: Deps): Promise<void> {
  if (call.slotRef === undefined || outcome.effect === 'unknown' || outcome.effect === 'pending') return
  const { effect } = outcome
  const late = { ...call, outcome, effect }
  try {
    if (outcome.kind === 'returned') await settleReturned(late, outcome.value, deps)
    else await settleFailure(late, stop(outcome.class, outcome.reason, outcome.message), deps)
    const fact = {
      callId: call.id,
      pass: call.pass,
      seq: lateSeq,
      phase: 'execute',
      at: deps.clock.now(),
      micros: 0,
    } as const
    await deps.ledger.appendFact({ ...fact, verdict: { kind: 'late', effect }, evidence: undefined })
  } catch {
    // The ledger is gone; the record stays held, which is what it was, and the escalation is already open.
  }
}

/** Beyond any pass of the pipeline, whose facts are numbered from 1. */
const lateSeq = 1_000

async function write(call: Call, settled: Settled, deps: Deps): Promise<Settlement> {
  const { ttl_seconds } = toolOf(call).contract.idempotency
  return deps.ledger.settle({
    ...settled,
    callId: call.id,
    tenant: call.tenant,
    slotKey: call.slotRef?.key,
    generation: call.generation ?? 1,
    attempt: call.attempt ?? 1,
    tries: call.tries ?? 1,
    ttlMs: ttl_seconds === null ? undefined : ttl_seconds * 1_000,
    approvalId: call.approval?.id,
    budget: budgetOf(call, deps),
  })
}
