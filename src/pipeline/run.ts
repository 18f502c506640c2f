// The loop: walks the list, writes one fact per phase, and always ends in emit. Nothing waits on its stack: a call that needs a person
// ends here and is run again from the top later. The only place that catches what should never be thrown.

import type { Approval } from '../contract/approval/approval.ts'
import type { Answer } from '../contract/call/answer.ts'
import type { Call, Conclusion } from '../contract/call/call.ts'
import type { Fact, PhaseName, VerdictRecord } from '../contract/call/fact.ts'
import { effectRow } from '../contract/effects.ts'
import type { EpochMs } from '../json/clock.ts'
import { uuidv7 } from '../json/id.ts'
import { type Draft, draftOf } from './call/draft.ts'
import { approvalSubject } from './call/operation.ts'
import type { Deps } from './deps.ts'
import { type Phase, type Stop, stop, type Verdict, type Wait } from './phase.ts'
import { after, afterFailure, tellsOfFailure } from './phases/after.ts'
import { emit } from './phases/emit.ts'
import { pipeline } from './pipeline.ts'
import { partialStop } from './record/partial.ts'
import { settleEntry } from './record/record-pass.ts'
import { endsAtOnce, failureEnd } from './record/settle.ts'

export interface Pass {
  readonly call: Call
  readonly facts: readonly Fact[]
  readonly answer: Answer
}

/** A hook or a lock may send a call back; more often than this is a bug. */
const maxPhases = pipeline.length * 4
const emitIndex = pipeline.length - 1
const indexOf: ReadonlyMap<PhaseName, number> = new Map(pipeline.map((phase, index) => [phase.name, index]))

export async function run(initial: Call, deps: Deps, from: PhaseName = 'resolve'): Promise<Pass> {
  // The draft is the loop's own; phases see it as read-only and change it through what their verdict gives.
  const facts: Fact[] = [...(initial.trail ?? [])]
  const draft = draftOf(initial, facts)
  const log = createLog(draft, facts, deps)
  try {
    draft.conclusion = await conclude(draft, facts, log, deps, from)
    if (tellsOfFailure(draft, deps)) await tellOfFailure(draft, log, deps)
    return end(draft, facts, log, deps)
  } catch (fault) {
    deps.report(fault)
    // Ours or a lost dependency's: the call still ends as an answer, and what an effect is known to be is still said.
    if (draft.effect === 'none' && mayHaveHappened(draft)) draft.effect = 'unknown'
    draft.conclusion = internalError
    holdUnsettled(draft, deps)
    return end(draft, facts, log, deps)
  } finally {
    await rollBack(draft, deps)
  }
}

function end(draft: Draft, facts: readonly Fact[], log: Log, deps: Deps): Pass {
  const emitted = emit.act(draft, deps)
  apply(draft, emitted)
  log(emit, verdictRecord(emitted), emit.keep(draft))
  return { call: draft, facts, answer: emitted.gives.answer }
}

/** The hooks of the host hear of a tool that failed once that is written down: they may take their time. */
async function tellOfFailure(draft: Draft, log: Log, deps: Deps): Promise<void> {
  const inTransaction = deps.transactions.has(draft.nonce ?? '')
  if (draft.due !== undefined && !inTransaction) await settle(draft, deps)
  Object.assign(draft, await afterFailure(draft, deps))
  log(after, passed, after.keep(draft))
}

/** A transaction that did not come to its commit is undone, however the pass ended. */
async function rollBack({ nonce }: Draft, { transactions }: Deps): Promise<void> {
  const transaction = nonce === undefined ? undefined : transactions.get(nonce)
  if (nonce === undefined || transaction === undefined) return
  transactions.delete(nonce)
  await transaction.rollback()
}

/** An admitted call whose end could not be written is held, so that nobody waits for it in vain. */
function holdUnsettled(draft: Draft, deps: Deps): void {
  if (draft.attempt === undefined || draft.settled !== undefined || draft.due !== undefined) return
  Object.assign(draft, failureEnd(draft, internalError, deps))
}

const internalError = stop(
  'UNKNOWN_ERROR',
  'internal_error',
  'Something failed that should not. The call is on record; have it looked at.',
)

/** Awaits only what is a promise: a read on the memory ledger passes most phases without leaving the stack. */
async function conclude(draft: Draft, facts: Fact[], log: Log, deps: Deps, from: PhaseName): Promise<Conclusion> {
  let index = indexOf.get(from) ?? 0
  for (let steps = 0; index < emitIndex; steps++) {
    if (steps > maxPhases) return stop('UNKNOWN_ERROR', 'internal_error', 'The call was sent back too often.')
    const phase = pipeline[index] as Phase
    let verdict: Verdict
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
    log(phase, verdictRecord(verdict), evidence)
    switch (verdict.kind) {
      case 'pass':
        if (draft.due !== undefined && !endsAtOnce(draft, deps)) {
          const lost = await settle(draft, deps)
          if (lost !== undefined) return lost
        }
        index++
        break
      case 'again':
        index = indexOf.get(verdict.from) ?? emitIndex
        break
      case 'wait': {
        // Nobody is asked about a call that is not to start any more; schedule says why.
        if (draft.signal?.aborted === true) {
          index = indexOf.get('schedule') ?? emitIndex
          break
        }
        const approval = await openApproval(draft, verdict, facts, deps)
        return approval === undefined ? tooManyWait : { kind: 'wait', reason: verdict.reason, approval }
      }
      case 'stop':
      case 'end':
        return verdict
    }
  }
  return partialStop(draft) ?? { kind: 'success' }
}

/** From here on a duplicate gets this answer, whatever becomes of the phases that are left. */
async function settle(draft: Draft, deps: Deps): Promise<Stop | undefined> {
  const entry = settleEntry(draft, deps)
  const transaction = deps.transactions.get(draft.nonce ?? '')
  if (transaction === undefined) await deps.ledger.operations.record(entry)
  else {
    deps.transactions.delete(draft.nonce ?? '')
    // Until the commit has answered, nobody knows; afterwards everybody does.
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
  draft.recorded = draft.trail?.length ?? 0
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

/** Before its slot was read, nobody can say of a mutating call that its operation never happened. */
export function mayHaveHappened({ tool, slotRef }: Call): boolean {
  return tool !== undefined && slotRef === undefined && effectRow(tool.contract.transactional.side_effect_class).mutates
}

function apply(draft: Draft, verdict: Verdict): void {
  const gives = verdict.kind === 'wait' ? undefined : verdict.gives
  if (gives !== undefined) Object.assign(draft, gives)
}

const passed: VerdictRecord = Object.freeze({ kind: 'pass' })

/** A verdict without the values it was reached on. */
export function verdictRecord(verdict: Verdict): VerdictRecord {
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

/** More than people could ever look at: a run that asks this often is not asking. */
const maxOpenApprovals = 100

const tooManyWait = stop(
  'BUDGET_EXHAUSTED',
  'budget_exhausted',
  `${maxOpenApprovals} requests of this run wait for people already. Wait for their decisions.`,
)

async function openApproval(call: Call, wait: Wait, facts: Fact[], deps: Deps): Promise<Approval | undefined> {
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
  const last = facts.at(-1)
  if (last !== undefined)
    facts[facts.length - 1] = { ...last, evidence: { ...(last.evidence as object), opened: approval.id } }
  return approval
}
