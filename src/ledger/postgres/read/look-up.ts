// The reading before the gates, shared by the calls that need it at the same time.
import type { EpochMs } from '../../../json/clock.ts'
import type { LookedUp, LookUp } from '../../ports/operations.ts'
import { callKeyHash, callRecord } from '../codec/call-text.ts'
import { arraysFrom, countParameters } from '../codec/layout.ts'
import { createPack } from '../codec/pack.ts'
import { lookUps } from '../codec/requests.ts'
import { readSlot } from '../codec/slot-row.ts'
import type { Database } from '../driver/database.ts'
import { functionCall } from '../driver/statements.ts'
import { batching, type StoreWork } from '../work.ts'
import { type Batcher, createBatcher } from '../write/batch.ts'

export type Readings = Batcher<LookUp, LookedUp>

export const createReadings = (work: StoreWork): Readings =>
  createBatcher({ ...batching(work), send: (items: readonly LookUp[]) => lookUpBatch(work.database, items) })

/** The key of no call: only its slot or its run is asked for. */
export const noCall = { run: undefined, providerCallId: undefined, tool: '', inputHash: '' } as const

type Row = [i: number, body: Buffer | null, slot: string | null, labels: string[] | null, contradicted: boolean | null]

const lookUpCall = functionCall('look-up', [countParameters(lookUps)], [])

async function lookUpBatch(database: Database, items: readonly LookUp[]): Promise<readonly LookedUp[]> {
  const rows = items.map(({ key, slot, labels }) => ({
    tenant: key.tenant,
    call_key: callKeyHash(key),
    slot: slot?.key ?? null,
    provider: slot?.providerCallId ?? null,
    run: labels === true ? (key.run ?? null) : null,
  }))
  const values = arraysFrom(lookUps, rows, createPack())
  const [first, ...answers] = await database.run<Row>('look-up', values, lookUpCall)
  const at = Number(first?.[2]) as EpochMs
  const found: LookedUp[] = items.map(({ slot, labels }) => ({
    call: undefined,
    slot: slot === undefined ? undefined : { record: undefined, at },
    ...(labels === true ? { labels: [] } : {}),
  }))
  for (const [i, body, slotText, carried, contradicted] of answers) {
    const item = items[i - 1]
    if (item === undefined) continue
    const { key, slot, labels } = item
    const record = slot === undefined || slotText === null ? undefined : readSlot(key.tenant, slot.key, slotText)
    found[i - 1] = {
      call: body === null ? undefined : callRecord(body),
      slot: slot === undefined ? undefined : { record, at, ...(contradicted === true ? { contradicted } : {}) },
      ...(labels === true ? { labels: carried ?? [] } : {}),
    }
  }
  return found
}
