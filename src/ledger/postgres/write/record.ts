// What passes leave behind, as one statement for many: the call, its facts, what its attempt came to, and what people are asked.

import { bindsOf } from '../../log/binds.ts'
import type { PassEntry, Settlement } from '../../ports/operations.ts'
import { consequences, duplicateOf, type Fit } from '../../rules/settle.ts'
import { maxSeenIds } from '../../rules/slot.ts'
import { answerText } from '../codec/answer-text.ts'
import { callKeyHash, callText, columnText } from '../codec/call-text.ts'
import { factsText } from '../codec/facts-row.ts'
import { arraysFrom, countParameters, type RowOf } from '../codec/layout.ts'
import { createPack } from '../codec/pack.ts'
import { entries, questions } from '../codec/requests.ts'
import type { Database } from '../driver/database.ts'
import type { Query } from '../driver/query-on.ts'
import { functionCall } from '../driver/statements.ts'
import { type SlotName, slotLocks } from '../locks.ts'
import { type RecordItem, recordItem } from './items.ts'
import { endsPlainly, settleNew } from './settle-new.ts'

/** The statement that writes entries, and its parameters. */
export interface RecordStatement {
  readonly name: 'record'
  readonly text: string
  readonly values: readonly unknown[]
}

const recordCall = functionCall('record', [entries, questions].map(countParameters), [
  'bytea',
  'bigint[]',
  'integer',
  'uuid',
])

export function recordStatement(items: readonly RecordItem[], writer: string): RecordStatement {
  const pack = createPack()
  const asked = items.flatMap(({ entry }, index) =>
    (entry.escalations ?? []).map(({ id, kind, ...rest }) => ({
      place: index + 1,
      id,
      kind,
      body: JSON.stringify({ id, kind, ...rest }),
    })),
  )
  const values = [
    ...arraysFrom(entries, items.map(entryRow), pack),
    ...arraysFrom(questions, asked, pack),
    pack.bytes(),
    slotLocks(items.flatMap(({ entry }) => slotsOf(entry))),
    maxSeenIds,
    writer,
  ]
  return { name: 'record', text: recordCall, values }
}

const slotsOf = ({ call, settle, amend, seen }: PassEntry): readonly SlotName[] =>
  [settle?.slotKey, amend?.slotKey, seen?.slotKey].flatMap((key) =>
    key === undefined ? [] : [{ tenant: call.key.tenant, key }],
  )

function entryRow({ id, entry, number }: RecordItem): RowOf<typeof entries.columns> {
  const { call, facts, settle, amend, seen, verify, yields, looksOn } = entry
  const answer = settle?.answer ?? amend?.answer
  const answerLine = answer === undefined ? '' : answerText(answer)
  const callLine = looksOn === true ? '' : callText(call)
  return {
    entry: id,
    call: call.id,
    tenant: call.key.tenant,
    call_key: entry.findAgain && looksOn !== true ? callKeyHash(call.key) : null,
    tool: columnText(call.key.tool),
    run: call.key.run === undefined ? null : columnText(call.key.run),
    status: call.status,
    effect: call.effect,
    pass: call.passes,
    yields: yields === true,
    body: callLine,
    facts: factsText(facts),
    number: number ?? null,
    ...bindsOf(entry, callLine, answerLine),
    ...endColumns(settle, id),
    answer: answerLine,
    amend_slot: amend?.slotKey ?? null,
    amend_generation: amend?.generation ?? null,
    seen_slot: seen?.slotKey ?? null,
    seen_generation: seen?.generation ?? null,
    seen_provider: seen?.providerCallId ?? null,
    verify_after: verify?.afterMs ?? null,
    verify_contract: verify === undefined ? null : call.contractHash,
    verify_slot: verify?.slotKey ?? null,
    verify_generation: verify?.generation ?? null,
    verify_reads: verify?.reads ?? null,
    verify_body: verify === undefined ? null : JSON.stringify(verify.body),
    verified: entry.verified === true,
  }
}

type EndColumns = {
  [K in keyof RowOf<typeof entries.columns> as K extends `end_${string}` ? K : never]: RowOf<typeof entries.columns>[K]
}

function endColumns(settle: PassEntry['settle'], id: string): EndColumns {
  const isSlot = settle?.slotKey !== undefined
  return {
    end_slot: settle?.slotKey ?? null,
    end_generation: settle?.generation ?? null,
    end_attempt: settle?.attempt ?? null,
    // None where nothing was admitted under a name.
    end_nonce: settle === undefined || settle.nonce === '' ? null : settle.nonce,
    end_status: settle?.status ?? null,
    end_effect: settle?.effect ?? null,
    end_held: settle?.held === true,
    end_tries: settle?.tries ?? 0,
    end_ttl: settle?.ttlMs ?? null,
    end_rebuild: settle?.rebuild === true,
    end_question: isSlot && settle.effect === 'happened' ? JSON.stringify(duplicateOf(settle, id)) : null,
  }
}

/** Writes an entry on the connection of a transaction. */
export async function recordOn(query: Query, entry: PassEntry, writer: string): Promise<void> {
  const { name, text, values } = recordStatement([recordItem(entry)], writer)
  await query(name, values, text)
}

export async function recordBatch(
  database: Database,
  items: readonly RecordItem[],
  writer: string,
): Promise<readonly Settlement[]> {
  const plain = items.filter(endsPlainly)
  if (plain.length === 0) return recordAny(database, items, writer)
  const settled = await settleNew(database, plain)
  if (settled === undefined) return recordAny(database, items, writer)
  if (plain.length === items.length) return settled
  const others = items.filter((item) => !endsPlainly(item))
  const outcomes = await recordAny(database, others, writer)
  let next = 0
  // Those that ended plainly are settled; the others come in their order.
  return items.map((item) => (endsPlainly(item) ? 'settled' : (outcomes[next++] ?? 'late')))
}

async function recordAny(
  database: Database,
  items: readonly RecordItem[],
  writer: string,
): Promise<readonly Settlement[]> {
  const { name, text, values } = recordStatement(items, writer)
  const [row] = await database.run<[readonly Fit[]]>(name, values, text)
  return (row?.[0] ?? []).map((fit) => consequences[fit].answer)
}
