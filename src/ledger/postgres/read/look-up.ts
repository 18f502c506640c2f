// The reading before the gates, shared by the calls that need it at the same time.
import type { EpochMs } from '../../../json/clock.ts'
import type { LookedUp, LookUp } from '../../ports/operations.ts'
import { arrayText } from '../codec/array-text.ts'
import { callKeyHash, callRecord } from '../codec/call-row.ts'
import { slotRecord } from '../codec/slot-row.ts'
import type { Database } from '../driver/database.ts'

type Row = [i: number, body: Buffer | null, slot: string | null, labels: string[] | null]

export async function lookUpBatch(database: Database, items: readonly LookUp[]): Promise<readonly LookedUp[]> {
  const texts = items.flatMap(({ key, slot, labels }) => [
    key.tenant,
    callKeyHash(key),
    slot?.key ?? null,
    slot?.providerCallId ?? null,
    labels === true ? (key.run ?? null) : null,
  ])
  const [first, ...rows] = await database.run<Row>('look-up', [arrayText(texts)])
  const at = Number(first?.[2]) as EpochMs
  const found: LookedUp[] = items.map(({ slot, labels }) => ({
    call: undefined,
    slot: slot === undefined ? undefined : { record: undefined, at },
    ...(labels === true ? { labels: [] } : {}),
  }))
  for (const [i, body, slotText, carried] of rows) {
    const item = items[i - 1]
    if (item === undefined) continue
    const { key, slot, labels } = item
    const record = slot === undefined || slotText === null ? undefined : slotRecord(key.tenant, slot.key, slotText)
    found[i - 1] = {
      call: body === null ? undefined : callRecord(body),
      slot: slot === undefined ? undefined : { record, at },
      ...(labels === true ? { labels: carried ?? [] } : {}),
    }
  }
  return found
}
