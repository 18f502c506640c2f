// The end of a call that was admitted, happened, and has nothing else to write: most calls end so, and one plain statement is enough. A call
// that is not as expected is not written; then all go to the function, which recognizes what is written already.

import { bindsOf } from '../../log/binds.ts'
import type { PassEntry, Settlement } from '../../ports/operations.ts'
import { aheadOf, endingOf } from '../codec/admitted.ts'
import { answerText } from '../codec/answer-text.ts'
import { columnText } from '../codec/call-text.ts'
import { factsText } from '../codec/facts-row.ts'
import { type RowOf, rowsSource } from '../codec/layout.ts'
import { plainEnds, slotStateSql } from '../codec/requests.ts'
import type { Database } from '../driver/database.ts'
import { isRefused } from '../driver/errors.ts'
import { statement } from '../driver/statements.ts'
import { compareSlots, type SlotName } from '../locks.ts'
import type { RecordItem } from './items.ts'

type Row = RowOf<typeof plainEnds.columns>

const sourceOf = (before: string) =>
  rowsSource(
    statement('settle-new').replace('/* before */', before).replace('/* state */', slotStateSql('x', 'x.status::text')),
    plainEnds,
  )
/** From 18 on an update gives back what was there before it; for older servers the row is read beside it. */
const givesOld = 180_000
const source = sourceOf('')
const olderSource = sourceOf(
  'join proviso.idempotency_keys old on old.tenant_id = u.tenant and old.slot_key = u.slot and old.generation = u.generation and old.nonce = u.nonce',
)

export function endsPlainly({ entry, number, admitted }: RecordItem): boolean {
  const { settle, call } = entry
  if (settle === undefined || number !== undefined || call.passes !== 1 || admitted === undefined) return false
  if (settle.status !== 'COMPLETED' || settle.effect !== 'happened' || settle.held || settle.slotKey === undefined)
    return false
  return isAlone(entry) && settle.nonce !== '' && settle.attempt === 1 && !settle.named
}

const isAlone = ({ amend, seen, escalations, looksOn, verify }: PassEntry) =>
  amend === undefined && seen === undefined && escalations === undefined && looksOn !== true && verify === undefined

/** Undefined where not all of it was written. */
export async function settleNew(
  database: Database,
  items: readonly RecordItem[],
): Promise<readonly Settlement[] | undefined> {
  try {
    if ((await sendEnds(database, items)) !== items.length) return undefined
  } catch (error) {
    if (isRefused(error)) return undefined
    throw error
  }
  return items.map(() => 'settled')
}

/** How many are written. The rows live here alone: what waits for the answer would keep them until then. */
function sendEnds(database: Database, items: readonly RecordItem[]): Promise<number> | undefined {
  const rows: Row[] = []
  for (const { id, entry, admitted } of items) {
    const { call, settle } = entry
    const ending = admitted === undefined ? undefined : endingOf(admitted.call, call)
    if (admitted === undefined || ending === undefined) return undefined
    const answer = settle?.answer === undefined ? '' : answerText(settle.answer)
    const slot = settle?.slotKey ?? ''
    const generation = settle?.generation ?? 1
    const { ahead } = admitted
    const { salt, slotDigest } = ahead?.generation === generation ? ahead : aheadOf(slot, generation)
    const { binds_amended: _none, ...bound } = bindsOf(entry, admitted.callText + ending, answer, slotDigest)
    rows.push({
      tenant: call.key.tenant,
      slot,
      generation,
      attempt: settle?.attempt ?? 1,
      nonce: settle?.nonce ?? '',
      tries: settle?.tries ?? 1,
      answer,
      ttl: settle?.ttlMs ?? null,
      rebuild: settle?.rebuild === true,
      call: call.id,
      run: call.key.run === undefined ? null : columnText(call.key.run),
      tool: columnText(call.key.tool),
      status: call.status,
      ending,
      entry: id,
      salt,
      // One row for the whole call: the database puts it behind what the admission has written.
      facts: `\n${factsText(entry.facts)}`,
      ...bound,
    })
  }
  const many = rows.length > 1
  // In the order in which records take the rows of slots.
  const ordered = many ? rows.toSorted((a, b) => compareSlots(slotOf(a), slotOf(b))) : rows
  const { values, text } = database.version < givesOld ? olderSource : source
  return database.change(many ? 'settle-new-many' : 'settle-new', values(ordered, []), text(many))
}

const slotOf = ({ tenant, slot }: Row): SlotName => ({ tenant: tenant ?? '', key: slot ?? '' })
