// A slot's record as the database returns it: proviso.slot_row as JSON.
import type { SlotRecord } from '../../../contract/slot.ts'
import type { EpochMs } from '../../../json/clock.ts'
import { readAnswerText } from './answer-text.ts'

interface SlotRow {
  readonly generation: number
  readonly idempotency_key: string
  readonly request_hash: string
  readonly status: SlotRecord['status']
  readonly effect: SlotRecord['effect']
  readonly held: boolean
  readonly kind: SlotRecord['kind']
  readonly operation: string
  readonly call_id: string
  readonly nonce: string
  readonly contract_hash: string
  readonly attempt: number
  readonly starts: number
  readonly run: string
  readonly resource: string | null
  readonly provider_call_ids: readonly string[]
  readonly overtaken: boolean
  readonly reserved: string | null
  /** Bytes in hex, after the two characters by which Postgres says so. */
  readonly response_body: string | null
  readonly created_at: EpochMs
  readonly admitted_at: EpochMs
  readonly completed_at: EpochMs | null
  readonly expires_at: EpochMs | null
}

export function slotRecord(tenant: string, key: string, text: string): SlotRecord {
  const row = JSON.parse(text) as SlotRow
  return {
    tenant,
    key,
    kind: row.kind,
    operation: row.operation,
    generation: row.generation,
    requestHash: row.request_hash,
    idempotencyKey: row.idempotency_key,
    status: row.status,
    effect: row.effect,
    held: row.held,
    callId: row.call_id,
    nonce: row.nonce,
    contractHash: row.contract_hash,
    attempt: row.attempt,
    starts: row.starts,
    run: row.run,
    resource: row.resource ?? undefined,
    providerCallIds: row.provider_call_ids,
    overtaken: row.overtaken,
    reserved: row.reserved === null ? [] : reservedOf(row.reserved),
    answer: row.response_body === null ? undefined : answerOf(row.response_body),
    createdAt: row.created_at,
    admittedAt: row.admitted_at,
    completedAt: row.completed_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
  }
}

const reservedOf = (text: string) =>
  (JSON.parse(text) as readonly (readonly [string, number, number])[]).map(([name, amount, windowMs]) => ({
    name,
    amount,
    windowMs: windowMs === 0 ? undefined : windowMs,
  }))

const answerOf = (hex: string) => readAnswerText(Buffer.from(hex.slice(2), 'hex').toString())
