// Drives one saga as far as it goes: writes what the next call will be, makes the call, writes what it came to and what follows. What is
// not written did not happen as far as anybody else knows, and is found out again from the slot of the step.
import {
  type SagaEntry,
  type SagaMark,
  type SagaRecord,
  type SagaState,
  sagaOperation,
} from '../../contract/saga/saga.ts'
import { hashJson } from '../../json/hash.ts'
import { uuidv7 } from '../../json/id.ts'
import type { JsonValue } from '../../json/value.ts'
import type { ClosedSlot } from '../../ledger/ports/sagas.ts'
import { drivenStates } from '../../ledger/rules/saga.ts'
import { decideStep, type SagaQuestion, type StepDecision } from './decide-step.ts'
import type { JournalLine, SagaProgress } from './fold-journal.ts'
import { createLateReadings } from './late-failure.ts'
import { type Move, nextMove, referredResults, renderStep } from './next-move.ts'
import { sagaLookMs } from './pauses.ts'
import type { PreparedSaga } from './prepared-saga.ts'
import { keepLease, type SagaLease } from './saga-lease.ts'
import type { SagaPorts } from './saga-ports.ts'
import { knownEnd, readStepEnd, type StepEnd, saysNothingWasDone } from './step-end.ts'

export interface Drive {
  readonly saga: SagaRecord
  readonly prepared: PreparedSaga
  /** Whether whoever began it waits for it. */
  readonly resumed: boolean
  /** The journal, where it is at hand. */
  readonly journal?: readonly JournalLine[]
  readonly ports: SagaPorts
  /** Whether the process is about to end: what is not begun is left to others. */
  isClosing(): boolean
}

type CallMove = Extract<Move, { kind: 'call' }>
type Parks = NonNullable<StepDecision['parks']>

/** Gives for how long the saga rests; undefined where nothing but a person or another owner moves it. */
export async function driveSaga(drive: Drive): Promise<number | undefined> {
  const { saga, ports } = drive
  const lease = keepLease(saga, ports)
  try {
    const journal = drive.journal ?? (await ports.store.journal(saga.id, saga.tenant))
    return await walk(drive, [...journal], lease)
  } finally {
    lease.end()
  }
}

