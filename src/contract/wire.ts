// The border between camelCase inside and snake_case on the wire, for answers, facts, packets and all that holds them. Values of tools
// and the evidence of facts pass as they are: their keys are not ours to rename.
import { toIso } from '../json/clock.ts'
import { copyParsed } from '../json/copy.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { Decision, Packet } from './approval/approval.ts'
import type { Demand } from './approval/approval-pattern.ts'
import type { Answer, Effect, Feedback, ResponseVector } from './call/answer.ts'
import type { Fact, PhaseName, VerdictRecord } from './call/fact.ts'
import type { Observation } from './call/observation.ts'
import type { Redaction, ResultRecord, ResultStatus } from './call/result.ts'
import type { ApprovalPattern } from './effects.ts'
import type { VerificationReport } from './verification/verification.ts'

export interface WireAnswer {
  readonly observation: Observation
  readonly effect: Effect
  readonly response: ResponseVector
  readonly feedback?: Feedback
  readonly approval?: WireApproval
  readonly retry_after_ms?: number
  readonly replay_of?: { readonly call_id: string; readonly trace_id: string }
  readonly halt?: true
  readonly result?: WireResult
  readonly value?: JsonValue
}

/** Without its content, which is that of the observation. */
export interface WireResult {
  readonly status: ResultStatus
  readonly is_error: boolean
  readonly kept: boolean
  readonly empty: boolean
  readonly refs: readonly string[]
  readonly redaction: readonly Redaction[]
  readonly summary: string
}

export interface WireApproval {
  readonly id: string
  readonly expires_at: string
  readonly packet_hash: string
  readonly token?: string
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
  readonly action_name: Packet['actionName']
  readonly consequence: string
  readonly arguments: Packet['arguments']
  readonly before_state: JsonObject | null
  readonly after_state: JsonObject | null
  readonly fingerprint: string
  readonly risk_class: Packet['riskClass']
  readonly expires_at: string
  readonly approvers: {
    readonly pattern: ApprovalPattern
    readonly demands: readonly Demand[]
    readonly decisions: readonly WireDecision[]
  }
  readonly compensation: string
  readonly rejection_path: string
  readonly trace_id: string
  readonly call_id: string
  readonly tenant: string
  readonly requester: { readonly user: string | null; readonly agent: string | null }
  readonly run: string | null
}

export interface WireDecision {
  readonly by: string
  readonly kind: Decision['kind']
  readonly roles: readonly string[]
  readonly verdict: Decision['verdict']
  readonly reason: string | null
  readonly key_id: string
  readonly packet_hash: string
  readonly at: string
}

/** A value that JSON cannot carry is left out; the observation's data says what became of it. */
export function wireAnswer(answer: Answer): WireAnswer {
  const { observation, effect, response, feedback, approval, retryAfterMs, replayOf, halt, result, value, ...rest } =
    answer
  // A field of an answer that stands nowhere on the wire does not compile.
  rest satisfies Record<string, never>
  const shown = plainJson(value)
  return {
    observation,
    effect,
    response,
    ...(feedback === undefined ? {} : { feedback }),
    ...(approval === undefined ? {} : { approval: wireApproval(approval) }),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(replayOf === undefined ? {} : { replay_of: { call_id: replayOf.callId, trace_id: replayOf.traceId } }),
    ...(halt === undefined ? {} : { halt }),
    ...(result === undefined ? {} : { result: wireResult(result) }),
    ...(shown === undefined ? {} : { value: shown }),
  }
}

function wireResult({ status, isError, kept, empty, refs, redaction, summary }: ResultRecord): WireResult {
  return { status, is_error: isError, kept, empty, refs, redaction, summary }
}

function wireApproval({ id, expiresAt, packetHash, token }: NonNullable<Answer['approval']>): WireApproval {
  return { id, expires_at: expiresAt, packet_hash: packetHash, ...(token === undefined ? {} : { token }) }
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
  const { approvers, requester } = packet
  return {
    action_name: packet.actionName,
    consequence: packet.consequence,
    arguments: packet.arguments,
    before_state: packet.beforeState,
    after_state: packet.afterState,
    fingerprint: packet.fingerprint,
    risk_class: packet.riskClass,
    expires_at: toIso(packet.expiresAt),
    approvers: {
      pattern: approvers.requirement.pattern,
      demands: approvers.requirement.demands,
      decisions: approvers.decisions.map(wireDecision),
    },
    compensation: packet.compensation,
    rejection_path: packet.rejectionPath,
    trace_id: packet.trace,
    call_id: packet.callId,
    tenant: packet.tenant,
    requester: { user: requester.user ?? null, agent: requester.agent ?? null },
    run: packet.run ?? null,
  }
}

function wireDecision({ by, kind, roles, verdict, reason, keyId, packetHash, at }: Decision): WireDecision {
  return { by, kind, roles, verdict, reason: reason ?? null, key_id: keyId, packet_hash: packetHash, at: toIso(at) }
}

/** Results may be large: the limit here is only what keeps a hostile value from using up the memory. */
const maxBytes = 64 * 1024 * 1024

function plainJson(value: unknown): JsonValue | undefined {
  if (value === undefined) return undefined
  const copy = copyParsed(value, { toJson: true, maxBytes, maxValues: Number.POSITIVE_INFINITY })
  return copy.ok ? copy.value : undefined
}

/** A report as it is, but for the time of the next reading. */
export type WireVerification = Omit<VerificationReport, 'due'> & { readonly due: string | null }

export const wireVerification = ({ due, ...report }: VerificationReport): WireVerification => ({
  ...report,
  due: due === null ? null : toIso(due),
})
