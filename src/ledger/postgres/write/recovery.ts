// Operations whose owners are gone: one process at a time finds out what happened; where no process can, people say it.

import { personOf } from '../../../contract/approval/approval-pattern.ts'
import type { SlotRecord } from '../../../contract/call/slot.ts'
import type { EpochMs } from '../../../json/clock.ts'
import { isUuid } from '../../../json/id.ts'
import type { CallRecord } from '../../ports/calls.ts'
import type { Claim, ClaimQuery, Resolution, ResolutionOutcome, Restart } from '../../ports/operations.ts'
import { orphanMs, restartLeaseMs, restartLookMs, watcherMs } from '../../rules/recovery-times.ts'
import {
  joinStatements,
  judgeResolution,
  resolutionEntry,
  resolvedStatus,
  type Statement,
  withoutOperation,
} from '../../rules/resolution.ts'
import { callRecord } from '../codec/call-text.ts'
import { readSlot } from '../codec/slot-row.ts'
import type { Database } from '../driver/database.ts'
import { type Query, queryOn } from '../driver/query-on.ts'
import { slotLocks } from '../locks.ts'
import { reservedText } from './counter-list.ts'
import { recordOn } from './record.ts'
import type { Sightings } from './sightings.ts'

type ClaimRow = [tenant: string, slotKey: string, body: Buffer, leaseUntil: number, at: number, slot: string]

export interface Claiming {
  readonly sightings: Sightings
  /** Names this process. */
  readonly watcher: string
  readonly report: (fault: unknown) => void
}

export async function claimExpired(
  database: Database,
  query: ClaimQuery,
  { sightings, watcher, report }: Claiming,
): Promise<readonly Claim[]> {
  const values = [query.contracts, query.limit, query.forMs, orphanMs, watcher, watcherMs]
  return (await database.run<ClaimRow>('claim', values)).flatMap((row) => {
    try {
      return [claimOf(row, sightings)]
    } catch (error) {
      // An operation that cannot be read must not stop the recovery of others.
      report(error)
      return []
    }
  })
}

function claimOf([tenant, key, body, leaseUntil, at, row]: ClaimRow, sightings: Sightings): Claim {
  const read = readSlot(tenant, key, row)
  const slot = { ...read, createdAt: sightings.createdAt({ ...read, at }) }
  const lastStart = sightings.lastStart({ ...slot, leaseUntil, at })
  return { slot, call: callRecord(body), lastStart, at: at as EpochMs }
}

export async function restartSlot(
  database: Database,
  { tenant, key, generation, nonce, createdAt }: SlotRecord,
  { nonce: next, timeoutMs, withinMs }: Restart,
  owner: string,
): Promise<boolean> {
  const leaseMs = restartLeaseMs(timeoutMs)
  const values = [tenant, key, generation, nonce, next, leaseMs, restartLookMs(timeoutMs), withinMs, owner, createdAt]
  return (await database.run('restart', values)).length > 0
}

export async function postponeSlot(
  database: Database,
  { tenant, key, generation, nonce }: SlotRecord,
  ms: number,
): Promise<void> {
  await database.run('postpone', [tenant, key, generation, nonce, ms])
}

type HeldRow = [at: number, slot: string]

/** Locked in the order that all keep, the slot's name first; of the operation that the call runs, or ran last. */
async function lockSlotOf(query: Query, callId: string, tenant: string | undefined) {
  const [place] = await query<[tenant: string, key: string, generation: number]>('slot-of-call', [
    callId,
    tenant ?? null,
  ])
  if (place === undefined) return undefined
  const [owner, key] = place
  await query('lock-slots', [slotLocks([{ tenant: owner, key }])])
  const [row] = await query<HeldRow>('lock-slot', place)
  if (row === undefined) return undefined
  const record = readSlot(owner, key, row[1])
  // Another call may have taken it over meanwhile.
  return record.callId === callId ? { owner, key, at: row[0] as EpochMs, record } : undefined
}

async function callOn(query: Query, callId: string): Promise<CallRecord | undefined> {
  const [row] = await query<[Buffer | null]>('call', [callId])
  return row?.[0] == null ? undefined : callRecord(row[0])
}

/** The call has no operation; questions about it can be answered all the same. */
async function answerOnly(
  query: Query,
  { callId, tenant, by, why }: Resolution,
  writer: string,
): Promise<ResolutionOutcome> {
  const call = await callOn(query, callId)
  if (call === undefined || (tenant !== undefined && call.key.tenant !== tenant))
    return { kind: 'not_held', record: undefined }
  const asked = await query('open-escalations', [callId])
  if (judgeResolution({ ...withoutOperation, asked: asked.length > 0 }) === 'not_held')
    return { kind: 'not_held', record: undefined }
  const [answered] = await query<[number]>('close-escalations', [callId, by])
  if (answered === undefined) return { kind: 'not_held', record: undefined }
  const entry = resolutionEntry(call, { effect: 'none', by, why }, answered[0] as EpochMs, 'answered')
  await recordOn(query, entry, writer)
  return { kind: 'answered', record: undefined }
}

export function resolveSlot(database: Database, resolution: Resolution, writer: string): Promise<ResolutionOutcome> {
  const { callId, tenant, effect, quorum } = resolution
  if (!isUuid(callId)) return Promise.resolve({ kind: 'not_held', record: undefined })
  return database.transaction(async (client): Promise<ResolutionOutcome> => {
    const query = queryOn(client)
    const found = await lockSlotOf(query, callId, tenant)
    // All that is known of it now, and until this is written.
    await query('lock-call', [callId])
    const call = found === undefined ? undefined : await callOn(query, callId)
    if (found === undefined || call === undefined) return answerOnly(query, resolution, writer)
    const { owner, key, at, record } = found
    const before = await query<[Buffer]>('statements', [owner, record.nonce])
    const own = { by: resolution.by, effect, why: resolution.why }
    const said = joinStatements(
      before.map(([text]) => JSON.parse(text.toString()) as Statement),
      own,
    )
    const asked = await query('open-escalations', [callId])
    const kind = judgeResolution({ held: record.held, agreed: said.people.length >= quorum, asked: asked.length > 0 })
    if (kind === 'not_held') return { kind, record }
    if (kind === 'stated') {
      await query('statement-add', [owner, record.nonce, personOf(own.by), Buffer.from(JSON.stringify(own))])
      return { kind, record, missing: quorum - said.people.length }
    }
    if (kind === 'answered') {
      await query('close-escalations', [callId, own.by])
      const entry = resolutionEntry(call, own, at, kind)
      await recordOn(query, entry, writer)
      return { kind, record }
    }
    const { by, why } = said
    const [changed] = await query<[string]>('resolve', [owner, key, record.generation, resolvedStatus[effect], effect])
    await query('bind-slot', [owner, key, record.generation])
    const reserved = effect === 'none' ? reservedText(record.reserved) : null
    if (reserved !== null) await query('recount', [owner, reserved, record.admittedAt, -1])
    await query('close-escalations', [callId, by])
    const entry = resolutionEntry(call, { effect, by, why }, at)
    await recordOn(query, entry, writer)
    const resolved = changed === undefined ? undefined : readSlot(owner, key, changed[0])
    return resolved === undefined ? { kind: 'not_held', record } : { kind: 'resolved', record: resolved }
  })
}
