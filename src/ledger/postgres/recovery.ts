// Operations whose owners are gone: given to one process at a time to find out about, and settled by people where nobody can.

import type { SlotRecord } from '../../contract/slot.ts'
import type { EpochMs } from '../../json/clock.ts'
import { isUuid } from '../../json/id.ts'
import type { Claim, ClaimQuery, Resolution, Resolved, Restart } from '../ledger.ts'
import { resolutionEntry } from '../resolution-entry.ts'
import { callRecord } from './call-row.ts'
import type { Database } from './database.ts'
import { factsOf } from './facts-row.ts'
import { queryOn } from './query-on.ts'
import { recordItem, recordValues } from './record.ts'
import type { Sightings } from './sightings.ts'
import { slotRecord } from './slot-row.ts'

/** How long the executor of a claimed operation may take to be started. */
export const startMs = 5_000

/** An operation of a contract that nobody knows is given to anybody after this time, to be held. */
const orphanMs = 600_000

type ClaimRow = [
  tenant: string,
  slotKey: string,
  body: Buffer,
  facts: Buffer | null,
  leaseUntil: number,
  at: number,
  slot: string,
]

/** Whoever has looked before may look again first, by this much. */
const watcherMs = 5_000

export async function claimExpired(
  database: Database,
  query: ClaimQuery,
  sightings: Sightings,
  watcher: string,
): Promise<readonly Claim[]> {
  const values = [query.contracts, query.limit, query.forMs, orphanMs, watcher, watcherMs]
  return (await database.run<ClaimRow>('claim', values)).map(([tenant, key, body, facts, leaseUntil, at, row]) => {
    const slot = slotRecord(tenant, key, row)
    const lastStart = sightings.lastStart({ nonce: slot.nonce, leaseUntil, at })
    const brought = facts === null ? [] : factsOf(slot.callId, facts)
    return { slot, call: callRecord(body), facts: brought, lastStart, at: at as EpochMs }
  })
}

/** Beyond the timeout, for what has to be written then. */
const marginMs = 30_000

export async function restartSlot(
  database: Database,
  { tenant, key, generation, nonce }: SlotRecord,
  { nonce: next, timeoutMs, withinMs }: Restart,
): Promise<boolean> {
  const values = [tenant, key, generation, nonce, next, startMs, startMs + timeoutMs + marginMs, withinMs]
  return (await database.run('restart', values)).length > 0
}

export async function postponeSlot(
  database: Database,
  { tenant, key, generation, nonce }: SlotRecord,
  ms: number,
): Promise<void> {
  await database.run('postpone', [tenant, key, generation, nonce, ms])
}

type HeldRow = [tenant: string, slotKey: string, body: Buffer, at: number, slot: string]

export function resolveSlot(database: Database, resolution: Resolution, writer: string): Promise<Resolved> {
  const { callId, tenant, effect, by, why } = resolution
  if (!isUuid(callId)) return Promise.resolve({ kind: 'not_held', record: undefined })
  return database.transaction(async (client): Promise<Resolved> => {
    const query = queryOn(client)
    const [found] = await query<HeldRow>('lock-slot-of-call', [callId, tenant ?? null])
    if (found === undefined) return { kind: 'not_held', record: undefined }
    const [owner, key, body, at, row] = found
    const record = slotRecord(owner, key, row)
    if (!record.held) {
      const answered = await query('close-escalations', [callId, by])
      if (answered.length === 0) return { kind: 'not_held', record }
      const entry = resolutionEntry(callRecord(body), { effect, by, why }, at as EpochMs, 'answered')
      await query('record', recordValues([recordItem(entry)], writer))
      return { kind: 'answered', record }
    }
    const status = effect === 'happened' ? 'COMPLETED' : 'FAILED_RETRYABLE'
    const [changed] = await query<[string]>('resolve', [owner, key, record.generation, status, effect])
    await query('close-escalations', [callId, by])
    const call = callRecord(body)
    const entry = resolutionEntry(call, { effect, by, why }, at as EpochMs)
    await query('record', recordValues([recordItem(entry)], writer))
    const resolved = changed === undefined ? undefined : slotRecord(owner, key, changed[0])
    return resolved === undefined ? { kind: 'not_held', record } : { kind: 'resolved', record: resolved }
  })
}
