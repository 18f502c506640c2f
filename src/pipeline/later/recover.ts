// Finds out what became of operations whose owners are gone, by the way their tools allow, and settles them. One claim is one
// operation, given to this process alone; what it comes to is a fact of the call.
import type { Answer } from '../../contract/call/answer.ts'
import type { Fact, RecoveryWay } from '../../contract/call/fact.ts'
import type { AttemptEnd } from '../../contract/call/settlement.ts'
import type { SlotRef } from '../../contract/call/slot.ts'
import type { AdmittedCall } from '../../contract/call/stages.ts'
import type { Verification } from '../../contract/tool/executor.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { VerificationReport } from '../../contract/verification/verification.ts'
import { judgeReadBack, planRecovery, type RecoveryVerdict, unknownEnd } from '../../execute/attempt/recovery.ts'
import { rolledBack } from '../../execute/verification/reports.ts'
import { uuidv7 } from '../../json/id.ts'
import type { ReadLimits } from '../../json/refusal.ts'
import type { Claim } from '../../ledger/ports/operations.ts'
import { claimMs, orphanMs } from '../../ledger/rules/recovery-times.ts'
import type { Draft } from '../call/draft.ts'
import { escalation } from '../call/escalations.ts'
import { readEffect, wordOf } from '../call/read-effect.ts'
import { bodyOf } from '../call/verification-body.ts'
import type { Deps } from '../deps.ts'
import { stop } from '../phase.ts'
import { makeAnswer, recordAnswer } from '../record/answers.ts'
import { noticesOf, recordPass } from '../record/record-pass.ts'
import { reopenCall } from '../record/reopen-call.ts'
import { settleRequest } from '../record/settle.ts'
import { run } from '../run.ts'

export interface RecoverInput {
  readonly deps: Deps
  readonly limits: ReadLimits
  /** Every tool of this process, by contract hash. */
  readonly byHash: ReadonlyMap<string, Tool>
  /** Takes up a saga whose step was read back and is not as it should be, where this process can. */
  readonly resumeSaga?: (saga: { readonly tenant: string; readonly id: string }) => Promise<void>
}

export type Recovered = 'happened' | 'none' | 'held' | 'later'

const claimLimit = 32

/** Looks after everything that is due. Gives what became of each operation. */
export async function sweep(input: RecoverInput): Promise<readonly Recovered[]> {
  const { ledger } = input.deps
  const outcomes: Recovered[] = []
  for (;;) {
    const claims = await ledger.operations.claim({
      contracts: [...input.byHash.keys()],
      limit: claimLimit,
      forMs: claimMs,
    })
    outcomes.push(...(await Promise.all(claims.map((claim) => attend(claim, input)))))
    if (claims.length < claimLimit) return outcomes
  }
}

/** One that fails does not keep the others waiting; it is claimed again later, and after some time people are asked. */
async function attend(claim: Claim, input: RecoverInput): Promise<Recovered> {
  const { deps, byHash } = input
  const { slot, at } = claim
  try {
    return await recover(claim, input)
  } catch (error) {
    deps.report(error)
  }
  const ownMs = byHash.get(slot.contractHash)?.contract.runtime.timeout_ms ?? 0
  if (at < slot.admittedAt + ownMs + orphanMs) return 'later'
  try {
    // It may have been started anew under another name before that failed: the start that is the newest by now is meant.
    return await hold({ ...claim, slot: { ...slot, nonce: '' } }, 'gave_up', deps)
  } catch (error) {
    deps.report(error)
    return 'later'
  }
}

async function recover(claim: Claim, input: RecoverInput): Promise<Recovered> {
  const { slot, lastStart, at } = claim
  const { deps } = input
  const tool = input.byHash.get(slot.contractHash)
  const plan = planRecovery({ slot, tool, lastStart, at })
  // People are asked about the operation; why it could not be read is for those who run this.
  const unread = (error: unknown): undefined => void deps.report(error)
  const call = tool === undefined ? undefined : await reopened(claim, tool, input.limits).catch(unread)
  if (call === undefined) return hold(claim, tool === undefined ? plan.how : 'no_way', deps)
  switch (plan.kind) {
    case 'undone':
      return settleNone(claim, call, plan.how, deps)
    case 'send_again': {
      const nonce = uuidv7(deps.clock.now(), deps.entropy)
      const { timeout_ms: timeoutMs } = call.tool.contract.runtime
      const { withinMs } = plan
      if (!(await deps.ledger.operations.restart(slot, { nonce, timeoutMs, withinMs }))) return 'later'
      // The first fact of the pass that it begins: a pass is numbered from one, without a hole.
      const why = { ...recoveredFact(claim, 'unknown', plan.how), pass: call.pass, seq: 1 }
      const ended = await run({ ...call, nonce, resent: true, trail: [why] }, deps, 'execute')
      await recordPass(ended, deps)
      const { effect } = ended.answer
      return effect === 'happened' || effect === 'none' ? effect : (ended.due?.held ?? false) ? 'held' : 'later'
    }
    case 'read_back': {
      // Before the world is read: what the owner does after that is not in the reading.
      const owner = await deps.ledger.operations.fence(slot)
      const { word, report } = await holdAgainstWorld(call, deps)
      const { absenceCountsAt, horizonMs } = plan
      const verdict = judgeReadBack({ word: word?.status, at, absenceCountsAt, horizonMs, owner })
      return readBack(claim, { ...call, verification: report }, verdict, deps)
    }
    case 'hold':
      return hold(claim, plan.how, deps)
  }
}

interface JudgedCall {
  readonly word: Verification | undefined
  readonly report: VerificationReport | undefined
}

