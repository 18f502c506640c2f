// A slot's record as the database returns it: the columns of proviso.slot_row, in their order.
import type { RecordedAnswer } from '../../contract/answer.ts'
import type { SlotRecord } from '../../contract/slot.ts'
import type { EpochMs } from '../../json/clock.ts'

export type SlotRow = [
  generation: number | null,
  idempotencyKey: string,
  requestHash: string,
  status: string,
  effect: string,
  held: boolean,
  kind: string,
  operation: string,
  callId: string,
  nonce: string,
  contractHash: string,
  attempt: number,
  starts: number,
  run: string,
  resource: string | null,
  providerCallIds: string[],
  overtaken: boolean,
  responseBody: Buffer | null,
  createdAt: number,
  admittedAt: number,
  completedAt: number | null,
  expiresAt: number | null,
]

/** Undefined where there was no slot, and every column is null. */
export function slotRecord(tenant: string, key: string, row: SlotRow): SlotRecord | undefined {
  const [generation, idempotencyKey, requestHash, status, effect, held, kind, operation, callId, nonce] = row
  if (generation === null) return undefined
  const [contractHash, attempt, starts, run, resource, providerCallIds, overtaken, body] = row.slice(10) as Tail
  const [createdAt, admittedAt, completedAt, expiresAt] = row.slice(18) as Times
  return {
    tenant,
    key,
    kind: kind as SlotRecord['kind'],
    operation,
    generation,
    requestHash,
    idempotencyKey,
    status: status as SlotRecord['status'],
    effect: effect as SlotRecord['effect'],
    held,
    callId,
    nonce,
    contractHash,
    attempt,
    starts,
    run,
    resource: resource ?? undefined,
    providerCallIds,
    overtaken,
    answer: body === null ? undefined : (JSON.parse(body.toString()) as RecordedAnswer),
    createdAt: createdAt as EpochMs,
    admittedAt: admittedAt as EpochMs,
    completedAt: (completedAt ?? undefined) as EpochMs | undefined,
    expiresAt: (expiresAt ?? undefined) as EpochMs | undefined,
  }
}

type Tail = [string, number, number, string, string | null, string[], boolean, Buffer | null]
type Times = [number, number, number | null, number | null]
