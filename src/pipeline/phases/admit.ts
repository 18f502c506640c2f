// The last gate, and the first write: slot, approval, budget and rate are taken in one atomic step of the ledger, or none of them is.
import type { Call } from '../../contract/call.ts'
import { judgeSlot } from '../../contract/slot.ts'
import { uuidv7 } from '../../json/id.ts'
import type { Admission, AdmitRequest } from '../../ledger/ledger.ts'
import { toolOf } from '../context.ts'
import type { Deps } from '../deps.ts'
import { budgetOf, keyFields, slotVerdict } from '../operation.ts'
import { type Act, pass, stop, type Verdict } from '../phase.ts'
import { admissionEntry } from '../record-pass.ts'

export const admit: Act = {
  name: 'admit',
  does: 'Reserves the slot, uses the approval, counts budget and rate: all in one step.',
  stopsWith: [
    { class: 'BUDGET_EXHAUSTED', reasons: ['budget_exhausted'] },
    { class: 'RATE_LIMITED', reasons: ['rate_limited'] },
    { class: 'CONFIRMATION_MISSING', reasons: ['approval_invalid'] },
    { class: 'IDEMPOTENCY_CONFLICT', reasons: ['in_progress', 'held', 'operation_expired'] },
    { class: 'SIGNATURE_MISMATCH', reasons: ['operation_reused'] },
  ],
  act(call, deps) {
    const request = admitRequest(call, deps)
    const admission = deps.ledger.admit(request)
    return admission instanceof Promise
      ? admission.then((settled) => verdict(settled, call, request, deps))
      : verdict(admission, call, request, deps)
  },
  keep: ({ idempotencyKey, generation, attempt, slotRef }) =>
    slotRef === undefined
      ? undefined
      : {
          slot: slotRef.key,
          generation: generation ?? 1,
          attempt: attempt ?? 1,
          idempotency_key: idempotencyKey ?? null,
        },
}

function admitRequest(call: Call, deps: Deps): AdmitRequest {
  const { identity, runtime, observability } = toolOf(call).contract
  const { rate_limits, cost_profile, timeout_ms } = runtime
  return {
    callId: call.id,
    tenant: call.tenant,
    nonce: uuidv7(deps.clock.now(), deps.entropy),
    entry: call.slotRef === undefined ? undefined : admissionEntry(call),
    timeoutMs: timeout_ms,
    exact: cost_profile.cost_per_call > 0 || observability.audit_required,
    slot: call.slotRef,
    generation: call.generation ?? 1,
    unseen: call.unseen === true,
    keyFields: keyFields(call),
    approval: call.approval === undefined ? undefined : { id: call.approval.id, payloadHash: call.payloadHash ?? '' },
    rate: {
      scope: identity.name,
      windowMs: rate_limits.window_sec * 1_000,
      max: rate_limits.max_requests,
    },
    budget: budgetOf(call, deps),
  }
}

function verdict(admission: Admission, call: Call, { nonce }: AdmitRequest, deps: Deps): Verdict {
  switch (admission.kind) {
    case 'admitted': {
      if (call.slotRef === undefined) return pass
      const { generation, attempt, starts, idempotencyKey } = admission
      return {
        kind: 'pass',
        gives: {
          generation,
          attempt,
          starts,
          nonce,
          effect: 'unknown',
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        },
      }
    }
    case 'slot':
      return call.slotRef === undefined
        ? pass
        : slotVerdict(judgeSlot(admission.record, call.slotRef, deps.clock.now()), call)
    case 'known':
      // Never an answer: whoever opened the call looks it up and runs it again.
      return stop('UNKNOWN_ERROR', 'internal_error', 'Something is known of this call that was not looked up.')
    case 'approval':
      return stop(
        'CONFIRMATION_MISSING',
        'approval_invalid',
        'The approval was used, withdrawn or ran out before the call could start. Ask again.',
      )
    case 'budget':
      return stop(
        'BUDGET_EXHAUSTED',
        'budget_exhausted',
        `This run may make ${admission.max} ${admission.budget} calls and has made them. Finish with what you have, or have the budget raised.`,
      )
    case 'rate':
      return stop(
        'RATE_LIMITED',
        'rate_limited',
        `This tool is called too often. Wait ${Math.ceil(admission.retryAfterMs / 1000)} s.`,
        { retryAfterMs: admission.retryAfterMs },
      )
  }
}