/** Reads back what a lost attempt has done. Its result is not known. */
async function holdAgainstWorld(call: AdmittedCall, deps: Deps): Promise<JudgedCall> {
  const plan = call.tool.binding.verifier
  if (plan === undefined) return { word: undefined, report: undefined }
  const body = bodyOf(call, plan)
  const read = await readEffect({ call, plan, body, reported: 'failure', reads: 1, next: undefined, deps })
  return { word: wordOf(read), report: read.report }
}

async function readBack(claim: Claim, call: AdmittedCall, verdict: RecoveryVerdict, deps: Deps): Promise<Recovered> {
  switch (verdict.kind) {
    case 'happened':
      return settleHappened(claim, call, deps)
    case 'none':
      return settleNone(claim, call, 'verifier', deps)
    case 'later':
      await deps.ledger.operations.postpone(claim.slot, verdict.ms)
      return 'later'
    case 'hold':
      return hold(claim, 'verifier', deps)
  }
}

/** The call as its admission left it: same arguments, same key, same attempt. */
async function reopened({ slot, call }: Claim, tool: Tool, limits: ReadLimits): Promise<Draft | undefined> {
  const { generation, attempt, starts, nonce, idempotencyKey } = slot
  const opened = await reopenCall(call, tool, limits)
  if (opened === undefined) return undefined
  const slotRef = slotRefOf(slot, call.key.providerCallId)
  return { ...opened, slotRef, generation, attempt, starts, nonce, idempotencyKey }
}

function slotRefOf(slot: Claim['slot'], providerCallId: string | undefined): SlotRef {
  const { tenant, key, kind, operation, requestHash, run: of, resource } = slot
  return { tenant, key, kind, operation, requestHash, providerCallId, run: of, resource }
}

/** Above the numbers of facts of a pass, and apart from late ends. */
const recoveredSeq = 2_000

function recoveredFact(
  { call, at }: Claim,
  effect: 'happened' | 'none' | 'unknown',
  how: RecoveryWay,
  report?: VerificationReport,
): Fact {
  const verdict = { kind: 'recovered', effect, how } as const
  return {
    callId: call.id,
    pass: call.passes,
    seq: recoveredSeq,
    phase: 'execute',
    at,
    micros: 0,
    verdict,
    evidence: report,
  }
}

async function settleHappened(claim: Claim, call: AdmittedCall, deps: Deps): Promise<Recovered> {
  const warnings = ['recovered: the attempt was lost after its effect, which was found by reading it back']
  const found: AdmittedCall = { ...call, effect: 'happened', warnings, data: null }
  const end = { status: 'COMPLETED', effect: 'happened', held: false } as const
  const answer = makeAnswer(found, { kind: 'success' }, claim.at)
  await settle(claim, { call: found, end, how: 'verifier', answer }, deps)
  return 'happened'
}

async function settleNone(claim: Claim, call: AdmittedCall, how: RecoveryWay, deps: Deps): Promise<Recovered> {
  const verification = how === 'transaction' ? rolledBack(call.tool) : undefined
  const undone: AdmittedCall = { ...call, effect: 'none', verification }
  const message = 'The attempt was lost before its effect; nothing was done. The same call may be made again.'
  const failure = stop('DEPENDENCY_UNAVAILABLE', 'execution_failed', message)
  const end = { status: 'FAILED_RETRYABLE', effect: 'none', held: false } as const
  await settle(claim, { call: undone, end, how, answer: makeAnswer(undone, failure, claim.at) }, deps)
  return 'none'
}

interface RecoveredEnd {
  readonly call: AdmittedCall
  readonly end: AttemptEnd & { readonly effect: 'happened' | 'none' }
  readonly how: RecoveryWay
  readonly answer: Answer
}

async function settle(claim: Claim, { call, end, how, answer }: RecoveredEnd, deps: Deps): Promise<void> {
  const { effect } = end
  await deps.ledger.operations.record({
    call: {
      ...claim.call,
      status: answer.observation.status.taxonomy_class,
      effect,
      told: noticesOf(answer),
      ...(call.verification === undefined ? {} : { verification: call.verification }),
    },
    facts: [recoveredFact(claim, effect, how, call.verification)],
    findAgain: true,
    settle: { ...settleRequest(call, end, recordAnswer(answer, call)), tries: 0 },
  })
}

const holdReasons: Readonly<Record<RecoveryWay, string>> = {
  transaction: 'Its transaction could not be looked at.',
  provider_key: "The provider's window for its key has passed.",
  verifier: 'Reading it back gave no clear answer.',
  no_way: 'Its tool has neither a provider key nor a verifier that could tell.',
  no_contract: 'No running process has the tool of its contract.',
  gave_up: 'Finding out about it has failed again and again; the faults that this process reported say why.',
}

async function hold(claim: Claim, how: RecoveryWay, deps: Deps): Promise<Recovered> {
  const { slot, call } = claim
  const { tenant, key, generation, attempt, nonce } = slot
  const message = `An attempt was lost, and its effect may or may not be there. ${holdReasons[how]}`
  await deps.ledger.operations.record({
    call: { ...call, effect: 'unknown', status: call.status === 'RUNNING' ? 'UNKNOWN_ERROR' : call.status },
    facts: [recoveredFact(claim, 'unknown', how)],
    findAgain: true,
    escalations: [escalation({ id: call.id, tenant }, 'unknown_effect', message, deps)],
    settle: {
      ...unknownEnd(false).end,
      callId: call.id,
      tenant,
      nonce,
      slotKey: key,
      generation,
      attempt,
      tries: 0,
      answer: undefined,
      ttlMs: undefined,
      rebuild: false,
      named: false,
    },
  })
  return 'held'
}