async function walk(drive: Drive, lines: JournalLine[], lease: SagaLease): Promise<number | undefined> {
  const { saga, prepared, ports } = drive
  const draft = newDraft()
  const late = createLateReadings(prepared, saga, drive.resumed, ports)

  /** False where the saga is somebody else's by now. */
  const write = async (parks?: Parks): Promise<'written' | 'lost' | 'open'> => {
    const { direction } = nextMove(prepared, [...lines, ...draft.entries]).progress
    const state = parks?.state ?? drivenStates[direction]
    const sentAt = ports.clock.monotonic()
    const written = await ports.store.append({
      tenant: saga.tenant,
      id: saga.id,
      epoch: saga.epoch,
      seq: lines.length,
      entries: draft.entries,
      state,
      direction,
      dueMs: parks === undefined ? ports.store.leaseMs : parks.dueMs,
      close: draft.close,
      undone: draft.undone,
      escalations: draft.questions.map((question) => asEscalation(question, saga, ports)),
      answered: draft.answers.length === 0 ? undefined : { calls: draft.answers, by: 'saga' },
    })
    if (written === 'written') {
      lines.push(...draft.entries)
      lease.heard(sentAt)
    }
    if (written !== 'lost') Object.assign(draft, newDraft())
    return written
  }
  const park = async (parks: Parks) => ((await write(parks)) === 'written' ? parks.dueMs : undefined)

  for (;;) {
    const { move, progress } = nextMove(prepared, [...lines, ...draft.entries])
    switch (move.kind) {
      case 'rest':
      case 'finish': {
        if (move.kind === 'finish') draft.entries.push({ kind: 'finished', state: move.state })
        if (draft.entries.length === 0) return undefined
        const written = await write({
          state: move.kind === 'finish' ? move.state : restState(progress),
          dueMs: undefined,
        })
        if (written === 'open') continue
        return undefined
      }
      case 'render': {
        const failure = await late.failure(progress)
        if (failure !== undefined) draft.entries.push({ kind: 'turned', ...failure })
        else await render(drive, move, progress, draft)
        continue
      }
      case 'call':
        break
    }
    // What was made ready just now was looked at then. A call that may be under way is refused by its gate, if it can be.
    const failure = draft.entries.length > 0 ? undefined : await late.failure(progress)
    if (draft.entries.length > 0) {
      const written = await write()
      if (written === 'lost') return undefined
      // What was said to be without effect is not known to be so: it is asked again.
      if (written === 'open') continue
    }
    const still = await stillWaits(progress, move, saga, ports)
    if (still !== undefined && !(failure !== undefined && progress.waiting?.for === 'approval'))
      return park({ state: 'WAITING', dueMs: still })
    if (failure === undefined && (await isSpent(move, saga, ports))) {
      draft.entries.push({ ...move.as, round: move.as.round + 1 })
      continue
    }
    if (!(await lease.isOwn())) return undefined
    if (drive.isClosing()) return park({ state: 'WAITING', dueMs: 0 })
    const mark = markOf(saga, move)
    const { tool, arguments: args } = move.as
    const called = failure === undefined ? mark : { ...mark, unfounded: failure.message }
    const answer = await ports.call({ saga, mark: called, tool, arguments: args, resumed: drive.resumed })
    const decision = decideStep(move.step, mark, await confirmedEnd(readStepEnd(answer), move, saga, ports), progress)
    const close = decision.closes && move.step.mutates ? closing(move, mark, answer, saga, ports) : undefined
    take(decision, draft, close, undoneSlot(move, progress, saga, ports))
    if (decision.parks === undefined) continue
    const written = await write(decision.parks)
    if (written === 'open') continue
    return written === 'written' ? decision.parks.dueMs : undefined
  }
}

interface JournalDraft {
  entries: SagaEntry[]
  close: ClosedSlot | undefined
  undone: string | undefined
  questions: SagaQuestion[]
  answers: readonly string[]
}

const newDraft = (): JournalDraft => ({ entries: [], close: undefined, undone: undefined, questions: [], answers: [] })

function take(
  decision: StepDecision,
  draft: JournalDraft,
  close: ClosedSlot | undefined,
  undone: string | undefined,
): void {
  draft.entries.push(...decision.entries)
  draft.close = close
  if (decision.undoes) draft.undone = undone
  if (decision.question !== undefined) draft.questions.push(decision.question)
  draft.answers = decision.answers
}

async function render(
  drive: Drive,
  move: Extract<Move, { kind: 'render' }>,
  progress: SagaProgress,
  draft: JournalDraft,
): Promise<void> {
  const { saga, prepared, ports } = drive
  const fetched = new Map<string, JsonValue>()
  for (const ref of referredResults(prepared, progress)) {
    const kept = await ports.result(saga, ref)
    if (kept !== undefined) fetched.set(ref, kept)
  }
  const line = renderStep(prepared, move, saga.input, progress, fetched)
  if (line.kind === 'rendered') {
    draft.entries.push(line)
    return
  }
  const { step, direction } = move
  if (direction === 'forward' && step.kind !== 'retryable') {
    draft.entries.push({ kind: 'turned', step: step.id, message: line.message })
    return
  }
  const call = lastCall(prepared, progress, direction === 'backward' ? step.id : undefined)
  const message =
    direction === 'forward'
      ? `Step ${step.id} is behind the pivot and cannot be called: ${line.message}`
      : `Step ${step.id} cannot be undone: ${line.message}`
  draft.entries.push({ kind: 'frozen', step: step.id, direction, call, message })
  if (call !== null)
    draft.questions.push({ call, kind: direction === 'forward' ? 'saga_stalled' : 'compensation_failed', message })
}

