// The last gate, and the first write: slot, approval, limits and rate are taken in one atomic step of the ledger, or none of them is. Each
// further start of an admitted call is counted as well: it is one more request to the provider, and a read that is paid for is paid again.
import type { CounterClaim } from '../../contract/call/claim.ts'
import type { AdmittedCall, JudgedCall } from '../../contract/call/stages.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { UncountedStart } from '../../execute/attempt/retry.ts'
import { uuidv7 } from '../../json/id.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { RateWindow } from '../../ledger/ports/limits.ts'
import type { Admission, AdmitRequest } from '../../ledger/ports/operations.ts'
import { amountOf, claimsOf, claimsOfStart } from '../../policy/budgets/claims.ts'
import { refusalText } from '../../policy/budgets/refusal-text.ts'
import { heedsLabels } from '../../policy/labels.ts'
import { keyFields } from '../call/same-operation.ts'
import { answerStanding } from '../call/shared-answers.ts'
import type { Deps } from '../deps.ts'
import { type Act, type Gives, pass, passWith, type Stop, stop, type Verdict } from '../phase.ts'
import { admissionEntry } from '../record/record-pass.ts'
import { contradiction, type SlotGives, verdictOnSlot } from './recall.ts'

type Given = SlotGives & Gives<AdmittedCall, never, 'attempt' | 'starts' | 'nonce' | 'idempotencyKey' | 'recorded'>

export const admit: Act<JudgedCall, Given> = {
  name: 'admit',
  does: 'Reserves the slot, uses the approval or the grant, takes from limits and rate: all in one step.',
  stopsWith: [
    { class: 'BUDGET_EXHAUSTED', reasons: ['budget_exhausted'] },
    { class: 'RATE_LIMITED', reasons: ['rate_limited'] },
    { class: 'CONFIRMATION_MISSING', reasons: ['approval_invalid'] },
    {
      class: 'IDEMPOTENCY_CONFLICT',
      reasons: ['in_progress', 'held', 'operation_expired', 'done_for_another', 'record_contradicted'],
    },
    { class: 'SIGNATURE_MISMATCH', reasons: ['operation_reused'] },
    { class: 'SEMANTIC_INVALIDITY', reasons: ['invalid_arguments'] },
    { class: 'POLICY_VIOLATION', reasons: ['policy_blocked'] },
  ],
  act(call, deps) {
    const claims = claimsFor(call, deps)
    if ('kind' in claims) return claims
    const request = admitRequest(call, claims, deps)
    const admission = deps.ledger.operations.admit(request)
    return admission instanceof Promise
      ? admission.then((admitted) => verdict(admitted, call, request, deps))
      : verdict(admission, call, request, deps)
  },
  keep: ({ idempotencyKey, generation, attempt, slotRef, grant }) =>
    slotRef === undefined
      ? undefined
      : {
          slot: slotRef.key,
          generation: generation ?? 1,
          attempt: attempt ?? 1,
          idempotency_key: idempotencyKey ?? null,
          ...(grant === undefined ? {} : { grant: grant.id }),
        },
}

/** Earlier gates have refused what cannot be counted; a call that came without them is refused here. */
function claimsFor(call: JudgedCall, { budgets }: Deps): readonly CounterClaim[] | Stop {
  // What undoes a step is paid for by the step.
  if (call.saga?.direction === 'backward') return []
  const { tool } = call
  const reading = amountOf(call, tool)
  if (!reading.ok) return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', [reading.error])
  const judged = claimsOf(call, tool, reading.amount, budgets)
  if (!judged.ok) return stop('POLICY_VIOLATION', 'policy_blocked', judged.objection)
  return call.grant === undefined ? judged.claims : [...judged.claims, ...call.grant.claims]
}

function admitRequest(call: JudgedCall, claims: readonly CounterClaim[], deps: Deps): AdmitRequest {
  const { runtime, observability } = call.tool.contract
  const { cost_profile } = runtime
  return {
    callId: call.id,
    tenant: call.tenant,
    nonce: uuidv7(deps.clock.now(), deps.entropy),
    entry: call.slotRef === undefined ? undefined : admissionEntry(call),
    // Blocks hold calls, not money, and an audit wants each call counted by itself.
    exact:
      cost_profile.cost_per_call > 0 ||
      observability.audit_required ||
      call.grant !== undefined ||
      claims.some(({ currency }) => currency !== undefined),
    slot: call.slotRef,
    generation: call.generation,
    unseen: call.unseen,
    unlabelled: call.unseen && heedsLabels(call.tool),
    keyFields: keyFields(call),
    approval: call.approval === undefined ? undefined : { id: call.approval.id, payloadHash: call.payloadHash ?? '' },
    grant: call.grant === undefined ? undefined : { id: call.grant.id },
    rate: call.saga?.direction === 'backward' ? unlimitedRate : rateOf(call.tool),
    claims,
  }
}

