// Slots in memory: one list of generations per key. Admission writes nothing until `write` is called, so that a refused budget or rate
// leaves no trace.

import { reservedOf, type SettleRequest } from '../../contract/settlement.ts'
import { idempotencyKey, judgeSlot, maxSeenIds, type SlotRecord } from '../../contract/slot.ts'
import type { EpochMs } from '../../json/clock.ts'
import { ownCopy } from '../../json/own-copy.ts'
import type { AdmitRequest, PassEntry } from '../ports/operations.ts'
import type { ClosedSlot } from '../ports/sagas.ts'

export interface Reservation {
  readonly kind: 'reserved'
  readonly generation: number
  readonly attempt: number
  readonly starts: number
  readonly idempotencyKey: string | undefined
  /** Undefined where this very admission was written before. */
  readonly write: (() => void) | undefined
}

/** `duplicate`: an attempt that another one has replaced says that it happened, too. `both`: it is settled all the same. */
export interface SlotSettlement {
  readonly kind: 'settled' | 'late' | 'duplicate' | 'both'
  /** What becomes of what the attempt had reserved: given back, or taken again because it happened after all. */
  readonly counts: { readonly change: 'back' | 'again'; readonly record: SlotRecord } | undefined
}

export interface Slots {
  find(tenant: string, key: string, providerCallId: string | undefined): SlotRecord | undefined
  ofCall(callId: string): SlotRecord | undefined
  see(tenant: string, seen: NonNullable<PassEntry['seen']>): void
  reserve(request: AdmitRequest, now: EpochMs): Reservation | { readonly kind: 'slot'; readonly record: SlotRecord }
  settle(request: SettleRequest, now: EpochMs): SlotSettlement
  amend(tenant: string, amend: NonNullable<PassEntry['amend']>): void
  replace(record: SlotRecord): void
  /** Nobody runs it any more: it ends without effect, whether or not it was ever asked for. */
  close(tenant: string, closed: ClosedSlot, now: EpochMs): void
  /** What happened was undone later. */
  undo(tenant: string, key: string): void
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
  const byCall = new Map<string, { key: string; generation: number }>()

  const replace = (record: SlotRecord) => {
    const key = mapKey(record.tenant, record.key)
    const list = generations.get(key) ?? []
    list[record.generation - 1] = record
    generations.set(key, list)
    byCall.set(record.callId, { key, generation: record.generation })
    if (record.resource !== undefined) {
      const keys = keysByResource.get(resourceKey(record)) ?? new Set()
      keysByResource.set(resourceKey(record), keys.add(key))
    }
  }

  const at = (tenant: string, key: string, generation: number) => generations.get(mapKey(tenant, key))?.[generation - 1]

  const find: Slots['find'] = (tenant, key, providerCallId) => {
    const list = generations.get(mapKey(tenant, key))
    const seenIn =
      providerCallId === undefined
        ? undefined
        : list?.findLast((record) => record.providerCallIds.includes(providerCallId))
    return seenIn ?? list?.at(-1)
  }

  /** Earlier operations of the run on the same resource no longer describe it, so they may be asked for again. */
  const overtake = (by: SlotRecord) => {
    const own = mapKey(by.tenant, by.key)
    for (const key of keysByResource.get(resourceKey(by)) ?? []) {
      if (key === own) continue
      for (const record of generations.get(key) ?? []) {
        const same = resourceKey(record) === resourceKey(by)
        if (same && record.status === 'COMPLETED') replace({ ...record, overtaken: true })
      }
    }
  }

