// What follows from how a step ended: the lines of the journal that say so, and what else is written with them. Pure.
import type { EscalationKind } from '../../contract/approval/approval.ts'
import type { SagaDirection, SagaEntry, SagaMark, SagaState } from '../../contract/saga/saga.ts'
import type { SagaProgress } from './fold-journal.ts'
import { askedPause, asksTooLong, patient, pauseAfter, sagaLookMs } from './pauses.ts'
import type { PreparedStep } from './prepared-saga.ts'
import type { StepEnd } from './step-end.ts'

export interface SagaQuestion {
  readonly call: string
  readonly kind: EscalationKind
  readonly message: string
}

export interface StepDecision {
  readonly entries: readonly SagaEntry[]
  /** Undefined: the saga goes on at once. */
  readonly parks: { readonly state: SagaState; readonly dueMs: number | undefined } | undefined
  /** The slot of the step must be closed before the saga turns back. */
  readonly closes: boolean
  /** The effect of the step is undone. */
  readonly undoes: boolean
  readonly question: SagaQuestion | undefined
  /** Calls whose questions are answered by this. */
  readonly answers: readonly string[]
}

const nothing = { parks: undefined, closes: false, undoes: false, question: undefined, answers: [] } as const

export function decideStep(step: PreparedStep, mark: SagaMark, end: StepEnd, progress: SagaProgress): StepDecision {
  const { direction, round } = mark
  const of = { step: step.id, direction, round } as const
  if (end.kind === 'waiting') {
    const { for: what, call, approval, message } = end
    const line = { kind: 'waiting', ...of, for: what, call, approval, message, escalated: false } as const
    return { ...nothing, entries: [line], parks: { state: 'WAITING', dueMs: waitFor(end.retryAfterMs) } }
  }
  const ended = endedLine(of, end)
  if (end.kind === 'done')
    return { ...nothing, entries: [ended], undoes: direction === 'backward', answers: progress.asked }
  const failure = { step, end, ended, failures: progress.track(step.id, direction).failures + 1, progress }
  if (direction === 'backward') return decideBack(failure)
  return end.effect === 'happened' ? decideDoubtful(step, ended, progress) : decideFailed(failure)
}

const waitFor = (askedMs: number | undefined) => (askedMs === undefined ? sagaLookMs(0) : askedPause(askedMs))

type Of = Pick<SagaMark, 'step' | 'direction' | 'round'>
type Ended = Extract<SagaEntry, { kind: 'ended' }>
type DoneOrFailed = Exclude<StepEnd, { kind: 'waiting' }>

interface StepFailure {
  readonly step: PreparedStep
  readonly end: Extract<StepEnd, { kind: 'failed' }>
  readonly ended: Ended
  readonly failures: number
  readonly progress: SagaProgress
}

const endedLine = (
  of: Of,
  { call, effect, class: taxonomyClass, reason, message, result, ref, kind }: DoneOrFailed,
): Ended => ({
  kind: 'ended',
  ...of,
  call,
  ok: kind === 'done',
  effect,
  class: taxonomyClass,
  reason,
  message,
  result,
  ref,
})

/** The effect is there, and not as it should be. */
function decideDoubtful(step: PreparedStep, ended: Ended, progress: SagaProgress): StepDecision {
  switch (step.kind) {
    case 'compensable':
      return {
        ...nothing,
        entries: [ended, { kind: 'turned', step: step.id, message: ended.message }],
        answers: progress.asked,
      }
    case 'pivot':
      return frozen(ended, 'forward', 'FROZEN', {
        call: ended.call,
        kind: 'saga_stalled',
        message: `The pivot ${step.id} happened, but not as it should: ${ended.message} Say what became of it, and the saga goes on or back.`,
      })
    case 'retryable':
      // There is no way back from here: people are asked about the effect, and the saga goes on.
      return {
        ...nothing,
        entries: [{ ...ended, ok: true }],
        question: { call: ended.call, kind: 'saga_stalled', message: `Step ${step.id}: ${ended.message}` },
      }
  }
}

/** Nothing was done. */
function decideFailed({ step, end, ended, failures, progress }: StepFailure): StepDecision {
  const { attempts } = step.pauses
  const again = pauseAfter(failures, step.pauses, end.retryAfterMs)
  const line = retryLine(ended)
  if (step.kind !== 'retryable') {
    if (end.retryable && failures < attempts) return retried({ end, ended, progress }, again)
    const turned = { kind: 'turned', step: step.id, message: end.message } as const
    return { ...nothing, entries: [ended, turned], closes: true, answers: progress.asked }
  }
  // Such a step is tried until it succeeds; people are asked once.
  const isLong = !end.retryable || failures >= attempts
  if (!isLong) return retried({ end, ended, progress }, again)
  const asks = progress.asked.length === 0
  const message = `Step ${step.id} is behind the pivot and does not succeed: ${end.message}`
  return {
    ...nothing,
    entries: [ended, { ...line, escalated: asks }],
    parks: { state: 'WAITING', dueMs: again },
    question: asks ? { call: end.call, kind: 'saga_stalled', message } : undefined,
  }
}

const retryLine = ({ step, direction, round, call, message }: Ended) =>
  ({ kind: 'waiting', step, direction, round, for: 'retry', call, approval: null, message }) as const

/** It is tried again. Where the answer asks for more time than it gets, people are asked, once. */
function retried(
  { end, ended, progress }: Pick<StepFailure, 'end' | 'ended' | 'progress'>,
  pauseMs: number,
): StepDecision {
  const asks = asksTooLong(end.retryAfterMs) && progress.asked.length === 0
  const message = `Step ${ended.step} is to be tried again later than a saga waits: it is tried every hour. ${end.message}`
  return {
    ...nothing,
    entries: [ended, { ...retryLine(ended), escalated: asks }],
    parks: { state: 'WAITING', dueMs: pauseMs },
    question: asks ? { call: end.call, kind: 'saga_stalled', message } : undefined,
  }
}

function decideBack({ step, end, ended, failures, progress }: StepFailure): StepDecision {
  const isTransient = end.effect === 'none' && end.retryable && failures < patient.attempts
  if (isTransient) return retried({ end, ended, progress }, pauseAfter(failures, patient, end.retryAfterMs))
  return frozen(ended, 'backward', 'COMPENSATION_FAILED', {
    call: end.call,
    kind: 'compensation_failed',
    message: `Step ${step.id} could not be undone: ${end.message} Mend the cause, then resume the saga.`,
  })
}

function frozen(ended: Ended, direction: SagaDirection, state: SagaState, question: SagaQuestion): StepDecision {
  const { call, message } = question
  return {
    ...nothing,
    entries: [ended, { kind: 'frozen', step: ended.step, direction, call, message }],
    parks: { state, dueMs: undefined },
    question,
  }
}
