// Admission of new calls in one plain statement: most calls are new, and plain statements start sooner than functions do. Where one of them
// cannot be admitted so, nothing is written, and the function decides.
import { reservedOf } from '../../../contract/call/claim.ts'
import { idempotencyKey } from '../../../contract/call/slot.ts'
import { compareNames } from '../../rules/names.ts'
import { aheadOf } from '../codec/admitted.ts'
import { arrayText } from '../codec/array-text.ts'
import { callKeyHash } from '../codec/call-text.ts'
import { type RowOf, rowsSource } from '../codec/layout.ts'
import { newSlots } from '../codec/requests.ts'
import { isRefused } from '../driver/errors.ts'
import { statement, statementPart } from '../driver/statements.ts'
import { type CounterSum, createCounterList, reservedText } from './counter-list.ts'
import type { Admissions, AdmitItem, AdmitOutcome } from './items.ts'

type Row = RowOf<typeof newSlots.columns>

/** Two ways to count: where all counters are known to be there and none has a window, and any other. */
const ways = { there: 'counters that are there', any: 'any counters' } as const

const parameters = ['owner', 'lease', 'counters', 'owners', 'names', 'claimed', 'most'] as const

const sourceOf = (way: keyof typeof ways) =>
  rowsSource(
    statement('admit-new').replace('/* counted */', statementPart(ways[way])),
    newSlots,
    way === 'any' ? [...parameters, 'ms'] : parameters,
  )
const sources = { there: sourceOf('there'), any: sourceOf('any') } as const

/** A call that is its own operation is found again by its key, which the function writes. */
export function mayBeNew({ request, generation, rated }: AdmitItem): boolean {
  const { slot, entry, unseen, approval, grant } = request
  if (!unseen || !rated || approval !== undefined || grant !== undefined || generation !== 1 || entry === undefined)
    return false
  return slot !== undefined && slot.kind !== 'call' && slot.resource === undefined && entry.call.passes === 1
}

/** Undefined where nothing was admitted. */
export async function admitNew(
  own: Admissions,
  items: readonly AdmitItem[],
): Promise<readonly AdmitOutcome[] | undefined> {
  const sent = sendNew(own, items)
  if (sent === undefined) return undefined
  const { changing, keys, claims, way } = sent
  prepareEnds(items)
  try {
    const written = await changing
    if (written === 0) return undefined
    if (written !== keys.length) throw new Error('The database admitted other calls than it was given.')
    if (way === 'any') for (const counter of claims) if (counter.windowMs === 0) own.seenCounters.add(counter)
  } catch (error) {
    if (isRefused(error)) return undefined
    throw error
  }
  return keys.map((idempotencyKey) => ({ kind: 'admitted', generation: 1, attempt: 1, starts: 0, idempotencyKey }))
}

interface Sent {
  readonly changing: Promise<number>
  /** The idempotency keys, in the order of the items. */
  readonly keys: readonly string[]
  readonly claims: readonly CounterSum[]
  readonly way: keyof typeof ways
}

/** The rows live here alone: what waits for the answer would keep them until then. */
function sendNew(own: Admissions, items: readonly AdmitItem[]): Sent | undefined {
  const { database, leaseMs, owner, seenCounters } = own
  const counters = createCounterList()
  const rows: Row[] = []
  const keys: string[] = []
  for (const { request, admitted } of items) {
    const { tenant, slot, claims } = request
    if (slot === undefined || admitted === undefined) return undefined
    const { call, callText, factsText } = admitted
    for (const claim of claims) counters.claim(tenant, claim)
    const key = idempotencyKey(request.keyFields, 1)
    keys.push(key)
    rows.push({
      tenant,
      slot: slot.key,
      key,
      request_hash: slot.requestHash,
      kind: slot.kind,
      operation: slot.operation,
      call: request.callId,
      call_key: callKeyHash(call.key),
      admitted_call: callText,
      admitted_facts: factsText,
      admitted_pass: call.passes,
      nonce: request.nonce,
      contract: call.contractHash,
      run: slot.run,
      provider: slot.providerCallId ?? null,
      reserved: reservedText(reservedOf(claims)),
      run_key: request.unlabelled ? own.runKeys.keyOf(tenant, slot.run) : null,
    })
  }
  const claims = counters.sort()
  const way = claims.every((claim) => claim.windowMs === 0 && seenCounters.has(claim)) ? 'there' : 'any'
  const many = rows.length > 1
  // In the same order in every batch: two batches with the same calls do not wait for each other.
  const ordered = many ? rows.toSorted(bySlot) : rows
  const values = sources[way].values(ordered, [
    owner,
    leaseMs,
    claims.length,
    arrayText(claims.map(({ tenant }) => tenant)),
    arrayText(claims.map(({ name }) => name)),
    arrayText(claims.map(({ claimed }) => claimed)),
    arrayText(claims.map(({ most }) => most)),
    ...(way === 'any' ? [arrayText(claims.map(({ windowMs }) => windowMs))] : []),
  ])
  const changing = database.change(`admit-new ${way}${many ? ' many' : ''}`, values, sources[way].text(many))
  return { changing, keys, claims, way }
}

/** Done while the database is at work: most calls that are admitted end in this process. */
function prepareEnds(items: readonly AdmitItem[]): void {
  for (const { request, admitted } of items)
    if (admitted !== undefined && request.slot !== undefined) admitted.ahead = aheadOf(request.slot.key, 1)
}

const bySlot = (a: Row, b: Row) =>
  compareNames(String(a.tenant), String(b.tenant)) || compareNames(String(a.slot), String(b.slot))
