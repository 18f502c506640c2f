// Slots in memory: one list of generations per key. Admission writes nothing until `write` is called, so that a refused budget or rate
// leaves no trace.
import type { RecordedAnswer } from '../../contract/answer.ts'
import { idempotencyKey, judgeSlot, maxSeenIds, type SlotRecord } from '../../contract/slot.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { AdmitRequest, Settlement, SettleRequest } from '../ledger.ts'

export interface Reservation {
  readonly kind: 'reserved'
  readonly generation: number
  readonly attempt: number
  readonly starts: number
  readonly idempotencyKey: string | undefined
  write(): void
}

export interface Slots {
  find(tenant: string, key: string, providerCallId: string | undefined): SlotRecord | undefined
  see(tenant: string, key: string, generation: number, providerCallId: string): void
  reserve(request: AdmitRequest, now: EpochMs): Reservation | { readonly kind: 'slot'; readonly record: SlotRecord }
  settle(request: SettleRequest, now: EpochMs): Settlement
  amend(tenant: string, key: string, generation: number, answer: RecordedAnswer): void
}

const noSlot: Reservation = {
  kind: 'reserved',
  generation: 1,
  attempt: 1,
  starts: 0,
  idempotencyKey: undefined,
  write() {},
}

export function createSlots(): Slots {
  const generations = new Map<string, SlotRecord[]>()
  const keysByResource = new Map<string, Set<string>>()

  const replace = (record: SlotRecord) => {
    const key = mapKey(record.tenant, record.key)
    const list = generations.get(key) ?? []
    list[record.generation - 1] = record
    generations.set(key, list)
    if (record.resource !== undefined) {
      const keys = keysByResource.get(resourceKey(record)) ?? new Set()
      keysByResource.set(resourceKey(record), keys.add(key))
    }
  }

  const find: Slots['find'] = (tenant, key, providerCallId) => {
    const list = generations.get(mapKey(tenant, key))
    const seenIn =
      providerCallId === undefined ? undefined : list?.find((record) => record.providerCallIds.includes(providerCallId))
    return seenIn ?? list?.at(-1)
  }

  /** Earlier operations of the run on the same resource no longer describe it, so they may be asked for again. */
  const overtake = (by: SlotRecord) => {
    const own = mapKey(by.tenant, by.key)
    for (const key of keysByResource.get(resourceKey(by)) ?? []) {
      const newest = generations.get(key)?.at(-1)
      if (key !== own && newest?.status === 'COMPLETED') replace({ ...newest, overtaken: true })
    }
  }

  return {
    find,
    see(tenant, key, generation, providerCallId) {
      const record = generations.get(mapKey(tenant, key))?.[generation - 1]
      if (record === undefined || record.providerCallIds.includes(providerCallId)) return
      if (record.providerCallIds.length >= maxSeenIds) return
      replace({ ...record, providerCallIds: [...record.providerCallIds, providerCallId] })
    },
    amend(tenant, key, generation, answer) {
      const record = generations.get(mapKey(tenant, key))?.[generation - 1]
      if (record !== undefined && record.status !== 'PENDING') replace({ ...record, answer })
    },
    reserve(request, now) {
      const ref = request.slot
      if (ref === undefined) return noSlot
      const judgement = judgeSlot(find(request.tenant, ref.key, ref.providerCallId), ref, now)
      if (judgement.kind !== 'absent' && judgement.kind !== 'generation' && judgement.kind !== 'retry') {
        return { kind: 'slot', record: judgement.record }
      }
      const record = pendingRecord(request, ref, judgement, now)
      const { generation, attempt, starts, idempotencyKey: key } = record
      return { kind: 'reserved', generation, attempt, starts, idempotencyKey: key, write: () => replace(record) }
    },
    settle(request, now) {
      if (request.slotKey === undefined) return 'settled'
      const record = generations.get(mapKey(request.tenant, request.slotKey))?.[request.generation - 1]
      // A settle fits only the attempt that is pending; anything else comes too late and changes nothing.
      if (record?.status !== 'PENDING' || record.attempt !== request.attempt) return 'late'
      const ends = request.status !== 'PENDING'
      replace({
        ...record,
        status: request.status,
        effect: request.effect,
        held: request.held,
        starts: record.starts + request.tries,
        answer: request.answer,
        completedAt: ends ? now : undefined,
        expiresAt: ends && request.ttlMs !== undefined ? ((now + request.ttlMs) as EpochMs) : undefined,
      })
      if (request.effect === 'happened' && record.resource !== undefined) overtake(record)
      return 'settled'
    },
  }
}

function pendingRecord(
  request: AdmitRequest,
  ref: NonNullable<AdmitRequest['slot']>,
  judgement: { kind: 'absent' } | { kind: 'generation' | 'retry'; record: SlotRecord },
  now: EpochMs,
): SlotRecord {
  const retried = judgement.kind === 'retry' ? judgement.record : undefined
  const generation = judgement.kind === 'absent' ? 1 : judgement.record.generation + (retried === undefined ? 1 : 0)
  const seen = retried?.providerCallIds ?? []
  const isNew = ref.providerCallId !== undefined && !seen.includes(ref.providerCallId)
  return {
    tenant: request.tenant,
    key: ref.key,
    kind: ref.kind,
    operation: ref.operation,
    generation,
    requestHash: ref.requestHash,
    idempotencyKey: retried?.idempotencyKey ?? idempotencyKey(request.keyFields, generation),
    status: 'PENDING',
    effect: 'unknown',
    held: false,
    callId: request.callId,
    attempt: (retried?.attempt ?? 0) + 1,
    starts: retried?.starts ?? 0,
    run: ref.run,
    resource: ref.resource,
    providerCallIds: isNew && ref.providerCallId !== undefined ? [...seen, ref.providerCallId] : seen,
    overtaken: false,
    answer: undefined,
    createdAt: now,
    completedAt: undefined,
    expiresAt: undefined,
  }
}

const mapKey = (tenant: string, key: string) => JSON.stringify([tenant, key])
const resourceKey = (record: SlotRecord) => JSON.stringify([record.tenant, record.run, record.resource])
