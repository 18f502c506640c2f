// A recorded answer as text. Most are a plain success, of which only a few values are not known beforehand: those are written by their
// places, in an eighth of the bytes, and every call writes, sends, hashes and keeps them. All others are written whole.
import type { RecordedAnswer, ResponseVector } from '../../contract/answer.ts'
import type { Observation } from '../../contract/observation.ts'
import { respond } from '../../contract/respond.ts'
import { taxonomy } from '../../contract/taxonomy.ts'
import type { JsonValue } from '../../json/value.ts'

type PlainSuccess = [
  name: string,
  version: string,
  callId: string,
  timestamp: string,
  latencyMs: number,
  traceId: string,
  attempt: number,
  effect: RecordedAnswer['effect'],
  warnings: readonly string[],
  data: Observation['result_payload']['data'],
  /** 0: there is no value; 1: it is the data; 2: it follows. */
  hasValue: 0 | 1 | 2,
  value?: JsonValue,
]

const success = { class: 'SUCCESS', reason: 'ok', effect: 'happened', errorContract: undefined } as const
const plainResponse: ResponseVector = Object.freeze(respond(success))
const plainStatus: Observation['status'] = Object.freeze({
  code: taxonomy.SUCCESS.code,
  is_error: taxonomy.SUCCESS.isError,
  taxonomy_class: 'SUCCESS',
  retryable: plainResponse.retryable,
  repairable: plainResponse.repairable,
  requires_approval: plainResponse.requires_approval,
  fail_closed: plainResponse.fail_closed,
})
const plainVerification: Observation['verification'] = Object.freeze({
  post_action_verification_required: false,
  target_state_reference: null,
  expected_state: null,
  delay_seconds: 0,
})

export function answerText(answer: RecordedAnswer): string {
  const { observation, effect, value } = answer
  const { tool_identity: tool, execution_metadata: ran, result_payload: payload } = observation
  if (!isPlain(answer)) return JSON.stringify(answer)
  const plain: PlainSuccess = [
    tool.name,
    tool.version,
    tool.call_id,
    ran.timestamp,
    ran.latency_ms,
    ran.trace_id,
    ran.attempt_number,
    effect,
    payload.warnings,
    payload.data,
    value === undefined ? 0 : value === payload.data ? 1 : 2,
  ]
  if (plain[10] === 2) plain.push(value)
  return JSON.stringify(plain)
}

export function readAnswerText(text: string): RecordedAnswer {
  const parsed = JSON.parse(text) as PlainSuccess | RecordedAnswer
  if (!isList(parsed)) return parsed
  const [name, version, call_id, timestamp, latency_ms, trace_id, attempt_number, effect, warnings, data, has, own] =
    parsed
  const value = has === 1 ? data : own
  return {
    observation: {
      tool_identity: { name, version, call_id },
      execution_metadata: { timestamp, latency_ms, idempotency_hit: false, trace_id, attempt_number },
      status: { ...plainStatus },
      result_payload: { data, errors: [], warnings },
      verification: { ...plainVerification },
    },
    response: { ...plainResponse },
    effect,
    ...(value === undefined ? {} : { value }),
  }
}

function isPlain({ observation, response }: RecordedAnswer): boolean {
  return (
    isSame(observation.status, plainStatus) &&
    isSame(response, plainResponse) &&
    isSame(observation.verification, plainVerification) &&
    observation.result_payload.errors.length === 0 &&
    !observation.execution_metadata.idempotency_hit
  )
}

function isSame<T extends object>(one: T, other: T): boolean {
  for (const name in other) if (one[name] !== other[name]) return false
  return true
}

const isList = (value: PlainSuccess | RecordedAnswer): value is PlainSuccess => Array.isArray(value)
