// May this call run, where more than one record says so: earlier generations, ids that were seen by the thousand, and calls that looked
// nothing up.
import type { SlotKind } from '../../../src/contract/call/slot.ts'
import { claim, entryOf } from '../requests.ts'
import { ask, hashes } from './admissions.ts'
import { admissionOf, arrangeOperation, counter, endOf, keyOfCall, readEnd } from './arrange.ts'
import { admissionText, changeText, headline, readRecord, usedOf } from './outcome.ts'
import { addLabels, admit, raise, record } from './port.ts'
import { type Family, type Given, product, type Verdict } from './rows.ts'
import type { Place } from './stage.ts'

const newest = ['admitted', 'PENDING unknown held', 'COMPLETED happened', 'FAILED_FINAL none', 'FAILED_RETRYABLE none']
/** `late`: after the operation had started over, its first generation turned out to have happened. */
const startedOver = ['FAILED_FINAL none', 'FAILED_FINAL none, happened late']

/** Two generations: id `p1` was seen by the earlier one, `p2` by the newest. */
const generations: Family = {
  name: 'admissions-generations',
  combinations: () => {
    const asked = { newest, id: ['of the earlier', 'of the newest', 'unseen', 'none'], hash: ['equal', 'other'] }
    return [
      ...product({ kind: ['pointer'], earlier: startedOver, ...asked }),
      ...product({
        kind: ['implicit'],
        earlier: [...startedOver, 'COMPENSATED happened', 'COMPLETED happened, overtaken'],
        ...asked,
      }),
    ]
  },
  async play({ earlier = '', id = '', hash = '', ...given }, place) {
    const kind = given.kind as SlotKind
    const { ledger } = place
    const [state = '', late] = earlier.split(', happened ')
    await arrangeOperation(place, state, kind)
    await admit(ledger, { ...admissionOf(place, { call: 2, kind, provider: 'p2' }), generation: 2 })
    if (given.newest !== 'admitted')
      await record(ledger, endOf(place, { call: 2, nonce: 2, generation: 2, end: readEnd(given.newest ?? '') }))
    if (late !== undefined)
      await record(ledger, endOf(place, { call: 1, nonce: 1, end: readEnd('COMPLETED happened') }))
    await place.at(1_000)
    const provider = { 'of the earlier': 'p1', 'of the newest': 'p2', unseen: 'p3' }[id]
    return ask(place, { call: 3, kind, provider, hash: hashes[hash] })
  },
}

/** A generation remembers a thousand ids. From then on every id counts as seen, and nothing starts over. */
const fullOfIds: Family = {
  name: 'admissions-full',
  combinations: () => [
    ...product({ kind: ['implicit'], record: ['FAILED_FINAL none'], ids: ['999'], id: ['unseen'] }),
    ...product({ kind: ['implicit'], record: ['FAILED_FINAL none'], ids: ['1000'], id: ['seen', 'unseen', 'none'] }),
    ...product({ kind: ['implicit'], record: ['FAILED_FINAL none'], ids: ['1001'], id: ['unseen'] }),
    ...product({ kind: ['pointer'], record: ['FAILED_FINAL none'], ids: ['1000'], id: ['unseen'] }),
    ...product({
      kind: ['implicit'],
      record: ['COMPENSATED happened', 'COMPLETED happened, overtaken', 'FAILED_RETRYABLE none'],
      ids: ['1000'],
      id: ['unseen'],
    }),
  ],
  async play({ kind, record: state = '', ids, id = '' }, place) {
    await arrangeOperation(place, state, kind as SlotKind)
    const seeing = Array.from({ length: Number(ids) - 1 }, (_, index) =>
      record(
        place.ledger,
        entryOf(
          { id: place.many(index), key: keyOfCall(place, 1_000 + index) },
          { looksOn: true, seen: { slotKey: 'slot-1', generation: 1, providerCallId: `more-${index}` } },
        ),
      ),
    )
    await Promise.all(seeing)
    await place.at(1_000)
    const remembered = (await readRecord(place))?.providerCallIds.length ?? 0
    const provider = { seen: 'p1', unseen: 'p2' }[id]
    return { remembered, ...(await ask(place, { call: 2, kind: kind as SlotKind, provider })) }
  },
}

