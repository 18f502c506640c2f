// A call in a list: one row for a person, one object for a program. Whoever reads it sees that a question about it is open.
import type { Escalation } from '../../contract/approval/approval.ts'
import { toIso } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import { lineText, shortText } from '../plain-text.ts'
import type { Colours } from '../terminal.ts'

/** Open questions by the call they are about. */
export type OpenQuestions = ReadonlyMap<string, readonly Escalation[]>

export const questionsByCall = (escalations: readonly Escalation[]): OpenQuestions =>
  Map.groupBy(escalations, ({ callId }) => callId)

export function wireCall(call: CallRecord, questions: OpenQuestions): JsonObject {
  const { key, principal } = call
  return {
    id: call.id,
    started_at: toIso(call.startedAt),
    tenant: key.tenant,
    run: key.run ?? null,
    user: principal.user ?? null,
    agent: principal.agent ?? null,
    tool: key.tool,
    version: call.version,
    provider_call_id: key.providerCallId ?? null,
    operation_id: call.operationId ?? null,
    saga: call.saga === undefined ? null : { ...call.saga },
    passes: call.passes,
    status: call.status,
    effect: call.effect,
    latency_ms: call.latencyMs,
    verification:
      call.verification === undefined
        ? null
        : {
            state: call.verification.state,
            discrepancy: call.verification.discrepancy,
            trust: call.verification.trust,
          },
    questions: (questions.get(call.id) ?? []).map(wireQuestion),
  }
}

export const wireQuestion = ({ id, tenant, callId, kind, message, at }: Escalation): JsonObject => ({
  id,
  tenant,
  call_id: callId,
  kind,
  message,
  at: toIso(at),
})

export const callTitles = ['call', 'started', 'tenant', 'run', 'tool', 'status', 'effect', 'open'] as const

export function callCells(call: CallRecord, questions: OpenQuestions, colours: Colours): readonly string[] {
  const { dim, green, red, yellow } = colours
  const waits = call.verification?.state === 'PENDING' ? ['verification_pending'] : []
  const open = [...waits, ...new Set((questions.get(call.id) ?? []).map(({ kind }) => kind))]
  const shade =
    call.status === 'SUCCESS' ? green : call.status === 'RUNNING' || call.effect === 'pending' ? yellow : red
  return [
    call.id,
    dim(startedText(call)),
    shortText(call.key.tenant, 24),
    shortText(call.key.run ?? '–', 24),
    lineText(call.key.tool),
    shade(call.status),
    call.effect === 'unknown' ? yellow(call.effect) : call.effect,
    yellow(open.join(', ')),
  ]
}

/** To the second, in UTC: ids tell finer than that which came first. */
const startedText = ({ startedAt }: CallRecord) => toIso(startedAt).replace('T', ' ').slice(0, 19)

/** What a person is asked about a call, below its row. */
export const questionLines = (call: CallRecord, questions: OpenQuestions, { dim }: Colours): readonly string[] =>
  (questions.get(call.id) ?? []).map(
    ({ kind, message, at }) => `    ? ${lineText(message)} ${dim(`${kind}, since ${toIso(at)}`)}`,
  )
