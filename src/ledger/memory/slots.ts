// Slots in memory: one list of generations per key. Admission writes nothing until `write` is called, so that a refused budget or rate
// leaves no trace.

import { reservedOf } from '../../contract/call/claim.ts'
import type { SettleRequest } from '../../contract/call/settlement.ts'
import { idempotencyKey, type SlotRecord } from '../../contract/call/slot.ts'
import type { EpochMs } from '../../json/clock.ts'
import { ownCopy } from '../../json/copy.ts'
import type { Admission, AdmitRequest, PassEntry } from '../ports/operations.ts'
import type { ClosedSlot } from '../ports/sagas.ts'
import { consequences, type Fit, fitOf, fitWithoutSlot, statusConsequences } from '../rules/settle.ts'
import { amendingRule, closingRule, maxSeenIds, overtakingRule, slotVerdict, undoingRule } from '../rules/slot.ts'
import { decide } from '../rules/table.ts'

export interface Reservation {
  readonly kind: 'reserved'
  readonly generation: number
  readonly attempt: number
  readonly starts: number
  readonly idempotencyKey: string | undefined
  /** Undefined where this very admission was written before. */
  readonly write: (() => void) | undefined
}

/** How an end fits its slot, and how counters change by it. */
export interface SlotSettlement {
  readonly fit: Fit
  /** The record whose claims are given back or taken again. */
  readonly record: SlotRecord | undefined
}

export interface Slots {
  find(tenant: string, key: string, providerCallId: string | undefined): SlotRecord | undefined
  ofCall(callId: string): SlotRecord | undefined
  see(tenant: string, seen: NonNullable<PassEntry['seen']>): void
  /** `known`: nothing was looked up, and there is a record. */
  reserve(request: AdmitRequest, now: EpochMs): Reservation | Extract<Admission, { kind: 'slot' | 'known' }>
  settle(request: SettleRequest, now: EpochMs): SlotSettlement
  amend(tenant: string, amend: NonNullable<PassEntry['amend']>): void
  replace(record: SlotRecord): void
  /** Closes the operation without effect, also where it was never asked for: it is never run any more. False where it is open or has an effect. */
  close(tenant: string, closed: ClosedSlot, now: EpochMs): boolean
  /** Marks an effect that was undone later. */
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
        if (same && decide(overtakingRule, record) === 'overtaken') replace({ ...record, overtaken: true })
      }
    }
  }

  const reservation = (input: NewAttempt): Reservation => {
    const record = pendingRecord(input)
    const { generation, attempt, starts, idempotencyKey: key } = record
    return { kind: 'reserved', generation, attempt, starts, idempotencyKey: key, write: () => replace(record) }
  }

  return {
    find,
    replace,
    close(tenant, closed, now) {
      const record = find(tenant, closed.slotKey, undefined)
      const verdict = record === undefined ? undefined : decide(closingRule, record)
      if (record === undefined) replace(closedRecord(tenant, closed, now))
      else if (verdict === 'close') replace({ ...record, status: 'FAILED_FINAL', completedAt: now })
      return verdict !== 'open'
    },
    undo(tenant, key) {
      const record = find(tenant, key, undefined)
      if (record !== undefined && decide(undoingRule, record) === 'undone')
        replace({ ...record, status: 'COMPENSATED' })
    },
    ofCall(callId) {
      const place = byCall.get(callId)
      const record = place === undefined ? undefined : generations.get(place.key)?.[place.generation - 1]
      // Another call may have taken the operation over: then its record is not this call's.
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
      if (record !== undefined && decide(amendingRule, record) === 'amended')
        replace({ ...record, answer: ownCopy(answer) })
    },
    reserve(request, now) {
      const ref = request.slot
      if (ref === undefined) return noSlot
      const found = find(request.tenant, ref.key, ref.providerCallId)
      if (found === undefined) return reservation({ request, ref, generation: 1, now })
      const verdict = slotVerdict(found, ref, now, request)
      switch (verdict) {
        case 'again':
          return admittedAgain(found)
        case 'known':
          return { kind: 'known' }
        case 'generation':
          return reservation({ request, ref, generation: found.generation + 1, now })
        case 'retry':
          return reservation({ request, ref, retried: found, generation: found.generation, now })
        default:
          return { kind: 'slot', verdict, record: found }
      }
    },
    settle(request, now) {
      if (request.slotKey === undefined) return { fit: fitWithoutSlot(request), record: undefined }
      const record = at(request.tenant, request.slotKey, request.generation)
      const later = generations.get(mapKey(request.tenant, request.slotKey))?.slice(request.generation) ?? []
      const fit = fitOf(record, request, later)
      if (record === undefined || !consequences[fit].writes) return { fit, record }
      const { ends } = statusConsequences[request.status]
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
      return { fit, record }
    },
  }
}

const admittedAgain = ({ generation, attempt, starts, idempotencyKey: key }: SlotRecord): Reservation => ({
  kind: 'reserved',
  generation,
  attempt,
  starts,
  idempotencyKey: key,
  write: undefined,
})

interface NewAttempt {
  readonly request: AdmitRequest
  readonly ref: NonNullable<AdmitRequest['slot']>
  /** The record of the attempt before, where the same operation is tried again. */
  readonly retried?: SlotRecord
  readonly generation: number
  readonly now: EpochMs
}

function pendingRecord({ request, ref, retried, generation, now }: NewAttempt): SlotRecord {
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
