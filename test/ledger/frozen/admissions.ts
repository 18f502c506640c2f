// May this call run? Every state of an operation against every kind of call that asks for it.
import type { SlotKind } from '../../../src/contract/call/slot.ts'
import { type Asked, admissionOf, arrangeOperation, ends, plainEnds, ttlMs } from './arrange.ts'
import { admissionText, changeText, headline, readRecord, usedOf } from './outcome.ts'
import { admit, judge, slotAt } from './port.ts'
import { type Family, type Given, product, type Verdict } from './rows.ts'
import type { Place } from './stage.ts'

const slotKinds: readonly SlotKind[] = ['caller', 'pointer', 'implicit', 'call']

/** Of ended attempts; a pending one has no time that could be over. */
const endedEnds = plainEnds.filter((end) => !end.startsWith('PENDING'))

/** An answer may lapse a moment before or after it is asked for. */
const edges = ['COMPLETED happened, lapses in 1 ms', 'COMPLETED happened, lapses now']

/** All that is asked of it: by an id that it has seen or not, or none; for the same or another request; judged as it stands, or stale. */
const mainStates = ['absent', 'admitted', ...ends]
const otherStates = [...ends.map((end) => `${end}, overtaken`), ...endedEnds.map((end) => `${end}, lapsed`), ...edges]
const allIds = ['seen', 'unseen', 'none']

export const admissions: readonly Family[] = slotKinds.map((kind) => ({
  name: `admissions-${kind}`,
  combinations: () => [
    ...product({
      record: [...mainStates, ...otherStates],
      id: allIds,
      hash: ['equal', 'other'],
      sent: ['first'],
      judged: ['right'],
    }),
    ...product({ record: mainStates, id: allIds, hash: ['equal'], sent: ['first'], judged: ['stale'] }),
    // The same admission once more, because its answer was lost: with the id it had, or, by a fault of its sender, another.
    ...product({
      record: mainStates.slice(1),
      id: ['seen', 'unseen'],
      hash: ['equal'],
      sent: ['again'],
      judged: ['right'],
    }),
  ],
  play: (given, place) => play(given, place, kind),
}))

/** Past their time and swept: Postgres alone has a sweep. `kept`: their answers outlive it. */
export const swept: Family = {
  name: 'admissions-swept',
  combinations: () =>
    product({
      kind: slotKinds,
      record: endedEnds.flatMap((end) => [`${end}, swept`, `${end}, swept and kept`]),
      id: allIds,
      hash: ['equal', 'other'],
      sent: ['first'],
      judged: ['right'],
    }),
  play: (given, place) => play(given, place, given.kind as SlotKind),
}

async function play({ record = '', id = '', hash = '', sent, judged }: Given, place: Place, kind: SlotKind) {
  await arrangeOperation(place, record, kind)
  await reachMoment(place, record)
  const provider = { seen: 'p1', unseen: 'p2' }[id]
  return ask(
    place,
    { call: 2, nonce: sent === 'again' ? 1 : 2, kind, provider, hash: hashes[hash] },
    judged === 'right',
  )
}

export const hashes: Readonly<Record<string, string>> = { equal: 'aa01', other: 'bb02' }

/** Reads the record as the gates do, is judged by it, and asks to be admitted: for the generation it was judged for, or a stale one. */
export async function ask(place: Place, asked: Asked, isRight = true): Promise<Verdict> {
  const request = admissionOf(place, asked)
  const { slot } = request
  if (slot === undefined) throw new Error('Every row asks for an operation.')
  const before = await slotAt(place.ledger, place.tenant, slot.key, slot.providerCallId)
  const newest = await readRecord(place)
  const recalled = judge(before.record, slot, before.at)
  const generation = (before.record?.generation ?? 1) + (recalled.kind === 'generation' ? 1 : 0)
  const stale = generation === 1 ? 2 : 1
  const outcome = await admit(place.ledger, { ...request, generation: isRight ? generation : stale })
  return {
    found: headline(before.record),
    recalled: recalled.kind,
    answer: admissionText(request, before.record, outcome),
    record: changeText(place, newest, await readRecord(place)),
    used: await usedOf(place),
  }
}

async function reachMoment(place: Place, record: string): Promise<void> {
  if (record.includes('swept')) return place.sweptAt(ttlMs + 1_000)
  if (record.endsWith('lapsed')) return place.at(ttlMs + 1_000)
  if (record.endsWith('in 1 ms')) return place.at(ttlMs - 1)
  if (record.endsWith('now')) return place.at(ttlMs)
  return place.at(1_000)
}
