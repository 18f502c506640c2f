// The loop: walks the list, writes one fact per phase, and always ends in emit. It alone moves a call from stage to stage, by what verdicts
// give. Nothing waits on its stack: a call that needs a person ends here and is run again from the top later. The only place that catches
// what should never be thrown.
import type { Approval } from '../contract/approval/approval.ts'
import type { Fact, PhaseName, VerdictRecord } from '../contract/call/fact.ts'
import type { Call, Conclusion, EndedCall, OpenedCall } from '../contract/call/stages.ts'
import { effectRow } from '../contract/effects.ts'
import type { EpochMs } from '../json/clock.ts'
import { uuidv7 } from '../json/id.ts'
import type { Draft } from './call/draft.ts'
import { countRepair } from './call/repairs.ts'
import { approvalSubject } from './call/same-operation.ts'
import type { Deps } from './deps.ts'
import { type Known, type Phase, type Stop, stop, type Verdict, type Wait } from './phase.ts'
import { after, afterFailure, isFailureHooked } from './phases/hooks.ts'
import { emit } from './phases/result.ts'
import { pipeline } from './pipeline.ts'
import { settleEntry } from './record/record-pass.ts'
import { endsAtOnce, failureEnd, returnedEnd } from './record/settle.ts'

/** A call that was taken for new and never came to its admission: whether it is new is not known, and nothing was done. */
export interface Unproven {
  readonly kind: 'unproven'
  /** What it locked stays locked. */
  readonly held: OpenedCall['held']
}

/** A hook or a lock may send a call back; more often than this is a bug. */
const maxPhases = pipeline.length * 4
const emitIndex = pipeline.length - 1
const indexOf: ReadonlyMap<PhaseName, number> = new Map(pipeline.map((phase, index) => [phase.name, index]))

/** The call is the loop's own from here on: it is changed, and given back as it ended. Only one taken for new may be given up unproven. */
export async function run(call: Draft & { unseen: true }, deps: Deps): Promise<EndedCall | Unproven>
export async function run(call: Draft, deps: Deps, from?: PhaseName): Promise<EndedCall>
export async function run(draft: Draft, deps: Deps, from: PhaseName = 'resolve'): Promise<EndedCall | Unproven> {
  const facts: Fact[] = [...draft.trail]
  draft.trail = facts
  const log = createLog(draft, facts, deps)
  try {
    const conclusion = await conclude(draft, log, deps, from)
    if (conclusion.kind === 'known' || isUnproven(draft)) return { kind: 'unproven', held: draft.held }
    const counting = countRepair(draft, conclusion, deps)
    const counted = counting instanceof Promise ? await counting : counting
    draft.conclusion = counted
    if (isFailureHooked(draft, counted, deps)) await tellOfFailure(draft, counted, log, deps)
    return end(draft, log, deps)
  } catch (fault) {
    deps.report(fault)
    if (isUnproven(draft)) return { kind: 'unproven', held: draft.held }
    // Ours or a lost dependency's: the call still ends as an answer, and what an effect is known to be is still said.
    if (draft.effect === 'none' && mayHaveHappened(draft)) draft.effect = 'unknown'
    draft.conclusion = internalError
    holdUnsettled(draft, deps)
    return end(draft, log, deps)
  } finally {
    await rollBack(draft, deps)
  }
}

const isUnproven = ({ unseen, nonce }: Draft) => unseen && nonce === undefined

function end(draft: Draft, log: Log, deps: Deps): EndedCall {
  const ended = draft as EndedCall
  const emitted = emit.act(ended, deps)
  Object.assign(draft, emitted.gives)
  log(emit, verdictRecord(emitted), emit.keep(ended))
  return ended
}

/** The hooks of the host hear of a tool that failed once that is written down: they may take their time. */
async function tellOfFailure(draft: Draft, conclusion: Conclusion, log: Log, deps: Deps): Promise<void> {
  const inTransaction = deps.transactions.has(draft.nonce ?? '')
  if (draft.due !== undefined && !inTransaction) await settle(draft, conclusion, deps)
  Object.assign(draft, await afterFailure(draft, conclusion, deps))
  log(after, passed, after.keep(draft))
}

/** A transaction that did not come to its commit is undone, however the pass ended. */
async function rollBack({ nonce }: Draft, { transactions }: Deps): Promise<void> {
  const transaction = nonce === undefined ? undefined : transactions.get(nonce)
  if (nonce === undefined || transaction === undefined) return
  transactions.delete(nonce)
  await transaction.rollback()
}

/** An admitted call whose end could not be written is held, so that no caller waits for it in vain. */
function holdUnsettled(draft: Draft, deps: Deps): void {
  if (draft.nonce === undefined || draft.settled !== undefined || draft.due !== undefined) return
  Object.assign(draft, failureEnd(draft, internalError, deps))
}

const internalError = stop(
  'UNKNOWN_ERROR',
  'internal_error',
  'Something failed that should not. The call is on record; have it looked at.',
)

