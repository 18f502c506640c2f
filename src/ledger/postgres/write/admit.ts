// Admission as one statement for many calls: each is decided by its own slot, approval, rate and claims, in the order of the batch. New calls
// go by a plain statement, all others by the function; a call that turns out not to be new goes with the others.
import { reservedOf } from '../../../contract/call/claim.ts'
import { idempotencyKey } from '../../../contract/call/slot.ts'
import type { EpochMs } from '../../../json/clock.ts'
import type { BudgetRefusal } from '../../ports/limits.ts'
import type { AdmitRequest } from '../../ports/operations.ts'
import { rateName } from '../../rules/names.ts'
import { maxSeenIds, type SlotRefusal } from '../../rules/slot.ts'
import { windowEnd } from '../../rules/window.ts'
import { callKeyHash } from '../codec/call-text.ts'
import { arraysFrom, countParameters, type RowOf } from '../codec/layout.ts'
import { createPack } from '../codec/pack.ts'
import { admissions, claims, counters, type SlotRow } from '../codec/requests.ts'
import { slotRecord } from '../codec/slot-row.ts'
import { isDuplicateRow } from '../driver/errors.ts'
import { functionCall } from '../driver/statements.ts'
import { slotLocks } from '../locks.ts'
import { admitNew, mayBeNew } from './admit-new.ts'
import { createCounterList, reservedText } from './counter-list.ts'
import type { Admissions, AdmitItem, AdmitOutcome } from './items.ts'

export async function admitBatch(own: Admissions, items: readonly AdmitItem[]): Promise<readonly AdmitOutcome[]> {
  const fresh = items.filter(mayBeNew)
  if (fresh.length === 0) return admitAny(own, items)
  const admitted = await admitNew(own, fresh)
  if (admitted === undefined) return admitAny(own, items)
  if (fresh.length === items.length) return admitted
  const others = items.filter((item) => !mayBeNew(item))
  const outcomes = await admitAny(own, others)
  const byItem = new Map<AdmitItem, AdmitOutcome | undefined>()
  for (const [index, item] of fresh.entries()) byItem.set(item, admitted[index])
  for (const [index, item] of others.entries()) byItem.set(item, outcomes[index])
  return items.map((item) => byItem.get(item) ?? noAnswer())
}

const maxTries = 5

async function admitAny(own: Admissions, items: readonly AdmitItem[]): Promise<readonly AdmitOutcome[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await admitByFunction(own, items)
    } catch (error) {
      // A new call of another process came in between, which took no lock: now its slot is visible.
      if (!isDuplicateRow(error) || tries === maxTries) throw error
    }
  }
}

/** Of the function's own parameters, beyond its rows. */
const admitCall = functionCall('admit', [admissions, claims, counters].map(countParameters), [
  'bytea',
  'bigint[]',
  'integer',
  'bigint',
  'uuid',
])

async function admitByFunction(own: Admissions, items: readonly AdmitItem[]): Promise<readonly AdmitOutcome[]> {
  const list = createCounterList()
  for (const { request, rated } of items) {
    const { tenant, rate, claims: claimed } = request
    if (!rated) list.claim(tenant, { name: rateName(rate), amount: 1, windowMs: rate.windowMs, max: rate.max })
    for (const claim of claimed) list.claim(tenant, claim)
  }
  const counterRows = list.sort().map(({ tenant, name, claimed, windowMs }) => ({
    tenant,
    name,
    claimed,
    window_ms: windowMs,
  }))
  const claimRows: RowOf<typeof claims.columns>[] = []
  const rows = items.map((item): RowOf<typeof admissions.columns> => {
    const { request, rated } = item
    const { tenant, rate, claims: claimed } = request
    const from = claimRows.length + 1
    for (const { name, amount, max } of claimed)
      claimRows.push({ counter: list.indexOf(tenant, name), amount, most: max })
    return {
      ...admissionRow(item, own),
      rate: rated ? null : list.indexOf(tenant, rateName(rate)),
      rate_max: rate.max,
      claims_from: from,
      claims: claimed.length,
    }
  })
  const pack = createPack()
  const answers = await own.database.run<[string]>(
    'admit',
    [
      ...arraysFrom(admissions, rows, pack),
      ...arraysFrom(claims, claimRows, pack),
      ...arraysFrom(counters, counterRows, pack),
      pack.bytes(),
      slotLocks(
        items.flatMap(({ request: { tenant, slot } }) => (slot === undefined ? [] : [{ tenant, key: slot.key }])),
      ),
      maxSeenIds,
      own.leaseMs,
      own.owner,
    ],
    admitCall,
  )
  return items.map(({ request }, index) =>
    admissionOutcome(JSON.parse(answers[index]?.[0] ?? noAnswer()) as AnswerRow, request),
  )
}

