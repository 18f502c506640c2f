// From how a pass ended to what the caller gets: the one place where observations, response vectors and feedback are made.
import { votesOf } from '../../contract/approval/approval.ts'
import type { Answer, Effect, Feedback, Reason, RecordedAnswer } from '../../contract/call/answer.ts'
import type { ErrorDetail } from '../../contract/call/call.ts'
import type { Observation, ObservationError } from '../../contract/call/observation.ts'
import { respond } from '../../contract/call/respond.ts'
import type { ResultPlan } from '../../contract/call/result.ts'
import { resultRecord } from '../../contract/call/result-record.ts'
import type { SlotRecord } from '../../contract/call/slot.ts'
import type { Call, Conclusion } from '../../contract/call/stages.ts'
import { type TaxonomyClass, taxonomy } from '../../contract/taxonomy.ts'
import { partsData } from '../../execute/results/map-result.ts'
import { type EpochMs, toIso } from '../../json/clock.ts'
import { ownCopy } from '../../json/copy.ts'
import { stateAfter } from '../call/question.ts'
import { hintsOf, noHints } from '../call/verification-body.ts'

const noErrors: readonly ObservationError[] = Object.freeze([])

export function makeAnswer(call: Call, conclusion: Conclusion, now: EpochMs): Answer {
  switch (conclusion.kind) {
    case 'success': {
      const success = { class: 'SUCCESS', reason: 'ok', effect: call.effect, errors: noErrors } as const
      const { approval } = call
      return {
        ...assemble(call, success, now),
        value: call.value,
        ...(approval?.token === undefined
          ? {}
          : {
              approval: {
                id: approval.id,
                expiresAt: toIso(approval.expiresAt),
                packetHash: approval.packetHash,
                token: approval.token,
              },
            }),
      }
    }
    case 'stop':
      return stopped(call, conclusion, now)
    case 'wait':
      return waiting(call, conclusion, now)
    case 'end':
      return conclusion.answer
  }
}

/** What the slot keeps; a duplicate gets it with `idempotency_hit` set. */
export function recordAnswer(answer: Answer, call: Call): RecordedAnswer {
  const { observation, response, effect } = answer
  const settled = effect === 'pending' ? 'none' : effect
  const { plan, json } = call
  if (plan === undefined)
    return { observation, response, effect: settled, ...(json === undefined ? {} : { value: json }) }
  // Only what may be kept: the reference, where the whole is kept elsewhere by now, and otherwise nothing of the result.
  return {
    observation: plan.ref === undefined ? unkept(observation, plan, call) : observation,
    response,
    effect: settled,
  }
}

function unkept(observation: Observation, { mode, reason }: ResultPlan, { parts }: Call): Observation {
  const { result_payload: payload } = observation
  if (mode === 'drop_with_reason' || (mode === 'never_persist' && payload.data === null)) return observation
  const note = `result_not_kept: ${mode === 'never_persist' ? reason : 'it was lost before it could be stored'}`
  const warnings = payload.warnings.includes(note) ? payload.warnings : [...payload.warnings, note]
  const data = parts === undefined ? null : partsData(parts)
  return { ...observation, result_payload: { ...payload, data, warnings } }
}

/** The recorded answer of a finished operation. */
export function replayedAnswer(record: SlotRecord, call: Call): Answer {
  const { answer } = record
  if (answer === undefined) {
    const success = { class: 'SUCCESS', reason: 'ok', effect: record.effect, errors: noErrors } as const
    return hit(assemble(call, success, call.startedAt), record, call)
  }
  const { observation, effect, response } = ownCopy(answer)
  return hit({ observation, effect, response, ...recordedValue(ownCopy(answer)) }, record, call)
}

/** A failure that is another's: what it came to, and nothing of why. */
export function withoutDetails({ observation: seen, effect, response }: Answer): Answer {
  const message = 'This operation was tried for another principal and has failed. Its details are not yours to see.'
  const errors = [{ field: null, message, code: 'done_for_another' }]
  const observation = { ...seen, result_payload: { data: null, errors, warnings: [] }, verification: noHints }
  return { observation, effect, response, ...resultOf(observation) }
}

const recordedValue = (answer: RecordedAnswer) => (answer.value === undefined ? {} : { value: answer.value })

function hit(answer: Answer, record: SlotRecord, call: Call): Answer {
  const { observation } = answer
  // As it was told first: what is noted here is not about the result.
  const notes =
    record.status === 'COMPENSATED'
      ? ['compensated: the effect was undone later']
      : record.kind === 'implicit'
        ? ['deduplicated: the same call was already made in this run; nothing was done again']
        : []
  return {
    ...answer,
    ...resultOf(observation),
    ...(observation.tool_identity.call_id === call.id
      ? {}
      : { replayOf: { callId: observation.tool_identity.call_id, traceId: observation.execution_metadata.trace_id } }),
    observation: {
      ...observation,
      // It belongs to the call that is answered.
      tool_identity: { ...observation.tool_identity, call_id: call.id },
      execution_metadata: { ...observation.execution_metadata, trace_id: call.traceId, idempotency_hit: true },
      result_payload: {
        ...observation.result_payload,
        warnings: [...observation.result_payload.warnings, ...notes],
      },
    },
  }
}

