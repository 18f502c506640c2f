// A saga as people read it: how it stands, step by step. Made from the record and the journal, so that it needs no definition. The two are
// read one after the other: what was written in between is not in the record, and not in the view either.
import type { JournalEntry, PlannedStep, SagaRecord } from '../../contract/saga/saga.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { foldJournal, type SagaProgress, type StepTrack } from './fold-journal.ts'

/** `doubtful`: the effect is there, and not as it should be. */
export type StepState = 'open' | 'called' | 'done' | 'failed' | 'doubtful' | 'undoing' | 'undone'

/**
 * What others may rely on. `tentative`: all of it may still be undone. `committed`: there is no way back, and nothing is half done.
 * `eventually_consistent`: there is no way back, and steps that have begun are still to come to their end.
 */
export type SagaCommitment = 'tentative' | 'committed' | 'eventually_consistent' | 'undone'

export interface SagaStepView extends PlannedStep {
  readonly state: StepState
  /** The calls that were made for it; explain tells of each. */
  readonly call: string | undefined
  readonly compensationCall: string | undefined
  readonly result: JsonValue | undefined
  /** What a result is fetched by that is kept apart. */
  readonly resultRef: string | undefined
}

export interface SagaView
  extends Pick<SagaRecord, 'id' | 'tenant' | 'name' | 'state' | 'direction' | 'epoch' | 'definition' | 'dueAt'> {
  readonly input: JsonObject
  readonly run: string
  readonly commitment: SagaCommitment
  readonly steps: readonly SagaStepView[]
  readonly waiting:
    | {
        readonly step: string
        readonly for: 'approval' | 'effect' | 'retry'
        readonly call: string
        readonly approval: string | undefined
        readonly message: string
      }
    | undefined
  /** Why it stands still until a person resumes it. */
  readonly frozen: { readonly step: string; readonly call: string | undefined; readonly message: string } | undefined
  /** What made it turn back. */
  readonly turned: { readonly step: string; readonly message: string } | undefined
  readonly createdAt: EpochMs
  readonly updatedAt: EpochMs
}

export function viewSaga(saga: SagaRecord, journal: readonly JournalEntry[]): SagaView {
  const lines = journal.slice(0, saga.seq)
  const progress = foldJournal(lines)
  const { waiting, frozen } = progress
  const turned = lines.find((line) => line.kind === 'turned')
  const { id, tenant, name, state, direction, epoch, definition, dueAt, input, createdAt, updatedAt } = saga
  return {
    ...{ id, tenant, name, state, direction, epoch, definition, dueAt, input, createdAt, updatedAt },
    run: saga.context.run,
    commitment: commitmentOf(saga, progress),
    steps: saga.plan.map((step) => {
      const forward = progress.track(step.id, 'forward')
      const backward = progress.track(step.id, 'backward')
      return {
        ...step,
        state: stateOf(forward, backward),
        call: forward.ended?.call,
        compensationCall: backward.ended?.call,
        result: forward.ended?.result,
        resultRef: forward.ended?.ref ?? undefined,
      }
    }),
    waiting:
      waiting === undefined
        ? undefined
        : {
            step: waiting.step,
            for: waiting.for,
            call: waiting.call,
            approval: waiting.approval ?? undefined,
            message: waiting.message,
          },
    frozen:
      frozen === undefined ? undefined : { step: frozen.step, call: frozen.call ?? undefined, message: frozen.message },
    turned: turned === undefined ? undefined : { step: turned.step, message: turned.message },
  }
}

function commitmentOf({ plan, state }: SagaRecord, { track }: SagaProgress): SagaCommitment {
  if (state === 'COMPENSATED') return 'undone'
  const tracksOf = (kind: PlannedStep['kind']) =>
    plan.filter((step) => step.kind === kind).map(({ id }) => track(id, 'forward'))
  if (!tracksOf('pivot').every(({ done }) => done)) return 'tentative'
  const behind = tracksOf('retryable')
  const hasBegun = behind.some(({ rendered }) => rendered !== undefined)
  return hasBegun && !behind.every(({ done }) => done) ? 'eventually_consistent' : 'committed'
}

function stateOf(forward: StepTrack, backward: StepTrack): StepState {
  if (backward.done) return 'undone'
  if (backward.rendered !== undefined) return 'undoing'
  if (forward.done) return 'done'
  if (forward.happened) return 'doubtful'
  if (forward.ended !== undefined) return 'failed'
  return forward.rendered === undefined ? 'open' : 'called'
}
