// Admission as one statement for many calls: each is decided by its own slot, approval, rate and budget, in the order of the batch.
import { idempotencyKey, maxSeenIds } from '../../contract/slot.ts'
import type { Admission, AdmitRequest } from '../ledger.ts'
import { callKeyHash, columnText } from './call-row.ts'
import { budgetName, createCounterList, rateName } from './counter-list.ts'
import type { Database } from './database.ts'
import { createPack } from './pack.ts'
import { type SlotRow, slotRecord } from './slot-row.ts'

/** An admission that may be sent for a generation which turns out not to be the next one. */
export interface AdmitItem {
  readonly request: AdmitRequest
  readonly generation: number
}

type Row = [
  i: number,
  outcome: 'admitted' | 'again' | 'stale' | 'slot' | 'approval' | 'budget' | 'rate',
  generation: number,
  attempt: number,
  starts: number,
  key: string | null,
  waitMs: number,
  ...slot: SlotRow,
]

export type AdmitOutcome = Admission | { readonly kind: 'stale'; readonly generation: number }

export async function admitBatch(
  database: Database,
  items: readonly AdmitItem[],
  leaseMs: number,
): Promise<readonly AdmitOutcome[]> {
  const pack = createPack()
  const counters = createCounterList()
  const bodyAt: number[] = []
  const bodyLength: number[] = []
  const factsLength: number[] = []
  for (const { request } of items) {
    const { entry, tenant, rate, budget } = request
    counters.claim(tenant, rateName(rate), rate.windowMs)
    if (budget !== undefined) counters.claim(tenant, budgetName(budget), 0)
    bodyAt.push(pack.next)
    bodyLength.push(entry === undefined ? 0 : pack.add(JSON.stringify(entry.call)))
    factsLength.push(entry === undefined || entry.facts.length === 0 ? 0 : pack.add(JSON.stringify(entry.facts)))
  }
  counters.sort()
  const of = <T>(pick: (request: AdmitRequest, item: AdmitItem) => T) => items.map((item) => pick(item.request, item))
  const rows = await database.run<Row>('admit', [
    of(({ nonce }) => nonce),
    of(({ callId }) => callId),
    of(({ tenant }) => tenant),
    of(({ slot }) => slot?.key ?? null),
    of(({ slot }) => slot?.kind ?? null),
    of(({ slot }) => slot?.operation ?? null),
    of(({ slot }) => slot?.requestHash ?? null),
    of(({ slot }) => slot?.providerCallId ?? null),
    of(({ slot }) => slot?.run ?? null),
    of(({ slot }) => slot?.resource ?? null),
    of((_, { generation }) => generation),
    of(({ keyFields, slot }, { generation }) => (slot === undefined ? null : idempotencyKey(keyFields, generation))),
    of(({ timeoutMs }) => timeoutMs),
    of(({ entry }) => entry?.call.contractHash ?? ''),
    of(({ approval }) => approval?.id ?? null),
    of(({ approval }) => approval?.payloadHash ?? null),
    of(({ tenant, rate }) => counters.indexOf(tenant, rateName(rate))),
    of(({ rate }) => rate.max),
    of(({ tenant, budget }) => (budget === undefined ? null : counters.indexOf(tenant, budgetName(budget)))),
    of(({ budget }) => budget?.max ?? null),
    of(({ entry }) => (entry?.findAgain === true ? callKeyHash(entry.call.key) : null)),
    of(({ entry }) => columnText(entry?.call.key.tool ?? '')),
    of(({ entry }) => entry?.call.key.run ?? null),
    of(({ entry }) => entry?.call.passes ?? 1),
    bodyAt,
    bodyLength,
    factsLength,
    pack.bytes(),
    ...counters.columns(),
    maxSeenIds,
    leaseMs,
  ])
  const outcomes = new Array<AdmitOutcome>(items.length)
  for (const row of rows) {
    const item = items[row[0] - 1]
    if (item !== undefined) outcomes[row[0] - 1] = outcomeOf(row, item.request)
  }
  return outcomes
}

function outcomeOf(
  [, outcome, generation, attempt, starts, key, waitMs, ...slot]: Row,
  request: AdmitRequest,
): AdmitOutcome {
  switch (outcome) {
    case 'admitted':
    case 'again':
      return { kind: 'admitted', generation, attempt, starts, idempotencyKey: key ?? undefined }
    case 'stale':
      return { kind: 'stale', generation }
    case 'approval':
      return { kind: 'approval' }
    case 'budget':
      return { kind: 'budget', budget: request.budget?.kind ?? 'read', max: request.budget?.max ?? 0 }
    case 'rate':
      return { kind: 'rate', retryAfterMs: waitMs }
    case 'slot': {
      const record = slotRecord(request.tenant, request.slot?.key ?? '', slot)
      if (record === undefined) throw new Error('The database refused a slot and gave no record of it.')
      return { kind: 'slot', record }
    }
  }
}
