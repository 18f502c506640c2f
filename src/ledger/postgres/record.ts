// What passes leave behind, as one statement for many: the call, its facts, what its attempt came to, and what people are asked.
import { randomUUID } from 'node:crypto'
import type { Escalation } from '../../contract/approval.ts'
import { maxSeenIds } from '../../contract/slot.ts'
import { duplicateOf } from '../duplicate.ts'
import type { PassEntry, Settlement } from '../ledger.ts'
import { callKeyHash, columnText, endingText } from './call-row.ts'
import { budgetName } from './counter-list.ts'
import type { Database } from './database.ts'
import { createPack } from './pack.ts'

/** An entry under the name of its write: sent again after a cut connection, it is the same write. */
export interface RecordItem {
  readonly id: string
  readonly entry: PassEntry
  /** The place among what this process writes after its answers; undefined for what is written before. */
  readonly number: number | undefined
}

export type RecordOutcome = Settlement | 'duplicate'

export const recordItem = (entry: PassEntry, number?: number): RecordItem => ({ id: randomUUID(), entry, number })

/** The parameters of queries/record.sql. */
export function recordValues(items: readonly RecordItem[], writer: string): readonly unknown[] {
  const pack = createPack()
  const bodyAt: number[] = []
  const bodyLength: number[] = []
  const factsLength: number[] = []
  const answerLength: number[] = []
  for (const { entry } of items) {
    const { call, facts, settle, amend } = entry
    const answer = settle?.answer ?? amend?.answer
    const answerText = answer === undefined ? '' : JSON.stringify(answer)
    bodyAt.push(pack.next)
    // The slot has the answer too: what is written twice is made into text once.
    const text = isKnown(entry)
      ? endingText(
          call,
          call.answer === undefined ? '' : call.answer === answer ? answerText : JSON.stringify(call.answer),
        )
      : JSON.stringify(call)
    bodyLength.push(pack.add(text))
    factsLength.push(facts.length === 0 ? 0 : pack.add(JSON.stringify(facts)))
    answerLength.push(pack.add(answerText))
  }
  const asked = items.flatMap(({ entry }, index) =>
    (entry.escalations ?? []).map((escalation) => ({
      of: index + 1,
      escalation,
      at: pack.next,
      length: addTo(pack, escalation),
    })),
  )
  const of = <T>(pick: (entry: PassEntry) => T) => items.map(({ entry }) => pick(entry))
  return [
    items.map(({ id }) => id),
    of(({ call }) => call.id),
    of(({ call }) => call.key.tenant),
    of(({ call, findAgain }) => (findAgain ? callKeyHash(call.key) : null)),
    of(({ call }) => columnText(call.key.tool)),
    of(({ call }) => call.key.run ?? null),
    of(({ call }) => call.status),
    of(({ call }) => call.effect),
    of(({ call }) => call.passes),
    of(isKnown),
    bodyAt,
    bodyLength,
    factsLength,
    answerLength,
    of(({ settle }) => settle?.slotKey ?? null),
    of(({ settle }) => settle?.generation ?? null),
    of(({ settle }) => settle?.attempt ?? null),
    of(({ settle }) => settle?.status ?? null),
    of(({ settle }) => settle?.effect ?? null),
    of(({ settle }) => settle?.held ?? null),
    of(({ settle }) => settle?.tries ?? null),
    of(({ settle }) => settle?.answer?.observation.status.code ?? null),
    of(({ settle }) => (settle === undefined || settle.status === 'COMPLETED' ? null : errorCode(settle.answer))),
    of(({ settle }) => settle?.ttlMs ?? null),
    of(({ settle }) => (settle?.budget === undefined ? null : budgetName(settle.budget))),
    of(({ amend }) => amend?.slotKey ?? null),
    of(({ amend }) => amend?.generation ?? null),
    of(({ seen }) => seen?.slotKey ?? null),
    of(({ seen }) => seen?.generation ?? null),
    of(({ seen }) => seen?.providerCallId ?? null),
    asked.map((entry) => entry.of),
    asked.map(({ escalation }) => escalation.id),
    asked.map(({ escalation }) => escalation.kind),
    asked.map(({ at }) => at),
    asked.map(({ length }) => length),
    pack.bytes(),
    maxSeenIds,
    writer,
    items.map(({ number }) => number ?? null),
  ]
}

export function recordOutcomes(count: number, rows: readonly (readonly [number, string])[]): readonly RecordOutcome[] {
  const outcomes = new Array<RecordOutcome>(count)
  for (const [i, settlement] of rows) outcomes[i - 1] = settlement as RecordOutcome
  return outcomes
}

export async function recordBatch(
  database: Database,
  items: readonly RecordItem[],
  writer: string,
): Promise<readonly RecordOutcome[]> {
  return recordOutcomes(items.length, await database.run<[number, string]>('record', recordValues(items, writer)))
}

/** The question that two attempts which both happened raise, as an entry of its own. */
export function duplicateEntry(entry: PassEntry): PassEntry | undefined {
  if (entry.settle === undefined) return undefined
  const { call, findAgain } = entry
  return { call, facts: [], findAgain, escalations: [duplicateOf(entry.settle, call.startedAt)] }
}

/** Whether this pass was admitted, so that its call is written already. */
const isKnown = ({ settle }: PassEntry): boolean => settle?.slotKey !== undefined

const addTo = (pack: { add(text: string): number }, escalation: Escalation) => pack.add(JSON.stringify(escalation))

const errorCode = (answer: NonNullable<PassEntry['settle']>['answer']) =>
  answer?.observation.status.taxonomy_class ?? null
