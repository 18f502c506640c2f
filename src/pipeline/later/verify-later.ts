// Reads effects back that were not read within their calls: put off on purpose, not there yet, or left behind by a process that is gone.
// One claim is one call, given to this process alone; the last reading is one fact, and one question to people where it went wrong.
import type { Fact } from '../../contract/call/fact.ts'
import type { AdmittedCall, Conclusion } from '../../contract/call/stages.ts'
import type { SagaMark } from '../../contract/saga/saga.ts'
import type { VerificationReport, VerificationState } from '../../contract/verification/verification.ts'
import { foldJournal } from '../../execute/saga/fold-journal.ts'
import { mayTurn } from '../../execute/saga/late-failure.ts'
import { nextWait, undone, unreadableEffect } from '../../execute/verification/reports.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { PassEntry } from '../../ledger/ports/operations.ts'
import type { DueVerification } from '../../ledger/ports/verifications.ts'
import { escalated, escalation } from '../call/escalations.ts'
import { readEffect } from '../call/read-effect.ts'
import { verificationOf } from '../call/verification-body.ts'
import type { Deps } from '../deps.ts'
import { verdictOf } from '../phases/verify.ts'
import { answerAfterReading, makeAnswer } from '../record/answers.ts'
import { noticesOf } from '../record/record-pass.ts'
import { reopenCall } from '../record/reopen-call.ts'
import type { RecoverInput } from './recover.ts'

/** Longer than any reading may take, or another process would begin the same one. */
const claimMarginMs = 60_000
const claimLimit = 32

/** Reads all that is due. Gives what became of each; one that is left to others or to later is PENDING. */
export async function verifyDue(input: RecoverInput): Promise<readonly VerificationState[]> {
  const { deps, byHash } = input
  const states: VerificationState[] = []
  const longest = Math.max(0, ...[...byHash.values()].map(({ contract }) => contract.runtime.timeout_ms))
  for (;;) {
    const contracts = [...byHash.keys()]
    const due = await deps.ledger.verifications.claim({ contracts, limit: claimLimit, forMs: longest + claimMarginMs })
    // One that cannot be read now must not keep the others waiting; it is claimed again later.
    const ends = await Promise.allSettled(due.map((one) => verifyOne(one, input)))
    for (const end of ends) {
      if (end.status === 'rejected') deps.report(end.reason)
      states.push(end.status === 'fulfilled' ? end.value : 'PENDING')
    }
    if (due.length < claimLimit) return states
  }
}

async function verifyOne(due: DueVerification, input: RecoverInput): Promise<VerificationState> {
  const { deps } = input
  const tool = input.byHash.get(due.contractHash)
  if (tool === undefined) return finishUnread(due, 'No running process has the tool of its contract.', deps)
  const plan = verificationOf(tool)
  // The call says that it was not read back; why is for those who run this.
  const unread = (error: unknown): undefined => void deps.report(error)
  const opened = await reopenCall(due.call, tool, input.limits).catch(unread)
  if (opened === undefined || plan === undefined) return finishUnread(due, 'The call cannot be read any more.', deps)
  const { body } = due
  const call: AdmittedCall = {
    ...opened,
    effect: 'happened',
    idempotencyKey: body.idempotencyKey,
    generation: due.generation,
    attempt: body.attempt,
  }
  const reads = due.reads + 1
  const wait = nextWait(plan, reads)
  const next = wait === undefined ? undefined : ((due.at + wait) as EpochMs)
  const { report } = await readEffect({ call, plan, body, reported: 'success', reads, next, deps })
  if (report.state !== 'PENDING' || wait === undefined) return finish(due, call, report, input)
  await deps.ledger.verifications.postpone(due, wait)
  return 'PENDING'
}

