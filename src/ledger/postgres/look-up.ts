// The reading before the gates, shared by the calls that need it at the same time.

import type { EpochMs } from '../../json/clock.ts'
import type { LookedUp, LookUp } from '../ledger.ts'
import { callKeyHash, callRecord } from './call-row.ts'
import type { Database } from './database.ts'
import { type SlotRow, slotRecord } from './slot-row.ts'

type Row = [i: number, body: Buffer | null, ending: Buffer | null, at: number, ...slot: SlotRow]

export async function lookUpBatch(database: Database, items: readonly LookUp[]): Promise<readonly LookedUp[]> {
  const rows = await database.run<Row>('look-up', [
    items.map(({ key }) => key.tenant),
    items.map(({ key }) => callKeyHash(key)),
    items.map(({ slot }) => slot?.key ?? null),
    items.map(({ slot }) => slot?.providerCallId ?? null),
  ])
  const found = new Array<LookedUp>(items.length)
  for (const [i, body, ending, at, ...slotRow] of rows) {
    const item = items[i - 1]
    if (item === undefined) continue
    const { key, slot } = item
    found[i - 1] = {
      call: body === null ? undefined : callRecord(body, ending),
      slot: slot === undefined ? undefined : { record: slotRecord(key.tenant, slot.key, slotRow), at: at as EpochMs },
    }
  }
  return found
}