  return {
    find,
    replace,
    close(tenant, closed, now) {
      const record = find(tenant, closed.slotKey, undefined)
      if (record === undefined) replace(closedRecord(tenant, closed, now))
      else if (record.status === 'FAILED_RETRYABLE') replace({ ...record, status: 'FAILED_FINAL' })
    },
    undo(tenant, key) {
      const record = find(tenant, key, undefined)
      if (record?.status === 'COMPLETED') replace({ ...record, status: 'COMPENSATED' })
    },
    ofCall(callId) {
      const place = byCall.get(callId)
      const record = place === undefined ? undefined : generations.get(place.key)?.[place.generation - 1]
      // Another call may have taken the operation over: what it holds is not this call's.
      return record?.callId === callId ? record : undefined
    },
    see(tenant, { slotKey, generation, providerCallId }) {
      const record = at(tenant, slotKey, generation)
      if (record === undefined || record.providerCallIds.includes(providerCallId)) return
      if (record.providerCallIds.length >= maxSeenIds) return
      replace({ ...record, providerCallIds: [...record.providerCallIds, providerCallId] })
    },
    amend(tenant, { slotKey, generation, answer }) {
      const record = at(tenant, slotKey, generation)
      if (record !== undefined && record.status !== 'PENDING') replace({ ...record, answer: ownCopy(answer) })
    },
    reserve(request, now) {
      const ref = request.slot
      if (ref === undefined) return noSlot
      const found = find(request.tenant, ref.key, ref.providerCallId)
      // The same admission, issued again because its answer was lost on the way.
      if (found?.nonce === request.nonce && found.status === 'PENDING' && !found.held) return admittedAgain(found)
      const judgement = judgeSlot(found, ref, now)
      if (judgement.kind !== 'absent' && judgement.kind !== 'generation' && judgement.kind !== 'retry') {
        return { kind: 'slot', record: judgement.record }
      }
      const record = pendingRecord(request, ref, judgement, now)
      const { generation, attempt, starts, idempotencyKey: key } = record
      return { kind: 'reserved', generation, attempt, starts, idempotencyKey: key, write: () => replace(record) }
    },
    settle(request, now) {
      if (request.slotKey === undefined) return { kind: 'settled', counts: undefined }
      const record = at(request.tenant, request.slotKey, request.generation)
      if (record === undefined || !fits(record, request)) {
        return record !== undefined && isDuplicate(record, request)
          ? { kind: 'duplicate', counts: { change: 'again', record } }
          : { kind: 'late', counts: undefined }
      }
      const ends = request.status !== 'PENDING'
      replace({
        ...record,
        status: request.status,
        effect: request.effect,
        held: request.held,
        starts: record.starts + request.tries,
        // The caller has the answer in hand and may do with it what they like; the record is a copy.
        answer: request.answer === undefined ? undefined : ownCopy(request.answer),
        completedAt: ends ? now : undefined,
        expiresAt: ends && request.ttlMs !== undefined ? ((now + request.ttlMs) as EpochMs) : undefined,
      })
      if (request.effect === 'happened' && record.resource !== undefined) overtake(record)
      // Given up, started over as a new generation, and happened after all.
      const later = generations.get(mapKey(request.tenant, request.slotKey))?.slice(request.generation) ?? []
      if (record.status === 'PENDING')
        return { kind: 'settled', counts: request.effect === 'none' ? { change: 'back', record } : undefined }
      const twice = later.some(({ effect }) => effect !== 'none')
      return { kind: twice ? 'both' : 'settled', counts: { change: 'again', record } }
    },
  }
}

/** A settle fits the attempt that is pending; and any that was given up as without effect, where it turns out to have happened. */
function fits(record: SlotRecord, { attempt, effect, nonce }: SettleRequest): boolean {
  // That it did nothing is said by each start for itself alone.
  const speaksForAll = effect !== 'none' || nonce === '' || nonce === record.nonce
  if (record.status === 'PENDING') return record.attempt === attempt && speaksForAll
  return record.effect === 'none' && effect === 'happened' && attempt <= record.attempt
}

function isDuplicate(record: SlotRecord, { attempt, effect }: SettleRequest): boolean {
  return record.attempt !== attempt && effect === 'happened' && record.effect !== 'none'
}

const admittedAgain = ({ generation, attempt, starts, idempotencyKey: key }: SlotRecord): Reservation => ({
  kind: 'reserved',
  generation,
  attempt,
  starts,
  idempotencyKey: key,
  write: undefined,
})

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
    nonce: request.nonce,
    contractHash: request.entry?.call.contractHash ?? '',
    attempt: (retried?.attempt ?? 0) + 1,
    starts: retried?.starts ?? 0,
    run: ref.run,
    resource: ref.resource,
    providerCallIds: isNew && ref.providerCallId !== undefined ? [...seen, ref.providerCallId] : seen,
    overtaken: false,
    reserved: reservedOf(request.claims),
    answer: undefined,
    createdAt: retried?.createdAt ?? now,
    admittedAt: now,
    completedAt: undefined,
    expiresAt: undefined,
  }
}

/** The record of an operation that was never admitted and never will be. */
function closedRecord(tenant: string, closed: ClosedSlot, now: EpochMs): SlotRecord {
  const { slotKey, operation, requestHash, callId, run, answer } = closed
  return {
    tenant,
    key: slotKey,
    kind: 'caller',
    operation,
    generation: 1,
    requestHash,
    idempotencyKey: '',
    status: 'FAILED_FINAL',
    effect: 'none',
    held: false,
    callId,
    nonce: '',
    contractHash: '',
    attempt: 0,
    starts: 0,
    run,
    resource: undefined,
    providerCallIds: [],
    overtaken: false,
    reserved: [],
    answer,
    createdAt: now,
    admittedAt: now,
    completedAt: now,
    expiresAt: undefined,
  }
}

const mapKey = (tenant: string, key: string) => JSON.stringify([tenant, key])
const resourceKey = (record: SlotRecord) => JSON.stringify([record.tenant, record.run, record.resource])
