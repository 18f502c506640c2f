// Drives one saga as far as it goes: writes what the next call will be, makes the call, writes what it came to and what follows. Only what
// is written counts for other processes; a call that was made and not written down is found out again from the slot of its step.
import type { Answer } from '../../contract/call/answer.ts'
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
import { decideStep, type SagaQuestion, type StepDecision } from './after-step.ts'
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
  /** Goes on without the caller that began it. */
  readonly resumed: boolean
  /** The journal, where it is at hand. */
  readonly journal?: readonly JournalLine[]
  readonly ports: SagaPorts
  /** Whether this process is about to end: a call that is not begun is left to other processes. */
  isClosing(): boolean
}

type CallMove = Extract<Move, { kind: 'call' }>
type Parks = NonNullable<StepDecision['parks']>

/** Gives for how long the saga rests; undefined where only a person or another owner moves it. */
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

/** What the next write brings. */
interface JournalDraft {
  readonly entries: readonly SagaEntry[]
  readonly questions: readonly SagaQuestion[]
  readonly answers: readonly string[]
  readonly close: ClosedSlot | undefined
  readonly undone: string | undefined
}

const emptyDraft: JournalDraft = { entries: [], questions: [], answers: [], close: undefined, undone: undefined }

async function walk(drive: Drive, lines: JournalLine[], lease: SagaLease): Promise<number | undefined> {
  const { saga, prepared, ports } = drive
  const late = createLateReadings(prepared, saga, drive.resumed, ports)
  let draft = emptyDraft
  const add = (...entries: readonly SagaEntry[]) => {
    draft = { ...draft, entries: [...draft.entries, ...entries] }
  }

  /** `lost`: another process owns the saga by now. `open`: a slot that was to be closed is not known to be without effect. */
  const write = async (parks?: Parks): Promise<'written' | 'lost' | 'open'> => {
    const { direction } = nextMove(prepared, [...lines, ...draft.entries]).progress
    const sentAt = ports.clock.monotonic()
    const written = await ports.store.append({
      tenant: saga.tenant,
      id: saga.id,
      epoch: saga.epoch,
      seq: lines.length,
      entries: draft.entries,
      state: parks?.state ?? drivenStates[direction],
      direction,
      dueMs: parks === undefined ? ports.store.leaseMs : parks.dueMs,
      close: draft.close,
      undone: draft.undone,
      escalations: draft.questions.map((question) => asEscalation(question, drive)),
      answered: draft.answers.length === 0 ? undefined : { calls: draft.answers, by: 'saga' },
    })
    if (written === 'written') {
      lines.push(...draft.entries)
      lease.heard(sentAt)
    }
    if (written !== 'lost') draft = emptyDraft
    return written
  }
  const park = async (parks: Parks) => ((await write(parks)) === 'written' ? parks.dueMs : undefined)

  for (;;) {
    const { move, progress } = nextMove(prepared, [...lines, ...draft.entries])
    switch (move.kind) {
      case 'rest':
      case 'finish': {
        if (move.kind === 'finish') add({ kind: 'finished', state: move.state })
        if (draft.entries.length === 0) return undefined
        const state = move.kind === 'finish' ? move.state : restState(progress)
        if ((await write({ state, dueMs: undefined })) === 'open') continue
        return undefined
      }
      case 'render': {
        const failure = await late.failure(progress)
        if (failure !== undefined) add({ kind: 'turned', ...failure })
        else {
          const { entry, question } = await rendered(drive, move, progress)
          add(entry)
          if (question !== undefined) draft = { ...draft, questions: [...draft.questions, question] }
        }
        continue
      }
      case 'call':
        break
    }
    // A step that was rendered just now was looked at then. A call that may be under way is refused by its gate, if it can be.
    const failure = draft.entries.length > 0 ? undefined : await late.failure(progress)
    if (draft.entries.length > 0) {
      const written = await write()
      if (written === 'lost') return undefined
      // The effect of the step is not known: it is asked again.
      if (written === 'open') continue
    }
    const still = await stillWaits(drive, move, progress)
    if (still !== undefined && !(failure !== undefined && progress.waiting?.for === 'approval'))
      return park({ state: 'WAITING', dueMs: still })
    if (failure === undefined && (await isSpent(drive, move))) {
      add({ ...move.as, round: move.as.round + 1 })
      continue
    }
    if (!(await lease.isOwn())) return undefined
    if (drive.isClosing()) return park({ state: 'WAITING', dueMs: 0 })
    const mark = markOf(saga, move)
    const { tool, arguments: args } = move.as
    const called = failure === undefined ? mark : { ...mark, unfounded: failure.message }
    const answer = await ports.call({ saga, mark: called, tool, arguments: args, resumed: drive.resumed })
    const decision = decideStep(move.step, mark, await confirmedEnd(drive, move, readStepEnd(answer)), progress)
    draft = {
      entries: decision.entries,
      questions: decision.question === undefined ? [] : [decision.question],
      answers: decision.answers,
      close: decision.closes && move.step.mutates ? closedSlot(drive, move, answer) : undefined,
      undone: decision.undoes ? undoneSlot(drive, move, progress) : undefined,
    }
    if (decision.parks === undefined) continue
    const written = await write(decision.parks)
    if (written === 'open') continue
    return written === 'written' ? decision.parks.dueMs : undefined
  }
}

