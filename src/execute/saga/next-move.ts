// What a saga has to do next, from its plan and its journal alone. Pure.
import type { SagaDirection, SagaEntry, StepResults } from '../../contract/saga/saga.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { foldJournal, type JournalLine, type SagaProgress, type StepTrack } from './fold-journal.ts'
import type { PreparedSaga, PreparedStep } from './prepared-saga.ts'

type Rendered = Extract<SagaEntry, { kind: 'rendered' }>

export type Move =
  /** Nothing: it is over, or a person has to say something. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'finish'; readonly state: 'COMPLETED' | 'COMPENSATED' }
  | { readonly kind: 'render'; readonly step: PreparedStep; readonly direction: SagaDirection }
  | { readonly kind: 'call'; readonly step: PreparedStep; readonly as: Rendered; readonly track: StepTrack }

export function nextMove(
  saga: PreparedSaga,
  lines: readonly JournalLine[],
): { readonly move: Move; readonly progress: SagaProgress } {
  const progress = foldJournal(lines)
  return { progress, move: moveOf(saga, progress) }
}

function moveOf(saga: PreparedSaga, progress: SagaProgress): Move {
  if (progress.finished !== undefined || progress.frozen !== undefined) return { kind: 'rest' }
  const { direction } = progress
  const step = direction === 'forward' ? nextForward(saga, progress) : nextBack(saga, progress)
  if (step === undefined) return { kind: 'finish', state: direction === 'forward' ? 'COMPLETED' : 'COMPENSATED' }
  const track = progress.track(step.id, direction)
  return track.rendered === undefined
    ? { kind: 'render', step, direction }
    : { kind: 'call', step, as: track.rendered, track }
}

const nextForward = ({ steps }: PreparedSaga, { track }: SagaProgress) =>
  steps.find(({ id }) => !track(id, 'forward').done)

/** In reverse, over the steps whose effect is there. */
const nextBack = ({ steps }: PreparedSaga, { track }: SagaProgress) =>
  steps.findLast(({ id }) => track(id, 'forward').happened && !track(id, 'backward').done)

/** Results that are kept apart from the journal, by their references. */
export type FetchedResults = ReadonlyMap<string, JsonValue>

const nothing: FetchedResults = new Map()

export interface RenderInput {
  readonly saga: PreparedSaga
  readonly move: Extract<Move, { kind: 'render' }>
  readonly input: JsonObject
  readonly progress: SagaProgress
  readonly fetched?: FetchedResults
}

/** The line that says what the step is called with, or why that cannot be made. */
export function renderStep({
  saga,
  move,
  input,
  progress,
  fetched = nothing,
}: RenderInput): Rendered | { readonly kind: 'impossible'; readonly message: string } {
  const { step, direction } = move
  const results = resultsOf(saga, progress, fetched)
  const forward = progress.track(step.id, 'forward')
  const done = { arguments: forward.rendered?.arguments ?? {}, result: resultOfStep(forward, fetched) }
  const tool = direction === 'forward' ? step.tool : step.compensation?.tool
  const made = direction === 'forward' ? step.render(input, results) : step.compensation?.render(done, input, results)
  if (made === undefined || tool === undefined) return { kind: 'impossible', message: 'Nothing undoes this step.' }
  if (!made.ok) return { kind: 'impossible', message: made.message }
  return { kind: 'rendered', step: step.id, direction, round: 1, tool, arguments: made.value }
}

function resultsOf({ steps }: PreparedSaga, { track }: SagaProgress, fetched: FetchedResults): StepResults {
  const done = steps.flatMap(({ id }) => {
    const forward = track(id, 'forward')
    const known = forward.ended !== undefined && (forward.done || forward.happened)
    return known ? [[id, resultOfStep(forward, fetched)] as const] : []
  })
  return Object.fromEntries(done)
}

const resultOfStep = ({ ended }: StepTrack, fetched: FetchedResults): JsonValue => {
  if (ended === undefined) return null
  return ended.ref === null ? ended.result : (fetched.get(ended.ref) ?? null)
}

/** Where results are kept that the journal only refers to. */
export const referredResults = ({ steps }: PreparedSaga, { track }: SagaProgress): readonly string[] =>
  steps.flatMap(({ id }) => track(id, 'forward').ended?.ref ?? [])
