// A recorded answer as text. Most are a plain success, of which only a few values are not known beforehand: those are written by their
// places, in a fifth of the bytes, and every call writes, sends, hashes and keeps them. All other answers are written whole. Invariant:
// what is stored is read as it was told, for ever. Places are only ever added at the end, and what is left out never changes.
import type { RecordedAnswer, ResponseVector } from '../../../contract/call/answer.ts'
import type { Observation } from '../../../contract/call/observation.ts'
import type { JsonValue } from '../../../json/value.ts'

/** T, where N are all of its names: for code that writes fields one by one, so that a new field does not compile until it has its place. */
export type AllNamed<T, N extends keyof T> = [Exclude<keyof T, N>] extends [never] ? T : never

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
  value: 'none' | 'data' | 'own',
  ownValue?: JsonValue,
]

/** These are part of what is stored, so not taken from the tables that they agree with today. */
const plainStatus: Readonly<Required<Observation['status']>> = {
  code: 200,
  is_error: false,
  taxonomy_class: 'SUCCESS',
  retryable: false,
  repairable: false,
  requires_approval: false,
  fail_closed: false,
}
const plainResponse: Readonly<Required<ResponseVector>> = {
  error_code: 'SUCCESS',
  repairable: false,
  retryable: false,
  requires_approval: false,
  fail_closed: false,
  escalate: false,
  next_action: 'continue',
}
const plainVerification: Readonly<Required<Observation['verification']>> = {
  post_action_verification_required: false,
  target_state_reference: null,
  expected_state: null,
  delay_seconds: 0,
}

type Ran = Observation['execution_metadata']
type Payload = Observation['result_payload']

export function answerText(answer: AllNamed<RecordedAnswer, 'observation' | 'effect' | 'response' | 'value'>): string {
  if (!isPlainAnswer(answer)) return JSON.stringify(answer)
  const { observation, effect, value } = answer
  const tool: AllNamed<Observation['tool_identity'], 'name' | 'version' | 'call_id'> = observation.tool_identity
  const ran: AllNamed<Ran, 'timestamp' | 'latency_ms' | 'idempotency_hit' | 'trace_id' | 'attempt_number'> =
    observation.execution_metadata
  const payload: AllNamed<Payload, 'data' | 'errors' | 'warnings'> = observation.result_payload
  const valueIs = value === undefined ? 'none' : value === payload.data ? 'data' : 'own'
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
    valueIs,
  ]
  if (valueIs === 'own') plain.push(value)
  return JSON.stringify(plain)
}

export function readAnswerText(text: string): RecordedAnswer {
  if (!text.startsWith('[')) return JSON.parse(text) as RecordedAnswer
  const [
    name,
    version,
    call_id,
    timestamp,
    latency_ms,
    trace_id,
    attempt_number,
    effect,
    warnings,
    data,
    valueIs,
    own,
  ] = JSON.parse(text) as PlainSuccess
  const value = valueIs === 'data' ? data : own
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

type Parts = 'tool_identity' | 'execution_metadata' | 'status' | 'result_payload' | 'verification'

function isPlainAnswer({ observation, response }: RecordedAnswer): boolean {
  const { status, verification, result_payload, execution_metadata }: AllNamed<Observation, Parts> = observation
  return (
    isSameAnswer(status, plainStatus) &&
    isSameAnswer(response, plainResponse) &&
    isSameAnswer(verification, plainVerification) &&
    result_payload.errors.length === 0 &&
    !execution_metadata.idempotency_hit
  )
}

function isSameAnswer<T extends object>(one: T, other: T): boolean {
  for (const name in one) if (one[name] !== other[name]) return false
  for (const name in other) if (one[name] !== other[name]) return false
  return true
}