type OwnColumns = Omit<RowOf<typeof admissions.columns>, 'rate' | 'rate_max' | 'claims_from' | 'claims'>

function admissionRow({ request, generation, admitted }: AdmitItem, { runKeys }: Admissions): OwnColumns {
  const { tenant, nonce, callId, slot, entry, keyFields, approval, grant, unseen, unlabelled } = request
  return {
    tenant,
    nonce,
    call: callId,
    call_key: entry?.findAgain === true ? callKeyHash(entry.call.key) : null,
    run_key: unlabelled && slot !== undefined ? runKeys.keyOf(tenant, slot.run) : null,
    unseen,
    slot: slot?.key ?? null,
    generation,
    key: slot === undefined ? null : idempotencyKey(keyFields, generation),
    request_hash: slot?.requestHash ?? null,
    kind: slot?.kind ?? null,
    operation: slot?.operation ?? null,
    run: slot?.run ?? null,
    resource: slot?.resource ?? null,
    provider: slot?.providerCallId ?? null,
    contract: entry?.call.contractHash ?? '',
    approval: approval?.id ?? null,
    payload: approval?.payloadHash ?? null,
    grant_id: grant?.id ?? null,
    reserved: reservedText(reservedOf(request.claims)),
    admitted_call: admitted?.callText ?? null,
    admitted_facts: admitted?.factsText ?? null,
    admitted_pass: entry?.call.passes ?? null,
  }
}

/** What an admission came to, by name. */
interface AnswerRow {
  readonly outcome: 'admitted' | 'stale' | 'known' | 'contradicted' | 'slot' | 'approval' | 'grant' | 'rate' | 'budget'
  readonly generation: number
  readonly attempt: number
  readonly starts: number
  readonly key: string | null
  readonly detail: unknown
}

function admissionOutcome(answer: AnswerRow, request: AdmitRequest): AdmitOutcome {
  const { outcome, generation, attempt, starts, key, detail } = answer
  switch (outcome) {
    case 'admitted':
      return { kind: outcome, generation, attempt, starts, idempotencyKey: key ?? undefined }
    case 'stale':
      return { kind: outcome, generation }
    case 'known':
    case 'approval':
    case 'grant':
      return { kind: outcome }
    case 'budget':
      return admissionRefusal(detail as BudgetDetail, request)
    case 'rate':
      return { kind: outcome, retryAfterMs: (detail as { afterMs: number }).afterMs }
    case 'contradicted': {
      const { slot } = request
      const record =
        detail === null || slot === undefined ? undefined : slotRecord(slot.tenant, slot.key, detail as SlotRow)
      return { kind: outcome, record }
    }
    case 'slot': {
      const { verdict, record } = detail as SlotDetail
      return { kind: outcome, verdict, record: slotRecord(request.tenant, request.slot?.key ?? '', record) }
    }
  }
}

interface SlotDetail {
  readonly verdict: SlotRefusal
  readonly record: SlotRow
}

interface BudgetDetail {
  /** Counted from 0. */
  readonly claim: number
  readonly used: number
  readonly most: number
  readonly now: EpochMs
  readonly afterMs: number | null
}

function admissionRefusal(
  { claim: place, used, most, now, afterMs }: BudgetDetail,
  request: AdmitRequest,
): BudgetRefusal {
  const claim = request.claims[place] ?? noAnswer()
  const resets = afterMs === null ? undefined : { at: windowEnd(afterMs, now), afterMs }
  return { kind: 'budget', claim, used, max: most, resets }
}

function noAnswer(): never {
  throw new Error('The database gave no answer for this call.')
}