interface RenderedMove {
  readonly entry: SagaEntry
  readonly question?: SagaQuestion
}

async function rendered(
  { saga, prepared, ports }: Drive,
  move: Extract<Move, { kind: 'render' }>,
  progress: SagaProgress,
): Promise<RenderedMove> {
  const fetched = new Map<string, JsonValue>()
  for (const ref of referredResults(prepared, progress)) {
    const kept = await ports.result(saga, ref)
    if (kept !== undefined) fetched.set(ref, kept)
  }
  const line = renderStep({ saga: prepared, move, input: saga.input, progress, fetched })
  if (line.kind === 'rendered') return { entry: line }
  const { step, direction } = move
  if (direction === 'forward' && step.kind !== 'retryable')
    return { entry: { kind: 'turned', step: step.id, message: line.message } }
  const call = lastCall(prepared, progress, direction === 'backward' ? step.id : undefined)
  const message =
    direction === 'forward'
      ? `Step ${step.id} is behind the pivot and cannot be called: ${line.message}`
      : `Step ${step.id} cannot be undone: ${line.message}`
  const entry = { kind: 'frozen', step: step.id, direction, call, message } as const
  const kind = direction === 'forward' ? 'saga_stalled' : 'compensation_failed'
  return call === null ? { entry } : { entry, question: { call, kind, message } }
}

/** The call that a question about the saga can be asked of: that of the step, else the last that was made. */
function lastCall({ steps }: PreparedSaga, { track }: SagaProgress, step: string | undefined): string | null {
  const ids = step === undefined ? steps.map(({ id }) => id) : [step]
  return ids.map((id) => track(id, 'forward').ended?.call).findLast((call) => call !== undefined) ?? null
}

const restState = ({ frozen }: SagaProgress): SagaState =>
  frozen?.direction === 'backward' ? 'COMPENSATION_FAILED' : 'FROZEN'

const markOf = ({ id }: SagaRecord, { step, as }: CallMove): SagaMark => ({
  id,
  step: step.id,
  direction: as.direction,
  round: as.round,
})

const slotOf = async ({ saga, ports }: Drive, move: CallMove) =>
  ports.slot(saga.tenant, ports.slotKey(saga.tenant, move.as.tool, markOf(saga, move)))

/** How much longer to wait; undefined where there is something new to learn. Looking costs no call. */
async function stillWaits(drive: Drive, move: CallMove, { waiting }: SagaProgress): Promise<number | undefined> {
  if (waiting === undefined || waiting.for === 'retry') return undefined
  const { saga, ports } = drive
  const again = sagaLookMs(waiting.at === undefined ? 0 : ports.clock.now() - waiting.at)
  if (waiting.for === 'approval')
    return waiting.approval !== null && (await ports.isPending(waiting.approval, saga.tenant)) ? again : undefined
  return (await slotOf(drive, move))?.status === 'PENDING' ? again : undefined
}

async function confirmedEnd(drive: Drive, move: CallMove, end: StepEnd): Promise<StepEnd> {
  return saysNothingWasDone(end) ? knownEnd(end, await slotOf(drive, move)) : end
}

/** Whether the slot of an earlier try has ended for good and without effect: the next try is another round. */
async function isSpent(drive: Drive, move: CallMove): Promise<boolean> {
  const { ended } = move.track
  if (ended === undefined || ended.round !== move.as.round || ended.effect !== 'none') return false
  const slot = await slotOf(drive, move)
  return slot !== undefined && slot.effect === 'none' && (slot.status === 'FAILED_FINAL' || slot.status === 'EXPIRED')
}

function closedSlot({ saga, ports }: Drive, move: CallMove, { observation, response }: Answer): ClosedSlot {
  const mark = markOf(saga, move)
  return {
    slotKey: ports.slotKey(saga.tenant, move.as.tool, mark),
    operation: sagaOperation(mark),
    requestHash: hashJson(move.as.arguments),
    callId: observation.tool_identity.call_id,
    run: saga.context.run,
    answer: { observation, response, effect: 'none' },
  }
}

/** The slot of the forward call that this one has undone. */
function undoneSlot({ saga: { tenant, id }, ports }: Drive, { step, as }: CallMove, progress: SagaProgress) {
  const forward = progress.track(step.id, 'forward').rendered
  if (as.direction === 'forward' || forward === undefined) return undefined
  return ports.slotKey(tenant, forward.tool, { id, step: step.id, direction: 'forward', round: forward.round })
}

function asEscalation({ call, kind, message }: SagaQuestion, { saga: { tenant }, ports: { clock, entropy } }: Drive) {
  const at = clock.now()
  return { id: uuidv7(at, entropy), tenant, callId: call, kind, message, at }
}