const known = { call: ['new', 'known'], labels: ['none', 'some'], unlooked: ['record', 'record and labels'] }
const wide = { scope: 'tool', windowMs: 1_000, max: 1_000_000 }
/** From a narrow rate every call is counted by itself, by the function; calls of a wide one may come by the plain statements. */
const rates = { narrow: { ...wide, max: 100 }, wide }

/** Nothing was looked up: admitted only where nothing is known. */
const unlooked: Family = {
  name: 'admissions-unlooked',
  alone: true,
  combinations: () => [
    ...product({
      kind: ['implicit'],
      record: ['absent', ...newest, 'COMPENSATED happened'],
      ...known,
      rate: ['narrow', 'wide'],
      sent: ['first'],
    }),
    ...product({ kind: ['call'], record: ['absent', 'admitted'], ...known, rate: ['narrow', 'wide'], sent: ['first'] }),
    ...product({
      kind: ['implicit'],
      record: ['admitted', 'PENDING unknown held', 'COMPLETED happened'],
      ...known,
      call: ['new'],
      rate: ['narrow', 'wide'],
      sent: ['again'],
    }),
  ],
  async play(given, place) {
    const kind = given.kind as SlotKind
    await arrangeOperation(place, given.record ?? '', kind)
    await arrangeKnown(given, place)
    await place.at(1_000)
    const asked = { call: 2, nonce: given.sent === 'again' ? 1 : 2, kind, provider: 'p2' }
    const before = await readRecord(place)
    const request = admissionOf(place, asked, {
      unseen: true,
      unlabelled: given.unlooked !== 'record',
      rate: rates[given.rate as keyof typeof rates],
    })
    const outcome = await admit(place.ledger, request)
    return {
      found: headline(before),
      answer: admissionText(request, before, outcome),
      record: changeText(place, before, await readRecord(place)),
      used: await usedOf(place),
    }
  },
}

async function arrangeKnown({ call, labels }: Given, place: Place): Promise<void> {
  if (call === 'known') await record(place.ledger, entryOf({ id: place.call(2), key: keyOfCall(place, 2) }))
  if (labels === 'some') await addLabels(place.ledger, place.tenant, 'run-1', ['seen'])
}

/** New calls by the plain statements: whose claim fits, does not, or fits because its limit was raised. */
const fresh: Family = {
  name: 'admissions-new',
  alone: true,
  combinations: () =>
    product({
      counter: ['new', 'seen before'],
      window: ['none', 'a day'],
      claims: ['one', 'two'],
      limit: ['fits', 'is just reached', 'is passed', 'is raised'],
      rate: ['narrow', 'wide'],
    }),
  async play({ counter: seen, window, claims, limit, rate = '' }, place): Promise<Verdict> {
    const { ledger, tenant } = place
    const windowMs = window === 'none' ? undefined : 86_400_000
    const of = (max: number, amount: number) => claim(max, { ...counter, windowMs, amount })
    const options = { unseen: true, unlabelled: true, rate: rates[rate as keyof typeof rates] }
    if (seen !== 'new') {
      const earlier = { ...options, claims: [of(100, 2)] }
      await admit(ledger, admissionOf(place, { call: 1, slot: 'slot-2', provider: 'p1' }, earlier))
    }
    if (limit === 'is raised')
      await raise(ledger, { ...counter, windowMs, id: 'raise-1', tenant, amount: 2, by: 'ann', why: 'asked' })
    const used = seen === 'new' ? 0 : 2
    const max = used + (limit === 'fits' ? 10 : limit === 'is just reached' ? 3 : 2)
    const second = claim(100, { name: 'another', amount: 1 })
    const asked = { ...options, claims: claims === 'one' ? [of(max, 3)] : [second, of(max, 3)] }
    const request = admissionOf(place, { call: 2, provider: 'p2' }, asked)
    const outcome = await admit(ledger, request)
    return {
      answer: admissionText(request, undefined, outcome),
      record: headline(await readRecord(place)),
      used: await usedOf(place, { ...counter, windowMs }),
      other: await usedOf(place, { name: 'another', windowMs: undefined }),
    }
  },
}

export const histories: readonly Family[] = [generations, fullOfIds, unlooked, fresh]
