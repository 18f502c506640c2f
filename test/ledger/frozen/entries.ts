// What entries change besides ends: answers that are amended, and ids that were answered.
import { answerOf, entryOf } from '../requests.ts'
import { arrangeOperation, ends, keyOfCall, ttlMs } from './arrange.ts'
import { changeText, headline, readRecord } from './outcome.ts'
import { record } from './port.ts'
import { type Family, product, type Verdict } from './rows.ts'
import type { Place } from './stage.ts'

const states = ['absent', 'admitted', ...ends]
const place2 = { slotKey: 'slot-1' }
const changes = {
  amend: (generation: number) => ({ amend: { ...place2, generation, answer: answerOf('amended') } }),
  'see a new id': (generation: number) => ({ seen: { ...place2, generation, providerCallId: 'p2' } }),
  'see an old id': (generation: number) => ({ seen: { ...place2, generation, providerCallId: 'p1' } }),
}

async function play(
  { record: state = '', entry = '', generation }: Readonly<Record<string, string>>,
  place: Place,
): Promise<Verdict> {
  await arrangeOperation(place, state, 'implicit')
  if (state.includes('swept')) await place.sweptAt(ttlMs + 1_000)
  const before = await readRecord(place)
  const change = changes[entry as keyof typeof changes](generation === 'its own' ? 1 : 2)
  const own = { id: place.call(1), key: keyOfCall(place, 1) }
  const answer = await record(place.ledger, entryOf(own, { looksOn: true, ...change }))
  return { found: headline(before), answer, record: changeText(place, before, await readRecord(place)) }
}

const asked = { entry: Object.keys(changes), generation: ['its own', 'another'] }

export const entries: readonly Family[] = [
  { name: 'entries', combinations: () => product({ record: states, ...asked }), play },
]

export const sweptEntries: Family = {
  name: 'entries-swept',
  combinations: () =>
    product({
      record: ['COMPLETED happened, swept', 'COMPLETED happened, swept and kept', 'FAILED_FINAL none, swept'],
      ...asked,
    }),
  play,
}
