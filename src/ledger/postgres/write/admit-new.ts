// Admission of calls of which nothing is known, in one plain statement: most calls are such, and plain statements start sooner than
// functions do. One call with one claim on a counter that is there, and has no window, has a statement of its own; all others share one.
// Where anything stands against one of them, nothing is written, and the function decides.
import { reservedOf } from '../../../contract/settlement.ts'
import { idempotencyKey } from '../../../contract/slot.ts'
import { aheadOf } from '../codec/admitted.ts'
import { arrayText } from '../codec/array-text.ts'
import { callKeyHash, runKey } from '../codec/call-row.ts'
import { type ColumnValue, rowsSource } from '../codec/rows-source.ts'
import { type Database, statement } from '../driver/database.ts'
import { isRefused } from '../driver/errors.ts'
import type { Admissions, AdmitItem, AdmitOutcome } from './admit.ts'
import { type CounterSum, compareTexts, createCounterList, reservedText } from './counter-list.ts'

const columns = {
  tenant: 'text',
  slot: 'text',
  key: 'hex',
  request_hash: 'hex',
  kind: 'text',
  operation: 'text',
  call: 'uuid',
  call_key: 'hex',
  admitted: 'bytea',
  admitted_call: 'integer',
  nonce: 'uuid',
  contract: 'text',
  run: 'text',
  provider: 'text',
  timeout: 'bigint',
  reserved: 'text',
  run_key: 'hex',
} as const

type Row = Readonly<Record<keyof typeof columns, ColumnValue>>

/** What a new slot's row is made of; proviso.admit writes the same for all others. */
const slotColumns = {
  tenant_id: 'u.tenant',
  slot_key: 'u.slot',
  generation: '1',
  idempotency_key: 'u.key',
  request_hash: `decode(u.request_hash, 'hex')`,
  status: `'PENDING'`,
  effect: `'unknown'`,
  kind: 'u.kind',
  operation: 'u.operation',
  call_id: 'u.call',
  call_key: `decode(u.call_key, 'hex')`,
  admitted: 'u.admitted',
  admitted_call: 'u.admitted_call',
  nonce: 'u.nonce',
  contract_hash: 'u.contract',
  attempt: '1',
  run: 'u.run',
  provider_call_ids: `case when u.provider is null then '{}'::text[] else array[u.provider] end`,
  timeout_ms: 'u.timeout',
  lease_until: `t.now_ + :lease:::bigint * interval '1 ms'`,
  look_after: `t.now_ + :lease:::bigint * interval '1 ms'`,
  created_at: 't.now_',
  admitted_at: 't.now_',
  reserved: 'u.reserved',
}

const sourceOf = (name: string, more: readonly string[]) =>
  rowsSource(
    statement(name)
      .replace('/* columns */', Object.keys(slotColumns).join(', '))
      .replace('/* values */', Object.values(slotColumns).join(', ')),
    columns,
    ['lease', ...more],
  )
const single = sourceOf('admit-one', ['name', 'claimed', 'most'])
const source = sourceOf('admit-new', ['owners', 'names', 'claimed', 'most', 'ms'])

/** A call that is its own operation is found again by its key, which the function writes. */
export function mayBeNew({ request, generation, rated }: AdmitItem): boolean {
  const { slot, entry, unseen, approval, grant } = request
  if (!unseen || !rated || approval !== undefined || grant !== undefined || generation !== 1 || entry === undefined)
    return false
  return slot !== undefined && slot.kind !== 'call' && slot.resource === undefined && entry.call.passes === 1
}

/** Undefined where nothing was admitted. */
export async function admitNew(
  admissions: Admissions,
  items: readonly AdmitItem[],
): Promise<readonly AdmitOutcome[] | undefined> {
  const { seenCounters } = admissions
  const sent = sendNew(admissions, items)
  if (sent === undefined) return undefined
  const { changing, keys, claims, plainly } = sent
  prepareEnds(items)
  try {
    const written = await changing
    if (plainly && written !== 1) return undefined
    if (written !== keys.length) throw new Error('The database admitted other calls than it was given.')
    if (!plainly) for (const counter of claims) if (counter.windowMs === 0) seenCounters.add(counter)
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
  readonly plainly: boolean
}

/** The rows live here alone: whoever waits for the answer would keep them until then. */
function sendNew({ database, leaseMs, seenCounters }: Admissions, items: readonly AdmitItem[]): Sent | undefined {
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
      admitted: callText + factsText,
      admitted_call: Buffer.byteLength(callText),
      nonce: request.nonce,
      contract: call.contractHash,
      run: slot.run,
      provider: slot.providerCallId ?? null,
      timeout: request.timeoutMs,
      reserved: reservedText(reservedOf(claims)),
      run_key: request.unlabelled ? runKey(tenant, slot.run) : null,
    })
  }
  const claims = counters.sort()
  const [claim] = claims
  const many = rows.length > 1
  // In one order for everybody: two batches with the same calls do not wait for each other.
  const ordered = many ? rows.toSorted(bySlot) : rows
  const plainly = !many && claims.length === 1 && claim?.windowMs === 0 && seenCounters.has(claim)
  const changing = plainly ? sendOne(database, ordered, leaseMs, claim) : sendAny(database, ordered, leaseMs, claims)
  return { changing, keys, claims, plainly }
}

function sendOne(database: Database, rows: readonly Row[], leaseMs: number, claim: CounterSum): Promise<number> {
  const values = single.values(rows, [leaseMs, claim.name, claim.claimed, claim.most])
  return database.change('admit-one', values, single.text(false))
}

function sendAny(
  database: Database,
  rows: readonly Row[],
  leaseMs: number,
  claims: readonly CounterSum[],
): Promise<number> {
  const many = rows.length > 1
  const values = source.values(rows, [
    leaseMs,
    arrayText(claims.map(({ tenant }) => tenant)),
    arrayText(claims.map(({ name }) => name)),
    arrayText(claims.map(({ claimed }) => claimed)),
    arrayText(claims.map(({ most }) => most)),
    arrayText(claims.map(({ windowMs }) => windowMs)),
  ])
  return database.change(many ? 'admit-new-many' : 'admit-new', values, source.text(many))
}

/** While the database is at work: most of those that are admitted come to their end here. */
function prepareEnds(items: readonly AdmitItem[]): void {
  for (const { request, admitted } of items)
    if (admitted !== undefined && request.slot !== undefined) admitted.ahead = aheadOf(request.slot.key, 1)
}

const bySlot = (a: Row, b: Row) =>
  compareTexts(String(a.tenant), String(b.tenant)) || compareTexts(String(a.slot), String(b.slot))
