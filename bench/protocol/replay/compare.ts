// Whether a real ledger holds what the history says: the records of all operations, and what people are asked.
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import { never, type Setting, tickMs } from '../setting.ts'
import { duplicateEffect, type Generation, type State, unknownEffect } from '../state.ts'
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
      const found = Object.fromEntries(Object.entries(rows[index] ?? {}).filter(([name]) => name in wanted))
      if (JSON.stringify(wanted) !== JSON.stringify(found))
        return `slot ${slot}, generation ${index + 1}: ${JSON.stringify(found)}, and not ${JSON.stringify(wanted)}`
    }
  }
  return compareQuestions(state, played)
}

async function rowsOf(slot: number, { names, real }: Played): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await real.admin.query<Record<string, unknown>>(
    `select status::text, effect::text, held, attempt, overtaken, array_length(provider_call_ids, 1) as ids, nonce::text,
       owner is null as "isFree", watcher is null as "isUnwatched",
       extract(epoch from lease_until - proviso.clock())::float8 * 1000 as lease,
       case when look_after = 'infinity' then null else extract(epoch from look_after - proviso.clock())::float8 * 1000 end as look
     from proviso.idempotency_keys where tenant_id = $1 and slot_key = $2 order by generation`,
    [names.tenant, names.keyOf(slot)],
  )
  return rows
}

/** What the record has to say, in the order of the columns. */
function wantedOf(record: Generation, { names }: Played): Record<string, unknown> {
  const { status, effect, held, attempt, overtaken, seen, nonce, owner, watcher, lease, look } = record
  const ids = [0, 1, 2, 3].filter((call) => (seen & (1 << call)) !== 0).length
  const isPending = status === 'PENDING'
  return {
    status,
    effect,
    held,
    attempt,
    overtaken,
    ids: ids === 0 ? null : ids,
    ...(nonce === 0 ? {} : { nonce: names.nonceOf(nonce) }),
    ...(isPending && !held ? { isFree: owner === -1, isUnwatched: watcher === -1 } : {}),
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
