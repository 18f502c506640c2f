// The border between camelCase inside and snake_case on the wire, for answers, facts, packets and whatever holds them. Values of tools
// and the evidence of facts pass as they are: their keys are not ours to rename.
import { toIso } from '../json/clock.ts'
import { copyParsed } from '../json/copy.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { Answer, Effect, Feedback, ResponseVector } from './answer.ts'
import type { Packet } from './approval.ts'
import type { Fact, PhaseName, VerdictRecord } from './fact.ts'
import type { Observation } from './observation.ts'

export interface WireAnswer {
  readonly observation: Observation
  readonly effect: Effect
  readonly response: ResponseVector
  readonly feedback?: Feedback
  readonly approval?: { readonly id: string; readonly expires_at: string }
  readonly retry_after_ms?: number
  readonly value?: JsonValue
}

export interface WireFact {
  readonly call_id: string
  readonly pass: number
  readonly seq: number
  readonly phase: PhaseName
  readonly at: string
  readonly micros: number
  readonly verdict: VerdictRecord
  /** Absent where the phase looked at nothing but the call. */
  readonly evidence?: JsonValue
}

export interface WirePacket {
  readonly action: Packet['action']
  readonly consequence: string
  readonly why: string
  readonly arguments: JsonObject
  readonly before: JsonObject | null
  readonly after: JsonObject | null
  readonly fingerprint: string
  readonly risk_class: Packet['riskClass']
  readonly pattern: Packet['pattern']
  readonly quorum: number
  readonly compensation: string
  readonly if_rejected: string
  readonly trace_id: string
  readonly requested_by: string | null
}

/** A value that JSON cannot carry is left out; the observation's data says what came of it. */
export function wireAnswer(answer: Answer): WireAnswer {
  const { observation, effect, response, feedback, approval, retryAfterMs } = answer
  const value = plainJson(answer.value)
  return {
    observation,
    effect,
    response,
    ...(feedback === undefined ? {} : { feedback }),
    ...(approval === undefined ? {} : { approval: { id: approval.id, expires_at: approval.expiresAt } }),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(value === undefined ? {} : { value }),
  }
}

export function wireFact({ callId, pass, seq, phase, at, micros, verdict, evidence }: Fact): WireFact {
  const seen = plainJson(evidence)
  return {
    call_id: callId,
    pass,
    seq,
    phase,
    at: toIso(at),
    micros,
    verdict,
    ...(seen === undefined ? {} : { evidence: seen }),
  }
}

export function wirePacket(packet: Packet): WirePacket {
  const { riskClass, ifRejected, traceId, requestedBy, ...same } = packet
  return {
    ...same,
    risk_class: riskClass,
    if_rejected: ifRejected,
    trace_id: traceId,
    requested_by: requestedBy ?? null,
  }
}

/** Results may be large: the limit here is only what keeps a hostile value from using up the memory. */
const maxBytes = 64 * 1024 * 1024

function plainJson(value: unknown): JsonValue | undefined {
  if (value === undefined) return undefined
  const copy = copyParsed(value, { toJson: true, maxBytes, maxValues: Number.POSITIVE_INFINITY })
  return copy.ok ? copy.value : undefined
}