/** The call that a question about the saga can be asked of: that of the step, else the last that was made. */
function lastCall({ steps }: PreparedSaga, { track }: SagaProgress, step: string | undefined): string | null {
  const asked = step === undefined ? steps.map(({ id }) => id) : [step]
  return asked.map((id) => track(id, 'forward').ended?.call).findLast((call) => call !== undefined) ?? null
}

const restState = ({ frozen }: SagaProgress): SagaState =>
  frozen?.direction === 'backward' ? 'COMPENSATION_FAILED' : 'FROZEN'

const markOf = ({ id }: SagaRecord, { step, as }: CallMove): SagaMark => ({
  id,
  step: step.id,
  direction: as.direction,
  round: as.round,
})

/** How much longer to wait; undefined where there is something new to learn. Looking costs no call. */
async function stillWaits(
  { waiting }: SagaProgress,
  move: CallMove,
  saga: SagaRecord,
  ports: SagaPorts,
): Promise<number | undefined> {
  if (waiting === undefined || waiting.for === 'retry') return undefined
  const again = sagaLookMs(waiting.at === undefined ? 0 : ports.clock.now() - waiting.at)
  if (waiting.for === 'approval')
    return waiting.approval !== null && (await ports.isPending(waiting.approval, saga.tenant)) ? again : undefined
  const slot = await ports.slot(saga.tenant, ports.slotKey(saga.tenant, move.as.tool, markOf(saga, move)))
  return slot?.status === 'PENDING' ? again : undefined
}

async function confirmedEnd(end: StepEnd, move: CallMove, saga: SagaRecord, ports: SagaPorts): Promise<StepEnd> {
  if (!saysNothingWasDone(end)) return end
  return knownEnd(end, await ports.slot(saga.tenant, ports.slotKey(saga.tenant, move.as.tool, markOf(saga, move))))
}

/** Whether the slot of an earlier try has ended for good and without effect: the next try is another round. */
async function isSpent({ as, track, step }: CallMove, saga: SagaRecord, ports: SagaPorts): Promise<boolean> {
  const { ended } = track
  if (ended === undefined || ended.round !== as.round || ended.effect !== 'none') return false
  const mark = { id: saga.id, step: step.id, direction: as.direction, round: as.round }
  const slot = await ports.slot(saga.tenant, ports.slotKey(saga.tenant, as.tool, mark))
  return slot !== undefined && slot.effect === 'none' && (slot.status === 'FAILED_FINAL' || slot.status === 'EXPIRED')
}

function closing(
  { as }: CallMove,
  mark: SagaMark,
  answer: Awaited<ReturnType<SagaPorts['call']>>,
  saga: SagaRecord,
  ports: SagaPorts,
): ClosedSlot {
  const { observation, response } = answer
  return {
    slotKey: ports.slotKey(saga.tenant, as.tool, mark),
    operation: sagaOperation(mark),
    requestHash: hashJson(as.arguments),
    callId: observation.tool_identity.call_id,
    run: saga.context.run,
    answer: { observation, response, effect: 'none' },
  }
}

/** The slot of the forward call that this one has undone. */
function undoneSlot({ step, as }: CallMove, progress: SagaProgress, { tenant, id }: SagaRecord, ports: SagaPorts) {
  const forward = progress.track(step.id, 'forward').rendered
  if (as.direction === 'forward' || forward === undefined) return undefined
  return ports.slotKey(tenant, forward.tool, { id, step: step.id, direction: 'forward', round: forward.round })
}

function asEscalation({ call, kind, message }: SagaQuestion, { tenant }: SagaRecord, { clock, entropy }: SagaPorts) {
  const at = clock.now()
  return { id: uuidv7(at, entropy), tenant, callId: call, kind, message, at }
}
