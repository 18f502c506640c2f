// Admission as one statement for many calls: each is decided by its own slot, approval, rate and claims, in the order of the batch.
import { reservedOf } from '../../../contract/settlement.ts'
import { idempotencyKey } from '../../../contract/slot.ts'
import type { EpochMs } from '../../../json/clock.ts'
import type { BudgetRefusal } from '../../ports/limits.ts'
import type { Admission, AdmitRequest } from '../../ports/operations.ts'
import { maxSeenIds } from '../../rules/slot.ts'
import type { Admitted } from '../codec/admitted.ts'
import { arrayText } from '../codec/array-text.ts'
import { callKeyHash } from '../codec/call-row.ts'
import { createPack } from '../codec/pack.ts'
import { slotRecord } from '../codec/slot-row.ts'
import type { Database } from '../driver/database.ts'
import { isTaken } from '../driver/errors.ts'
import { admitNew, mayBeNew } from './admit-new.ts'
import { createCounterList, rateName, reservedText } from './counter-list.ts'
import type { SeenCounters } from './seen-counters.ts'
import { slotLocks } from './slot-locks.ts'

/** An admission that may be sent for a generation which turns out not to be the next one. */
export interface AdmitItem {
  readonly request: AdmitRequest
  readonly generation: number
  /** The rate was drawn from a block of this process. */
  readonly rated: boolean
  /** What is written of the call; undefined where nothing is. */
  readonly admitted: Admitted | undefined
}

export type AdmitOutcome = Admission | { readonly kind: 'stale'; readonly generation: number }

/** What admissions of one process have in common. */
export interface Admissions {
  readonly database: Database
  readonly leaseMs: number
  readonly seenCounters: SeenCounters
}

/** New calls by a plain statement, all others by the function; one that turns out not to be new goes with the others. */
export async function admitBatch(
  admissions: Admissions,
  items: readonly AdmitItem[],
): Promise<readonly AdmitOutcome[]> {
  const { database, leaseMs } = admissions
  const fresh = items.filter(mayBeNew)
  if (fresh.length === 0) return admitAny(database, items, leaseMs)
  const admitted = await admitNew(admissions, fresh)
  if (admitted === undefined) return admitAny(database, items, leaseMs)
  if (fresh.length === items.length) return admitted
  const others = items.filter((item) => !mayBeNew(item))
  const outcomes = await admitAny(database, others, leaseMs)
  const byItem = new Map<AdmitItem, AdmitOutcome | undefined>()
  for (const [index, item] of fresh.entries()) byItem.set(item, admitted[index])
  for (const [index, item] of others.entries()) byItem.set(item, outcomes[index])
  return items.map((item) => byItem.get(item) ?? noAnswer())
}

const maxTries = 5

/** How many numbers each call has before the claims of all. */
const callNumbers = 10

async function admitAny(
  database: Database,
  items: readonly AdmitItem[],
  leaseMs: number,
): Promise<readonly AdmitOutcome[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await admitByFunction(database, items, leaseMs)
    } catch (error) {
      // A new call of another process came in between, which took no lock: now its slot is seen.
      if (!isTaken(error) || tries === maxTries) throw error
    }
  }
}

async function admitByFunction(
  database: Database,
  items: readonly AdmitItem[],
  leaseMs: number,
): Promise<readonly AdmitOutcome[]> {
  const counters = createCounterList()
  for (const { request, rated } of items) {
    const { tenant, rate, claims } = request
    if (!rated) counters.claim(tenant, { name: rateName(rate), amount: 1, windowMs: rate.windowMs, max: rate.max })
    for (const claim of claims) counters.claim(tenant, claim)
  }
  counters.sort()
  const pack = createPack()
  const ids: string[] = []
  const texts: (string | null)[] = []
  const numbers: number[] = []
  const claimNumbers: number[] = []
  for (const { request, generation, rated, admitted } of items) {
    const { nonce, callId, tenant, slot, entry, keyFields, approval, grant, rate, claims } = request
    const call = entry?.call
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
      reservedText(reservedOf(claims)),
      grant?.id ?? null,
    )
    numbers.push(
      generation,
      request.timeoutMs,
      rated ? 0 : counters.indexOf(tenant, rateName(rate)),
      rate.max,
      claims.length,
      items.length * callNumbers + claimNumbers.length,
      pack.next,
      pack.add(admitted?.callText ?? ''),
      pack.add(admitted?.factsText ?? ''),
      request.unseen ? (request.unlabelled ? 2 : 1) : 0,
    )
    for (const { name, amount, max } of claims) claimNumbers.push(counters.indexOf(tenant, name), amount, max)
  }
  const rows = await database.run<[string]>('admit', [
    arrayText(ids),
    arrayText(texts),
    arrayText([...numbers, ...claimNumbers]),
    pack.bytes(),
    ...counters.columns(),
    slotLocks(
      items.flatMap(({ request: { tenant, slot } }) => (slot === undefined ? [] : [{ tenant, key: slot.key }])),
    ),
    items.some(({ request }) => request.approval !== undefined || request.grant !== undefined),
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
    case 'grant':
      return { kind: 'grant' }
    case 'budget':
      return refusalOf(rest, request)
    case 'rate':
      return { kind: 'rate', retryAfterMs: Number(rest) }
    case 'slot':
      return { kind: 'slot', record: slotRecord(request.tenant, request.slot?.key ?? '', rest) }
    default:
      return noAnswer()
  }
}

/** `which claim,used,most` and, where there is a window, `its end,how long until then`. */
function refusalOf(text: string, { claims }: AdmitRequest): BudgetRefusal {
  const [number = 0, used = 0, max = 0, at, afterMs] = text.split(',').map(Number)
  const claim = claims[number - 1] ?? noAnswer()
  const resets = at === undefined || afterMs === undefined ? undefined : { at: at as EpochMs, afterMs }
  return { kind: 'budget', claim, used, max, resets }
}

function noAnswer(): never {
  throw new Error('The database gave no answer for this call.')
}
