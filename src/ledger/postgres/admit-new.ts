// Admission of calls of which nothing is known, in one plain statement: most calls are such, and plain statements start sooner than
// functions do. Where anything stands against one of them, nothing is written, and the function decides.
import { reservedOf } from '../../contract/settlement.ts'
import { idempotencyKey } from '../../contract/slot.ts'
import type { AdmitItem, AdmitOutcome } from './admit.ts'
import { arrayText } from './array-text.ts'
import { callKeyHash } from './call-row.ts'
import { createCounterList, reservedText } from './counter-list.ts'
import { type Database, statement } from './database.ts'
import { isRefused } from './errors.ts'
import { type ColumnValue, rowsSource } from './rows-source.ts'

const columns = {
  tenant: 'text',
  slot: 'text',
  key: 'text',
  request_hash: 'text',
  kind: 'text',
  operation: 'text',
  call: 'uuid',
  call_key: 'text',
  admitted: 'bytea',
  admitted_call: 'integer',
  nonce: 'uuid',
  contract: 'text',
  run: 'text',
  provider: 'text',
  timeout: 'bigint',
  reserved: 'text',
  unlabelled: 'integer',
} as const

const claimColumns = ['tenant text', 'name text', 'claimed bigint', 'most bigint'].map((column) => column.split(' '))
const claimNames = claimColumns.map(([name]) => name ?? '')
const manyClaims = `(select c.*, case when c.ms > 0 then to_timestamp(floor(extract(epoch from t.now_) * 1000 / c.ms) * c.ms / 1000) end as window_from
  from unnest(${claimColumns.map(([name, type]) => `:${name}:::${type}[]`).join(', ')}, :ms:::bigint[]) c (${claimNames.join(', ')}, ms) cross join t)`
const oneClaim = `not materialized (select ${claimColumns.map(([name, type]) => `:${name}:::${type} as ${name}`).join(', ')}, null::timestamptz as window_from)`
const sourceWith = (claims: string, more: readonly string[]) =>
  rowsSource(statement('admit-new').replace('/* claims */', claims), columns, ['lease', ...claimNames, ...more])
/** One call with one claim, without a window, is the most frequent of all statements: all of its parameters are plain. */
const plainSource = sourceWith(oneClaim, [])
const source = sourceWith(manyClaims, ['ms'])

/** A call that is its own operation is found again by its key, which the function writes. */
export function mayBeNew({ request, generation, rated }: AdmitItem): boolean {
  const { slot, entry, unseen, approval, grant } = request
  if (!unseen || !rated || approval !== undefined || grant !== undefined || generation !== 1 || entry === undefined)
    return false
  return slot !== undefined && slot.kind !== 'call' && slot.resource === undefined && entry.call.passes === 1
}

/** Undefined where nothing was admitted. */
export async function admitNew(
  database: Database,
  items: readonly AdmitItem[],
  leaseMs: number,
): Promise<readonly AdmitOutcome[] | undefined> {
  const counters = createCounterList()
  const rows: Record<keyof typeof columns, ColumnValue>[] = []
  for (const { request, admitted } of items) {
    const { tenant, slot, claims } = request
    if (slot === undefined || admitted === undefined) return undefined
    const { call, callText, factsText } = admitted
    for (const claim of claims) counters.claim(tenant, claim)
    rows.push({
      tenant,
      slot: slot.key,
      key: idempotencyKey(request.keyFields, 1),
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
      unlabelled: request.unlabelled ? 1 : 0,
    })
  }
  const claims = counters.sort()
  const [claim] = claims
  const many = rows.length > 1
  try {
    if (!many && claims.length === 1 && claim?.windowMs === 0) {
      const values = [leaseMs, claim.tenant, claim.name, claim.claimed, claim.most]
      await database.run('admit-new-plain', plainSource.values(rows, values), plainSource.text(false))
    } else {
      const values = source.values(rows, [
        leaseMs,
        arrayText(claims.map(({ tenant }) => tenant)),
        arrayText(claims.map(({ name }) => name)),
        arrayText(claims.map(({ claimed }) => claimed)),
        arrayText(claims.map(({ most }) => most)),
        arrayText(claims.map(({ windowMs }) => windowMs)),
      ])
      await database.run(many ? 'admit-new-many' : 'admit-new', values, source.text(many))
    }
  } catch (error) {
    if (isRefused(error)) return undefined
    throw error
  }
  return rows.map(({ key }) => ({
    kind: 'admitted',
    generation: 1,
    attempt: 1,
    starts: 0,
    idempotencyKey: String(key),
  }))
}
