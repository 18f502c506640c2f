// What follows from how a step ended: the lines of the journal that say so, and what else is written with them. Pure.
import type { EscalationKind } from '../../contract/approval/approval.ts'
import type { SagaDirection, SagaEntry, SagaMark, SagaState } from '../../contract/saga/saga.ts'
import type { SagaProgress } from './fold-journal.ts'
import { patient, pauseAfter, sagaLookMs } from './pauses.ts'
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
    return { ...nothing, entries: [line], parks: { state: 'WAITING', dueMs: end.retryAfterMs ?? sagaLookMs(0) } }
  }
  const ended = endedLine(of, end)
  const failures = progress.track(step.id, direction).failures + 1
  if (direction === 'backward') return decideBack(step, end, ended, failures, progress)
  if (end.kind === 'done') return { ...nothing, entries: [ended], answers: progress.asked }
  return end.effect === 'happened' ? decideDoubtful(step, ended) : decideFailed(step, end, ended, failures, progress)
}

type Of = Pick<SagaMark, 'step' | 'direction' | 'round'>
type Ended = Extract<SagaEntry, { kind: 'ended' }>
type Failed = Extract<StepEnd, { kind: 'failed' }>

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

type DoneOrFailed = Exclude<StepEnd, { kind: 'waiting' }>

/** The effect is there, and not as it should be. */
function decideDoubtful(step: PreparedStep, ended: Ended): StepDecision {
  switch (step.kind) {
    case 'compensable':
      return { ...nothing, entries: [ended, { kind: 'turned', step: step.id, message: ended.message }] }
    case 'pivot':
      return frozen(ended, 'forward', 'FROZEN', {
        call: ended.call,
        kind: 'saga_stalled',
        message: `The pivot ${step.id} happened, but not as it should: ${ended.message} Say what became of it, and the saga goes on or back.`,
      })
    case 'retryable':
      // There is no way back, and what is there is there; people are asked about it, and the saga goes on.
      return {
        ...nothing,
        entries: [{ ...ended, ok: true }],
        question: { call: ended.call, kind: 'saga_stalled', message: `Step ${step.id}: ${ended.message}` },
      }
  }
}

/** Nothing was done. */
function decideFailed(
  step: PreparedStep,
  end: Failed,
  ended: Ended,
  failures: number,
  progress: SagaProgress,
): StepDecision {
  const { attempts } = step.pauses
  const again = pauseAfter(failures, step.pauses, end.retryAfterMs)
  const waiting = { kind: 'waiting', step: step.id, direction: 'forward', round: ended.round, for: 'retry' } as const
  const line = { ...waiting, call: end.call, approval: null, message: end.message }
  if (step.kind !== 'retryable') {
    if (end.retryable && failures < attempts)
      return {
        ...nothing,
        entries: [ended, { ...line, escalated: false }],
        parks: { state: 'WAITING', dueMs: again },
      }
    return { ...nothing, entries: [ended, { kind: 'turned', step: step.id, message: end.message }], closes: true }
  }
  // Never given up: people are asked once, and it goes on being tried.
  const asks = progress.asked.length === 0 && (!end.retryable || failures >= attempts)
  const message = `Step ${step.id} is behind the pivot and does not succeed: ${end.message}`
  return {
    ...nothing,
    entries: [ended, { ...line, escalated: asks }],
    parks: { state: 'WAITING', dueMs: again },
    question: asks ? { call: end.call, kind: 'saga_stalled', message } : undefined,
  }
}

function decideBack(
  step: PreparedStep,
  end: DoneOrFailed,
  ended: Ended,
  failures: number,
  progress: SagaProgress,
): StepDecision {
  if (end.kind === 'done') return { ...nothing, entries: [ended], undoes: true, answers: progress.asked }
  const isTransient = end.effect === 'none' && end.retryable && failures < patient.attempts
  if (isTransient) {
    const { round, direction } = ended
    const line = { kind: 'waiting', step: step.id, direction, round, for: 'retry', call: end.call } as const
    return {
      ...nothing,
      entries: [ended, { ...line, approval: null, message: end.message, escalated: false }],
      parks: { state: 'WAITING', dueMs: pauseAfter(failures, patient, end.retryAfterMs) },
    }
  }
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