/** Awaits only what is a promise: a read on the memory ledger passes most phases without leaving the stack. */
async function conclude(draft: Draft, log: Log, deps: Deps, from: PhaseName): Promise<Conclusion | Known> {
  let index = indexOf.get(from) ?? 0
  for (let steps = 0; index < emitIndex; steps++) {
    if (steps > maxPhases) return stop('UNKNOWN_ERROR', 'internal_error', 'The call was sent back too often.')
    const phase = pipeline[index] as Phase
    let verdict: Verdict<object>
    let evidence: unknown
    if ('act' in phase) {
      const acting = phase.act(draft, deps)
      verdict = acting instanceof Promise ? await acting : acting
      apply(draft, verdict)
      evidence = phase.keep?.(draft)
    } else {
      const gathering = phase.gather?.(draft, deps)
      const gathered = gathering instanceof Promise ? await gathering : gathering
      verdict = phase.decide(draft, gathered)
      evidence = gathered === undefined || phase.keep === undefined ? gathered : phase.keep(gathered, draft)
      apply(draft, verdict)
    }
    if (verdict.kind === 'known') return verdict
    log(phase, verdictRecord(verdict), evidence)
    switch (verdict.kind) {
      case 'pass':
        if (draft.due !== undefined && !endsAtOnce(draft, deps)) {
          const lost = await settle(draft, returnedEnd(draft), deps)
          if (lost !== undefined) return lost
        }
        index++
        break
      case 'again':
        index = indexOf.get(verdict.from) ?? emitIndex
        break
      case 'wait': {
        // No person is asked about a call that is not to start any more; schedule says why.
        if (draft.signal?.aborted === true) {
          index = indexOf.get('schedule') ?? emitIndex
          break
        }
        const approval = await openApproval(draft, verdict, deps)
        return approval === undefined ? tooManyWait : { kind: 'wait', reason: verdict.reason, approval }
      }
      case 'stop':
      case 'end':
        return verdict
    }
  }
  return returnedEnd(draft)
}

/** From here on a duplicate gets this answer, also where a phase that is left fails. */
async function settle(draft: Draft, conclusion: Conclusion, deps: Deps): Promise<Stop | undefined> {
  const entry = settleEntry(draft, conclusion, deps)
  const transaction = deps.transactions.get(draft.nonce ?? '')
  if (transaction === undefined) await deps.ledger.operations.record(entry)
  else {
    deps.transactions.delete(draft.nonce ?? '')
    // Until the commit has answered, its effect is unknown.
    draft.effect = 'unknown'
    draft.due = undefined
    const settlement = await transaction.commit(entry)
    draft.effect = settlement === 'settled' ? 'happened' : 'none'
    if (settlement === 'late') {
      // Where others settled it first, this comes late as well and changes nothing.
      draft.due = { status: 'FAILED_RETRYABLE', effect: 'none', held: false }
      return uncommitted
    }
  }
  draft.recorded = draft.trail.length
  draft.settled = { data: draft.data ?? null, warnings: draft.warnings }
  draft.due = undefined
  return undefined
}

const uncommitted = stop(
  'DEPENDENCY_UNAVAILABLE',
  'execution_failed',
  'The attempt was given up before it could commit, so nothing was done. Make the same call again.',
)

type Log = (phase: Phase, verdict: VerdictRecord, evidence: unknown) => void

/** One reading of the monotonic clock per phase: the end of one is the start of the next. */
function createLog(call: Draft, facts: Fact[], { clock }: Deps): Log {
  const origin = clock.monotonic()
  const startedAt = clock.now()
  let last = origin
  return (phase, verdict, evidence) => {
    const now = clock.monotonic()
    const at = Math.trunc(startedAt + now - origin) as EpochMs
    const micros = Math.round((now - last) * 1_000)
    last = now
    const seq = facts.length + 1
    facts.push({ callId: call.id, pass: call.pass, seq, phase: phase.name, at, micros, verdict, evidence })
  }
}

/** Before its slot was read, it cannot be said of a mutating call that its operation never happened. */
export function mayHaveHappened({ tool, slotRef }: Pick<Call, 'tool' | 'slotRef'>): boolean {
  return tool !== undefined && slotRef === undefined && effectRow(tool.contract.transactional.side_effect_class).mutates
}

function apply(draft: Draft, verdict: Verdict<object>): void {
  if ('gives' in verdict) Object.assign(draft, verdict.gives)
}

const passed: VerdictRecord = Object.freeze({ kind: 'pass' })

/** A verdict without the values it was reached on. */
export function verdictRecord(verdict: Exclude<Verdict<object>, Known>): VerdictRecord {
  switch (verdict.kind) {
    case 'pass':
      return passed
    case 'again':
      return { kind: 'again', from: verdict.from }
    case 'end':
      return { kind: 'end', reason: 'recorded_answer' }
    case 'wait':
      return { kind: 'wait', reason: verdict.reason }
    case 'stop':
      return { kind: 'stop', class: verdict.class, reason: verdict.reason, errors: verdict.errors }
  }
}

/** Of one user and agent in one run: more than people can look at. */
const maxOpenApprovals = 100

const tooManyWait = stop(
  'BUDGET_EXHAUSTED',
  'budget_exhausted',
  `${maxOpenApprovals} requests of this user wait for people already in this run. Wait for their decisions.`,
)

async function openApproval(call: Draft, wait: Wait, deps: Deps): Promise<Approval | undefined> {
  const now = deps.clock.now()
  const approval = await deps.ledger.approvals.open(
    {
      ...wait.asked,
      id: `appr_${uuidv7(now, deps.entropy)}`,
      kind: 'call',
      callId: call.id,
      run: call.run,
      subject: approvalSubject(call, wait.payloadHash),
      barred: [],
      content: undefined,
      ttlMs: wait.asked.requirement.ttlMs,
      replaces: wait.replaces,
      waiting: wait.waiting,
      resume: call.resumeOnDecision,
    },
    maxOpenApprovals,
  )
  if (approval === undefined) return undefined
  // Confirm's fact is the last one: it names the approval that its verdict has opened.
  const facts = call.trail as Fact[]
  const last = facts.pop()
  if (last !== undefined) facts.push({ ...last, evidence: { ...(last.evidence as object), opened: approval.id } })
  return approval
}