function verdict(
  admission: Admission,
  call: JudgedCall,
  { nonce, entry }: AdmitRequest,
  { ledger }: Deps,
): Awaitable<Verdict<Given>> {
  switch (admission.kind) {
    case 'admitted': {
      if (call.slotRef === undefined) return pass
      const { generation, attempt, starts, idempotencyKey } = admission
      return passWith({
        generation,
        attempt,
        starts,
        nonce,
        idempotencyKey,
        recorded: call.recorded + (entry?.facts.length ?? 0),
        effect: 'unknown',
      })
    }
    case 'slot': {
      const judgement = { kind: admission.verdict, record: admission.record } as const
      const standing = answerStanding(admission.record, call, ledger)
      return standing instanceof Promise
        ? standing.then((known) => verdictOnSlot(judgement, call, known))
        : verdictOnSlot(judgement, call, standing)
    }
    case 'contradicted':
      return contradiction(admission.record)
    case 'known':
      return { kind: 'known' }
    case 'approval':
      return stop(
        'CONFIRMATION_MISSING',
        'approval_invalid',
        'The approval was used, withdrawn or ran out before the call could start. Ask again.',
      )
    case 'grant':
      return stop(
        'CONFIRMATION_MISSING',
        'approval_invalid',
        'The standing approval was revoked or ran out before the call could start. Ask again.',
      )
    case 'budget': {
      const { amount } = call.tool.binding
      const field = amount === undefined || admission.claim.currency === undefined ? '$' : fieldPath(amount.pointer)
      return stop('BUDGET_EXHAUSTED', 'budget_exhausted', [{ field, ...refusalText(admission) }], {
        ...(admission.resets === undefined ? {} : { retryAfterMs: admission.resets.afterMs }),
      })
    }
    case 'rate':
      return stop(
        'RATE_LIMITED',
        'rate_limited',
        `This tool is called too often. Wait ${Math.ceil(admission.retryAfterMs / 1000)} s.`,
        { retryAfterMs: admission.retryAfterMs },
      )
  }
}

/** Undoing a step must never wait for a rate limit. */
const unlimitedRate: RateWindow = { scope: 'compensations', windowMs: 1_000, max: 1_000_000_000 }

/** The window that requests of a tool are counted in: calls at their admission, and each further start of one that failed. */
function rateOf({ contract: { identity, runtime } }: Tool): RateWindow {
  const { window_sec, max_requests } = runtime.rate_limits
  return { scope: identity.name, windowMs: window_sec * 1_000, max: max_requests }
}

export async function countStart(call: AdmittedCall, deps: Deps): Promise<UncountedStart | undefined> {
  if (call.saga?.direction === 'backward') return undefined
  const judged = claimsOfStart(call, call.tool, deps.budgets)
  if (!judged.ok) return { why: 'budget_exhausted' }
  try {
    // An admission without an operation: the attempt has its own already, and what a start takes never comes back.
    const admission = await deps.ledger.operations.admit({
      callId: call.id,
      tenant: call.tenant,
      nonce: uuidv7(deps.clock.now(), deps.entropy),
      entry: undefined,
      unseen: false,
      unlabelled: false,
      exact: true,
      slot: undefined,
      generation: 1,
      keyFields: keyFields(call),
      approval: undefined,
      grant: undefined,
      rate: rateOf(call.tool),
      claims: judged.claims,
    })
    switch (admission.kind) {
      case 'admitted':
        return undefined
      case 'rate':
        return { why: 'rate_limited', retryAfterMs: admission.retryAfterMs }
      case 'budget':
        return { why: 'budget_exhausted', ...(admission.resets && { retryAfterMs: admission.resets.afterMs }) }
      default:
        return { why: 'not_counted' }
    }
  } catch (fault) {
    deps.report(fault)
    return { why: 'not_counted' }
  }
}
