// What passes leave behind, as one statement for many: the call, its facts, what its attempt came to, and what people are asked.
import { randomUUID } from 'node:crypto'
import type { PassEntry, Settlement } from '../../ports/operations.ts'
import { maxSeenIds } from '../../rules/slot.ts'
import type { Admitted } from '../codec/admitted.ts'
import { answerText } from '../codec/answer-text.ts'
import { arrayText } from '../codec/array-text.ts'
import { callKeyHash, columnText } from '../codec/call-row.ts'
import { callText } from '../codec/call-text.ts'
import { bindsOf } from '../codec/entry-binds.ts'
import { factsText } from '../codec/facts-row.ts'
import { createPack } from '../codec/pack.ts'
import type { Database } from '../driver/database.ts'
import { endsPlainly, settleNew } from './settle-new.ts'
import { type SlotName, slotLocks } from './slot-locks.ts'
import { verificationValues } from './verification-values.ts'

/** An entry under the name of its write: sent again after a cut connection, it is the same write. */
export interface RecordItem {
  readonly id: string
  readonly entry: PassEntry
  /** The place among what this process writes after its answers; undefined for what is written before. */
  readonly number: number | undefined
  /** What this process wrote at the admission, where it is the one that ends the attempt. */
  readonly admitted?: Admitted | undefined
}

export const recordItem = (entry: PassEntry, number?: number): RecordItem => ({
  id: entry.id ?? randomUUID(),
  entry,
  number,
})

/** The parameters of queries/record.sql. */
export function recordValues(items: readonly RecordItem[], writer: string): readonly unknown[] {
  const pack = createPack()
  const ids: string[] = []
  const texts: (string | null)[] = []
  const numbers: (number | null)[] = []
  const slots: SlotName[] = []
  for (const { id, entry, number } of items) {
    const { call, facts, settle, amend, seen } = entry
    const { tenant } = call.key
    for (const key of [settle?.slotKey, amend?.slotKey, seen?.slotKey])
      if (key !== undefined) slots.push({ tenant, key })
    const answer = settle?.answer ?? amend?.answer
    const answerLine = answer === undefined ? '' : answerText(answer)
    const callLine = entry.looksOn === true ? '' : callText(call)
    ids.push(id, call.id)
    // In the order in which proviso.record names them.
    texts.push(
      tenant,
      entry.findAgain && entry.looksOn !== true ? callKeyHash(call.key) : null,
      columnText(call.key.tool),
      call.key.run === undefined ? null : columnText(call.key.run),
      call.status,
      call.effect,
      settle?.slotKey ?? null,
      settle?.status ?? null,
      settle?.effect ?? null,
      settle === undefined || settle.status === 'COMPLETED' ? null : errorCode(settle.answer),
      amend?.slotKey ?? null,
      seen?.slotKey ?? null,
      seen?.providerCallId ?? null,
      // None where nobody was admitted under a name.
      settle === undefined || settle.nonce === '' ? null : settle.nonce,
    )
    numbers.push(
      call.passes,
      pack.next,
      pack.add(callLine),
      pack.add(factsText(facts, bindsOf(entry, callLine, answerLine))),
      pack.add(answerLine),
      settle?.generation ?? null,
      settle?.attempt ?? null,
      settle?.held === true ? 1 : 0,
      settle?.tries ?? 0,
      settle?.answer?.observation.status.code ?? null,
      settle?.ttlMs ?? null,
      amend?.generation ?? null,
      seen?.generation ?? null,
      number ?? null,
      settle?.rebuild === true ? 1 : 0,
      entry.yields === true ? 1 : 0,
    )
  }
  const asked = items.flatMap(({ entry }, index) =>
    (entry.escalations ?? []).map((escalation) => ({
      escalation,
      place: [index + 1, pack.next, pack.add(JSON.stringify(escalation))],
    })),
  )
  const some = (matches: (entry: PassEntry) => boolean) => items.some(({ entry }) => matches(entry))
  return [
    arrayText(ids),
    arrayText(texts),
    arrayText(numbers),
    pack.bytes(),
    slotLocks(slots),
    asked.length === 0 ? null : arrayText(asked.map(({ escalation }) => escalation.id)),
    asked.length === 0 ? null : arrayText(asked.map(({ escalation }) => escalation.kind)),
    asked.length === 0 ? null : arrayText(asked.flatMap(({ place }) => place)),
    maxSeenIds,
    writer,
    some(({ settle }) => settle?.effect === 'none'),
    some(({ amend }) => amend !== undefined),
    some(({ seen }) => seen !== undefined),
  ]
}

/**
 * One letter for each item: settled, late, a duplicate, which came late as well and was made a question to people, or sent again. What an
 * end that was sent again came to the first time is known where it left the record as it was: then it was late.
 */
export function recordOutcomes(letters: string): readonly Settlement[] {
  return [...letters].map((letter) => (letter === 's' || letter === 'r' ? 'settled' : 'late'))
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
  const { name, values } = recordStatement(items, writer)
  const [row] = await database.run<[string]>(name, values)
  return recordOutcomes(row?.[0] ?? '')
}

/** The statement that writes these items. */
export function recordStatement(
  items: readonly RecordItem[],
  writer: string,
): { readonly name: string; readonly values: readonly unknown[] } {
  const values = recordValues(items, writer)
  const more = verificationValues(items)
  return more === undefined ? { name: 'record', values } : { name: 'record-verifying', values: [...values, ...more] }
}

const errorCode = (answer: NonNullable<PassEntry['settle']>['answer']) =>
  answer?.observation.status.taxonomy_class ?? null
