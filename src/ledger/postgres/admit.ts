// Admission as one statement for many calls: each is decided by its own slot, approval, rate and budget, in the order of the batch.
import { idempotencyKey, maxSeenIds } from '../../contract/slot.ts'
import type { Admission, AdmitRequest } from '../ledger.ts'
import { digestOf } from '../log/binds.ts'
import { arrayText } from './array-text.ts'
import { callKeyHash, columnText } from './call-row.ts'
import { budgetName, createCounterList, rateName } from './counter-list.ts'
import type { Database } from './database.ts'
import { factsText } from './facts-row.ts'
import { createPack } from './pack.ts'
import { slotLocks } from './slot-locks.ts'
import { slotRecord } from './slot-row.ts'

/** An admission that may be sent for a generation which turns out not to be the next one. */
export interface AdmitItem {
  readonly request: AdmitRequest
  readonly generation: number
}

export type AdmitOutcome = Admission | { readonly kind: 'stale'; readonly generation: number }

export async function admitBatch(
  database: Database,
  items: readonly AdmitItem[],
  leaseMs: number,
): Promise<readonly AdmitOutcome[]> {
  const counters = createCounterList()
  for (const { request } of items) {
    const { tenant, rate, budget } = request
    counters.claim(tenant, rateName(rate), rate.windowMs)
    if (budget !== undefined) counters.claim(tenant, budgetName(budget), 0)
  }
  counters.sort()
  const pack = createPack()
  const ids: string[] = []
  const texts: (string | null)[] = []
  const numbers: number[] = []
  for (const { request, generation } of items) {
    const { nonce, callId, tenant, slot, entry, keyFields, approval, rate, budget } = request
    const call = entry?.call
    const callText = call === undefined ? '' : JSON.stringify(call)
    ids.push(nonce, callId)
    // In the order in which proviso.admit names them.
    texts.push(
      tenant,
      slot?.key ?? null,
      slot?.kind ?? null,
      slot?.operation ?? null,
      slot?.requestHash ?? null,
      slot?.providerCallId ?? null,
      slot?.run ?? null,
      slot?.resource ?? null,
      slot === undefined ? null : idempotencyKey(keyFields, generation),
      call?.contractHash ?? '',
      approval?.id ?? null,
      approval?.payloadHash ?? null,
      entry?.findAgain === true ? callKeyHash(entry.call.key) : null,
      columnText(call?.key.tool ?? ''),
      call?.key.run ?? null,
    )
    numbers.push(
      generation,
      request.timeoutMs,
      counters.indexOf(tenant, rateName(rate)),
      rate.max,
      budget === undefined ? 0 : counters.indexOf(tenant, budgetName(budget)),
      budget?.max ?? 0,
      call?.passes ?? 1,
      pack.next,
      pack.add(callText),
      entry === undefined ? 0 : pack.add(factsText(entry.facts, { call: digestOf(callText) })),
      request.unseen ? 1 : 0,
    )
  }
  const rows = await database.run<[string]>('admit', [
    arrayText(ids),
    arrayText(texts),
    arrayText(numbers),
    pack.bytes(),
    ...counters.columns(),
    slotLocks(
      items.flatMap(({ request: { tenant, slot } }) => (slot === undefined ? [] : [{ tenant, key: slot.key }])),
    ),
    items.some(({ request }) => request.approval !== undefined),
    maxSeenIds,
    leaseMs,
  ])
  return items.map(({ request }, index) => outcomeOf(rows[index]?.[0] ?? '', request))
}

/** `what,it,needs`: what an admission came to, as one text. */
function outcomeOf(text: string, request: AdmitRequest): AdmitOutcome {
  const comma = text.indexOf(',')
  const outcome = comma < 0 ? text : text.slice(0, comma)
  const rest = text.slice(comma + 1)
  switch (outcome) {
    case 'admitted': {
      const [generation, attempt, starts, key] = rest.split(',')
      return {
        kind: 'admitted',
        generation: Number(generation),
        attempt: Number(attempt),
        starts: Number(starts),
        idempotencyKey: key === '' ? undefined : key,
      }
    }
    case 'stale':
      return { kind: 'stale', generation: Number(rest) }
    case 'known':
      return { kind: 'known' }
    case 'approval':
      return { kind: 'approval' }
    case 'budget':
      return { kind: 'budget', budget: request.budget?.kind ?? 'read', max: request.budget?.max ?? 0 }
    case 'rate':
      return { kind: 'rate', retryAfterMs: Number(rest) }
    case 'slot':
      return { kind: 'slot', record: slotRecord(request.tenant, request.slot?.key ?? '', rest) }
    default:
      throw new Error('The database gave no answer for this call.')
  }
}