/** One commit: the fact, the call, the answer that duplicates get from now on, and what people are asked. */
async function finish(
  due: DueVerification,
  call: AdmittedCall,
  read: VerificationReport,
  { deps, resumeSaga }: RecoverInput,
): Promise<VerificationState> {
  const { ledger } = deps
  const { key } = due.call
  const slot =
    due.slotKey === undefined ? undefined : await ledger.operations.slot(key.tenant, due.slotKey, key.providerCallId)
  const own = slot?.record?.generation === due.generation ? slot.record : undefined
  const recorded = own?.answer
  const report = own?.status === 'COMPENSATED' ? undone(read.target, read.reads) : read
  const warned = (recorded?.observation.result_payload.warnings ?? due.call.told?.warnings ?? []).filter(isLasting)
  const warnedCall: AdmittedCall = { ...call, warnings: warned }
  const verdict = verdictOf(warnedCall, report, deps)
  const conclusion: Conclusion = verdict.kind === 'stop' ? verdict : { kind: 'success' }
  const { saga } = due.call
  const heeds =
    saga?.direction === 'forward' && report.state === 'FAILED' ? await sagaMayTurn(ledger, key.tenant, saga) : undefined
  const asked =
    saga !== undefined && (heeds === 'goes_on' || heeds === 'may_turn') && verdict.gives?.escalations === undefined
      ? escalated(warnedCall, 'verification_failed', `${unsureOf(heeds, saga)}: ${report.message}`, deps)
      : {}
  const ended: AdmittedCall = { ...warnedCall, ...verdict.gives, ...asked }
  const answer = makeAnswer(ended, conclusion, due.at)
  const { slotKey, generation } = due
  const record = (await ledger.calls.get(due.call.id)) ?? due.call
  const amend =
    recorded === undefined || slotKey === undefined
      ? {}
      : { amend: { slotKey, generation, answer: answerAfterReading(recorded, answer) } }
  const entry: PassEntry = {
    ...verifiedEntry(due, record, report),
    call: {
      ...record,
      status: answer.observation.status.taxonomy_class,
      told: noticesOf(answer),
      verification: report,
    },
    ...amend,
    ...(ended.escalations === undefined ? {} : { escalations: ended.escalations }),
  }
  if (!(await ledger.verifications.finish(due, entry))) return 'PENDING'
  if (saga !== undefined && (heeds === 'turns' || heeds === 'may_turn'))
    await wake(key.tenant, saga.id, resumeSaga, deps)
  return report.state
}

/**
 * What the saga that a call was made for does about it where that call went wrong: it turns back while it goes forward and has not passed its
 * pivot, nor is about to. A pivot that waits may have happened all the same, and one that goes back undoes the call anyway.
 */
async function sagaMayTurn(
  ledger: Ledger,
  tenant: string,
  { id, direction, step }: SagaMark,
): Promise<'turns' | 'may_turn' | 'goes_back' | 'goes_on'> {
  const saga = direction === 'forward' ? await ledger.sagas.get(id, tenant) : undefined
  if (saga === undefined) return 'goes_on'
  const progress = foldJournal(await ledger.sagas.journal(id, tenant))
  const isCompensable = saga.plan.some((planned) => planned.id === step && planned.kind === 'compensable')
  if (isCompensable && progress.direction === 'backward' && progress.finished === undefined) return 'goes_back'
  if (!mayTurn(saga.plan, progress)) return 'goes_on'
  const pivot = saga.plan.find(({ kind }) => kind === 'pivot')
  if (pivot === undefined || progress.track(pivot.id, 'forward').rendered === undefined) return 'turns'
  return saga.state === 'WAITING' ? 'may_turn' : 'goes_on'
}

const unsureOf = (heeds: 'goes_on' | 'may_turn', { step, id }: SagaMark) =>
  `Step ${step} of ${id} ${heeds === 'goes_on' ? 'cannot be undone' : 'is undone only if the pivot has not happened'}`

/** The process that drives it looks before its next step; one that waits is woken. The reading is written, so a failure here costs only time. */
async function wake(tenant: string, id: string, resume: RecoverInput['resumeSaga'], deps: Deps): Promise<void> {
  try {
    await deps.ledger.sagas.wake(tenant, id)
    // Not waited for: other effects are to be read, and going back may take long.
    void resume?.({ tenant, id }).catch(deps.report)
  } catch (fault) {
    deps.report(fault)
  }
}

/** What was said only until the effect would be read. */
const isLasting = (warning: string) => !warning.startsWith('verification_pending')

/** It cannot be read any more: people are asked, and what is on record of the call stays. */
async function finishUnread(due: DueVerification, message: string, deps: Deps): Promise<VerificationState> {
  const report = unreadableEffect(message, due.body.target, due.reads)
  const { id, key } = due.call
  const asked = escalation(
    { id, tenant: key.tenant },
    'unverifiable',
    `The effect could not be read back. ${message}`,
    deps,
  )
  const record = (await deps.ledger.calls.get(id)) ?? due.call
  const entry = { ...verifiedEntry(due, record, report), escalations: [asked] }
  return (await deps.ledger.verifications.finish(due, entry)) ? report.state : 'PENDING'
}

/** Above the numbers of facts of a pass, and apart from late ends and recoveries. */
const verifiedSeq = 3_000

function verifiedEntry(due: DueVerification, record: CallRecord, report: VerificationReport): PassEntry {
  const { state, discrepancy } = report
  const fact: Fact = {
    callId: record.id,
    pass: record.passes,
    seq: verifiedSeq,
    phase: 'verify',
    at: due.at,
    micros: 0,
    verdict: { kind: 'verified', state, discrepancy },
    evidence: report,
  }
  return { call: { ...record, verification: report }, facts: [fact], findAgain: true }
}
