// Whether a real ledger holds what the history says: the records of all operations, and what people are asked.
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import { callRecord } from '../../../src/ledger/postgres/codec/call-text.ts'
import { approvalStatus } from '../../../src/ledger/rules/permit.ts'
import { listed } from '../ledger/admissions.ts'
import { never, type Setting, tickMs } from '../setting.ts'
import { duplicateEffect, type Generation, noProcess, type State, unknownEffect } from '../state.ts'
import type { Names } from './names.ts'
import type { RealProcesses } from './real-processes.ts'

interface Played {
  readonly setting: Setting
  readonly names: Names
  readonly real: RealProcesses
  readonly ledger: Ledger
}

export async function compareWith(state: State, played: Played): Promise<string | undefined> {
  for (const [slot, generations] of state.slots.entries()) {
    const rows = await rowsOf(slot, played)
    if (rows.length !== generations.length)
      return `slot ${slot} has ${rows.length} generations, and not ${generations.length}`
    for (const [index, record] of generations.entries()) {
      const wanted = wantedOf(record, played)
      const { answer, ...row } = rows[index] ?? {}
      if (nameOf(answer) !== record.answer)
        return `slot ${slot}: the answer is ${nameOf(answer)}, and not ${record.answer}`
      const found = Object.fromEntries(Object.entries(row).filter(([name]) => name in wanted))
      if (JSON.stringify(wanted) !== JSON.stringify(found))
        return `slot ${slot}, generation ${index + 1}: ${JSON.stringify(found)}, and not ${JSON.stringify(wanted)}`
    }
  }
  return (
    (await compareCalls(state, played)) ??
    (await compareApproval(state, played)) ??
    (await compareQuestions(state, played))
  )
}

/** The record of each call: of which pass it is, and what it says of the effect. */
async function compareCalls({ calls }: State, { names, real }: Played): Promise<string | undefined> {
  const { rows } = await real.admin.query<{ id: string; effect: string; body: Buffer }>(
    'select id, effect, body from proviso.calls where tenant = $1',
    [names.tenant],
  )
  for (const [call, { recorded, effect }] of calls.entries()) {
    const row = rows.find(({ id }) => id === names.callOf(call))
    const found = row === undefined ? 'none' : `pass ${callRecord(row.body).passes}, ${row.effect}`
    const wanted = recorded === 0 ? 'none' : `pass ${recorded}, ${effect}`
    if (found !== wanted) return `the record of call ${call} is ${found}, and not ${wanted}`
  }
  return undefined
}

/** How it is listed, what was decided, and what has used it. */
async function compareApproval(
  { approval }: State,
  { setting, names, real, ledger }: Played,
): Promise<string | undefined> {
  if (approval === undefined) return undefined
  const known = await ledger.approvals.get(names.approvalId, names.tenant)
  const status = known === undefined ? 'unknown' : approvalStatus(known, real.now())
  const { rows } = await real.admin.query<{ verdict: string; by: string | null; nonce: string | null }>(
    'select verdict, used_by::text as by, used_nonce::text as nonce from proviso.approvals where id = $1',
    [names.approvalId],
  )
  const found = JSON.stringify({ status, ...rows[0] })
  const isUsed = approval.usedBy !== noProcess
  const wanted = JSON.stringify({
    status: listed(approval, setting),
    verdict: approval.verdict !== 'rejected' && approval.superseded ? 'superseded' : approval.verdict,
    by: isUsed ? names.callOf(approval.usedBy) : null,
    nonce: isUsed ? names.nonceOf(approval.usedNonce) : null,
  })
  return found === wanted ? undefined : `the approval is ${found}, and not ${wanted}`
}

async function rowsOf(slot: number, { names, real }: Played): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await real.admin.query<Record<string, unknown>>(
    `select status::text, effect::text, held, attempt, starts, overtaken, encode(request_hash, 'hex') as hash, response_body as answer, array_length(provider_call_ids, 1) as ids, nonce::text,
       owner is null as "isFree", watcher is null as "isUnwatched",
       extract(epoch from lease_until - proviso.clock())::float8 * 1000 as lease,
       case when look_after = 'infinity' then null else extract(epoch from look_after - proviso.clock())::float8 * 1000 end as look
     from proviso.idempotency_keys where tenant_id = $1 and slot_key = $2 order by generation`,
    [names.tenant, names.keyOf(slot)],
  )
  return rows
}

/** By which answers of the played calls are told apart. */
const nameOf = (answer: unknown): string =>
  Buffer.isBuffer(answer) ? (/of attempt \d+|amended|closed/.exec(answer.toString())?.[0] ?? 'another') : ''

/** What the record has to say, in the order of the columns. */
function wantedOf(record: Generation, { names }: Played): Record<string, unknown> {
  const {
    status,
    effect,
    held,
    attempt,
    starts,
    overtaken,
    arguments: given,
    seen,
    nonce,
    owner,
    watcher,
    lease,
    look,
  } = record
  const ids = [0, 1, 2, 3].filter((call) => (seen & (1 << call)) !== 0).length
  const isPending = status === 'PENDING'
  return {
    status,
    effect,
    held,
    attempt,
    starts,
    overtaken,
    hash: `aa0${given}`,
    ids: ids === 0 ? null : ids,
    ...(nonce === 0 ? {} : { nonce: names.nonceOf(nonce) }),
    ...(isPending && !held ? { isFree: owner === noProcess, isUnwatched: watcher === noProcess } : {}),
    // Where it lies behind all thresholds, the history does not say how far.
    ...(isPending && !held && lease > -tickMs ? { lease } : {}),
    ...(isPending && !held && look > -tickMs && look < never ? { look } : {}),
  }
}

async function compareQuestions(state: State, { setting, names, ledger }: Played): Promise<string | undefined> {
  const open = await ledger.calls.escalations(names.tenant)
  for (const call of setting.calls.keys()) {
    for (const [kind, bit] of [
      ['unknown_effect', unknownEffect(call)],
      ['duplicate_side_effect', duplicateEffect(call)],
    ] as const) {
      const isOpen = open.some((each) => each.callId === names.callOf(call) && each.kind === kind)
      if (isOpen !== ((state.asked & bit) !== 0)) return `${kind} of call ${call} is ${isOpen ? 'open' : 'not asked'}`
    }
  }
  return undefined
}
