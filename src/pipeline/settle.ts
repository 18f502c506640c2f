// The second write of a mutating call: what its attempt came to, with the answer that every duplicate will get.
import type { Call, Outcome } from '../contract/call.ts'
import type { Tool } from '../contract/tool.ts'
import { normalizeResult } from '../execute/result.ts'
import type { Settlement, SettleRequest } from '../ledger/ledger.ts'
import { makeAnswer, recordAnswer } from './answers.ts'
import type { Deps } from './deps.ts'
import { escalate } from './escalate.ts'
import type { Stop } from './phase.ts'
import { budgetOf } from './phases/admit.ts'

type Settled = Pick<SettleRequest, 'status' | 'effect' | 'held' | 'answer'>

export function settleSuccess(call: Call, tool: Tool, deps: Deps): Promise<Settlement> {
  const answer = recordAnswer(makeAnswer(call, { kind: 'success' }, deps.clock.now()), call)
  return write(call, tool, { status: 'COMPLETED', effect: 'happened', held: false, answer }, deps)
}

/** Without effect: final or open to a retry, as the class says. Happened: completed, with the failure as its answer. Unknown: held. */
export async function settleFailure(call: Call, tool: Tool, stop: Stop, deps: Deps): Promise<void> {
  if (call.slotRef === undefined) return
  const answer = makeAnswer(call, stop, deps.clock.now())
  const recorded = recordAnswer(answer, call)
  if (recorded.effect === 'unknown') {
    await write(call, tool, { status: 'PENDING', effect: 'unknown', held: true, answer: recorded }, deps)
    await escalate(call, 'unknown_effect', 'The attempt ended without saying whether its effect is there.', deps)
    return
  }
  if (recorded.effect === 'happened') {
    await write(call, tool, { status: 'COMPLETED', effect: 'happened', held: false, answer: recorded }, deps)
    await escalate(
      call,
      'normalization_failed',
      'The effect happened, but the tool did not report it as promised.',
      deps,
    )
    return
  }
  const status = answer.response.retryable ? 'FAILED_RETRYABLE' : 'FAILED_FINAL'
  await write(call, tool, { status, effect: 'none', held: false, answer: recorded }, deps)
}

/** An executor that ends after its call was answered `unknown` resolves its own held slot; the fact says that it came late. */
export async function settleLate(call: Call, tool: Tool, outcome: Outcome, deps: Deps): Promise<void> {
  if (call.slotRef === undefined || outcome.effect === 'unknown') return
  try {
    await writeLate(call, tool, outcome, deps)
  } catch {
    // The ledger is gone; the record stays held, which is what it was, and the escalation is already open.
  }
}

async function writeLate(call: Call, tool: Tool, outcome: Outcome, deps: Deps): Promise<void> {
  const at = deps.clock.now()
  const effect = outcome.effect === 'happened' ? 'happened' : 'none'
  if (outcome.kind === 'returned') {
    const result = await normalizeResult(outcome.value, tool)
    const late = {
      ...call,
      outcome,
      effect: outcome.effect,
      ...(result.ok ? { data: result.data, json: result.json } : {}),
    }
    await settleSuccess(late, tool, deps)
  } else {
    await write(call, tool, { status: 'FAILED_FINAL', effect, held: false, answer: undefined }, deps)
  }
  await deps.ledger.appendFact({
    callId: call.id,
    pass: call.pass,
    seq: lateSeq,
    phase: 'execute',
    at,
    micros: 0,
    verdict: { kind: 'late', effect },
    evidence: undefined,
  })
}

/** Beyond any pass of the pipeline, whose facts are numbered from 1. */
const lateSeq = 1_000

async function write(call: Call, tool: Tool, settled: Settled, deps: Deps): Promise<Settlement> {
  const { ttl_seconds } = tool.contract.idempotency
  return deps.ledger.settle({
    ...settled,
    callId: call.id,
    tenant: call.tenant,
    slotKey: call.slotRef?.key,
    generation: call.generation ?? 1,
    attempt: call.attempt ?? 1,
    ttlMs: ttl_seconds === null ? undefined : ttl_seconds * 1_000,
    approvalId: call.approval?.id,
    budget: budgetOf(call, tool, deps),
  })
}
