// A slot's record as the database answers with it: one JSON text of the fields in requests.ts.
import type { SlotRecord } from '../../../contract/call/slot.ts'
import { readAnswerText } from './answer-text.ts'
import type { SlotRow } from './requests.ts'

/** Of a row that came as a text. */
export const readSlot = (tenant: string, key: string, text: string): SlotRecord =>
  slotRecord(tenant, key, JSON.parse(text) as SlotRow)

export function slotRecord(tenant: string, key: string, row: SlotRow): SlotRecord {
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