function stopped(call: Call, stop: Extract<Conclusion, { kind: 'stop' }>, now: EpochMs): Answer {
  const details =
    stop.errors.length === 0
      ? [{ field: '$', expected: '', actual: '', message: taxonomy[stop.class].meaning }]
      : stop.errors
  const errors = details.map(({ field, message, code }) => ({
    field: field === '$' ? null : field,
    message,
    code: code ?? stop.reason,
  }))
  const answer = assemble(call, { class: stop.class, reason: stop.reason, effect: call.effect, errors }, now)
  return {
    ...answer,
    feedback: feedbackOf(answer, details, 'failed'),
    ...(stop.retryAfterMs === undefined ? {} : { retryAfterMs: stop.retryAfterMs }),
    ...(stop.reason === 'repair_exhausted' ? { halt: true as const } : {}),
    ...(showsValue(call) ? { value: call.value } : {}),
  }
}

const showsValue = (call: Call) =>
  (call.effect === 'happened' || call.parts !== undefined) && call.value !== undefined && !isHidden(call)

function waiting(call: Call, { approval, reason }: Extract<Conclusion, { kind: 'wait' }>, now: EpochMs): Answer {
  const late = reason === 'approval_expired' ? 'The earlier request ran out. ' : ''
  const message = `${late}This call needs approval. ${votesOf(approval).reason} Nothing was done. Once ${approval.id} is approved, make the same call again.`
  const errors = [{ field: null, message, code: reason }]
  const answer = assemble(call, { class: 'CONFIRMATION_MISSING', reason, effect: 'pending', errors }, now)
  return {
    ...answer,
    feedback: feedbackOf(answer, [{ field: '$', expected: 'approval', actual: 'none yet', message }], 'pending'),
    approval: { id: approval.id, expiresAt: toIso(approval.expiresAt), packetHash: approval.packetHash },
  }
}

function feedbackOf(answer: Answer, errors: readonly ErrorDetail[], status: Feedback['validation_status']): Feedback {
  const { error_code, repairable, retryable, next_action } = answer.response
  const field_errors = errors.map(({ field, expected, actual, message }) => ({ field, expected, actual, message }))
  return { validation_status: status, error_code, repairable, retryable, field_errors, next_action }
}

interface Conclusive {
  readonly class: TaxonomyClass
  readonly reason: Reason
  readonly effect: Effect
  readonly errors: readonly ObservationError[]
}

function assemble(call: Call, end: Conclusive, now: EpochMs): Answer {
  const contract = call.tool?.contract
  const row = taxonomy[end.class]
  const response = respond({
    class: end.class,
    reason: end.reason,
    effect: end.effect,
    errorContract: contract?.error_contract,
  })
  const observation: Observation = {
    tool_identity: {
      name: contract?.identity.name ?? shownName(call.proposal.tool),
      version: contract?.identity.version ?? '',
      call_id: call.id,
    },
    execution_metadata: {
      timestamp: toIso(now),
      latency_ms: Math.max(0, now - call.startedAt),
      idempotency_hit: false,
      trace_id: call.traceId,
      attempt_number: (call.starts ?? 0) + (call.tries ?? 1),
    },
    status: {
      code: row.code,
      is_error: row.isError,
      taxonomy_class: end.class,
      retryable: response.retryable,
      repairable: response.repairable,
      requires_approval: response.requires_approval,
      fail_closed: response.fail_closed,
    },
    result_payload: { data: shownOf(call), errors: end.errors, warnings: call.warnings },
    verification: hintsOf(call, () => stateAfter(call)),
  }
  return { observation, effect: end.effect, response, ...resultOf(observation) }
}

/** A result that is to be kept out of sight is out of sight also where that fails. */
const isHidden = ({ plan }: Call) => plan !== undefined && plan.ref === undefined && plan.mode !== 'never_persist'

function shownOf(call: Call): Observation['result_payload']['data'] {
  if (!isHidden(call)) return call.data ?? null
  return call.parts === undefined ? null : partsData(call.parts)
}

function resultOf(observation: Observation): Pick<Answer, 'result'> {
  const result = resultRecord(observation)
  return result === undefined ? {} : { result }
}

/** A name that no contract has comes from a model. Only characters that a name may have are shown of it. */
function shownName(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, 128).replaceAll(/[^a-zA-Z0-9_.-]/g, '_') : ''
}

/** A recorded answer after its effect was read back later: the same result, with what that reading came to. */
export function answerAfterReading(recorded: RecordedAnswer, { observation, response }: Answer): RecordedAnswer {
  const { result_payload: payload } = recorded.observation
  const errors = [...payload.errors, ...observation.result_payload.errors]
  return {
    ...recorded,
    response,
    observation: {
      ...recorded.observation,
      status: observation.status,
      result_payload: { ...payload, errors, warnings: observation.result_payload.warnings },
      verification: observation.verification,
    },
  }
}
