// Which operations are given to whom, whose owners have not been heard of; and who may start one again, or put it off. Postgres alone: in
// memory nothing outlives its owner.

import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import type { Claim } from '../../../src/ledger/ports/operations.ts'
import { admissionOf, endOf, readEnd } from './arrange.ts'
import { headline, readRecord } from './outcome.ts'
import { admit, claim, postpone, record, restart } from './port.ts'
import { type Family, product, type Verdict } from './rows.ts'
import { leaseMs, type Place } from './stage.ts'

/** For so long no other process is given it. */
const forMs = 30_000
const postponedMs = 10_000
/** An operation that was written as not known is looked after half a second times two for each start. */
const unknownMs = 1_000
/** The process that looked before looks again first, by this much; after the second time any process may, with or without the contract. */
const [watcherMs, orphanMs] = [5_000, 600_000]

const contractOf = ({ tenant }: Place) => `contract of ${tenant}`

async function given(
  place: Place,
  ledger: Ledger | undefined,
  contracts: readonly string[],
): Promise<Claim | undefined> {
  const claims = await claim(ledger ?? place.ledger, { contracts, limit: 1_000, forMs })
  return claims.find(({ call }) => call.id === place.call(1))
}

/** Gives when the operation is due. */
async function arrange(place: Place, state: string): Promise<number> {
  const request = admissionOf(place, { call: 1, provider: 'p1' })
  const { entry } = request
  if (entry === undefined) throw new Error('Every admission brings its call.')
  const call = { ...entry.call, contractHash: contractOf(place) }
  await admit(place.ledger, { ...request, entry: { ...entry, call } })
  if (state === 'admitted') return leaseMs
  await record(place.ledger, endOf(place, { call: 1, nonce: 1, end: readEnd(state) }))
  return state.startsWith('PENDING') ? unknownMs : leaseMs
}

/** Nothing that is pending is left behind: orphans would be given to the rows that follow. */
async function clear(place: Place): Promise<void> {
  const found = await readRecord(place)
  if (found?.status === 'PENDING')
    await record(place.ledger, endOf(place, { call: 1, nonce: undefined, end: readEnd('COMPLETED happened') }))
}

const moments: Readonly<Record<string, number>> = {
  'a moment before': -1,
  due: 0,
  'a moment before others may': watcherMs - 1,
  'others may': watcherMs,
  'a moment before anybody may': orphanMs - 1,
  'anybody may': orphanMs,
}

const due: Family = {
  name: 'claims',
  alone: true,
  combinations: () => [
    ...product({
      record: ['admitted', 'PENDING unknown'],
      contract: ['known', 'unknown'],
      before: ['nothing', 'given to the same', 'given to another', 'put off by another'],
      when: Object.keys(moments),
      by: ['another process'],
    }),
    ...product({
      record: [
        'PENDING none',
        'PENDING happened',
        'PENDING unknown held',
        'COMPLETED happened',
        'FAILED_RETRYABLE none',
      ],
      contract: ['known'],
      before: ['nothing'],
      when: ['a moment before', 'due', 'anybody may'],
      by: ['another process'],
    }),
    ...product({
      record: ['admitted', 'PENDING unknown'],
      contract: ['known'],
      before: ['nothing'],
      when: ['a moment before', 'due', 'anybody may'],
      by: ['its owner'],
    }),
  ],
  async play({ record: state = '', contract, before = '', when = '', by }, place): Promise<Verdict> {
    const [other, third] = place.others
    let dueAt = await arrange(place, state)
    if (before !== 'nothing') {
      await place.at(dueAt)
      const first = await given(place, before === 'given to the same' ? other : third, [contractOf(place)])
      if (first === undefined) throw new Error('It was due, and was not given.')
      dueAt += before.startsWith('put off') ? postponedMs : forMs
      if (before.startsWith('put off')) await postpone(place.ledger, first.slot, postponedMs)
    }
    await place.at(dueAt + (moments[when] ?? 0))
    const asks = by === 'its owner' ? place.ledger : other
    const found = await given(place, asks, contract === 'known' ? [contractOf(place)] : [])
    await clear(place)
    return { answer: found === undefined ? 'not given' : `given, ${headline(found.slot)}` }
  },
}

/** What became of the operation after it was given to this process. */
const meanwhile: Readonly<Record<string, (place: Place, found: Claim) => Promise<unknown>>> = {
  nothing: async () => undefined,
  ended: (place) => record(place.ledger, endOf(place, { call: 1, nonce: 1, end: readEnd('COMPLETED happened') })),
  held: (place) => record(place.ledger, endOf(place, { call: 1, nonce: 1, end: readEnd('PENDING unknown held') })),
  'started again': (place, found) =>
    restart(place.ledger, found.slot, { nonce: place.nonce(5), timeoutMs: 1_000, withinMs: 86_400_000 }),
}

const startedAgain: Family = {
  name: 'claims-restarted',
  alone: true,
  combinations: () =>
    product({
      meanwhile: Object.keys(meanwhile),
      claim: ['in its last moment', 'over'],
      remembered: ['longer', 'for a moment more', 'until now'],
      step: ['restart', 'postpone'],
    }),
  async play(given_, place): Promise<Verdict> {
    const dueAt = await arrange(place, 'admitted')
    await place.at(dueAt)
    const other = place.others[0] ?? place.ledger
    const found = await given(place, other, [contractOf(place)])
    if (found === undefined) throw new Error('It was due, and was not given.')
    await meanwhile[given_.meanwhile ?? '']?.(place, found)
    const now = dueAt + forMs - (given_.claim === 'over' ? 0 : 1)
    await place.at(now)
    const withinMs =
      { longer: 86_400_000, 'for a moment more': now + 1, 'until now': now }[given_.remembered ?? ''] ?? 0
    const how = { nonce: place.nonce(6), timeoutMs: 1_000, withinMs }
    const answer =
      given_.step === 'restart' ? await restart(other, found.slot, how) : await postpone(other, found.slot, 7)
    const after = await readRecord(place)
    const nonce = [1, 5, 6].find((number) => place.nonce(number) === after?.nonce)
    const next = await nextLook(place, now)
    await clear(place)
    return { answer: String(answer ?? 'done'), record: `${headline(after)}, nonce ${nonce}`, next }
  },
}

/** When the same process is given it next, of the moments at which that may be. */
async function nextLook(place: Place, now: number): Promise<string> {
  for (const ms of [0, 6, 7, 35_999, 36_000, 60_000]) {
    await place.at(now + ms)
    if ((await given(place, place.others[0], [contractOf(place)])) !== undefined) return `after ${ms}`
  }
  return 'never'
}

/** Who speaks for an attempt that was started again under another name: 5. */
const ofRestarted: Family = {
  name: 'claims-settled',
  alone: true,
  combinations: () =>
    product({
      nonce: ['of the admission', 'of the restart', 'none'],
      end: [
        'COMPLETED happened',
        'FAILED_RETRYABLE none',
        'FAILED_FINAL none',
        'PENDING unknown held',
        'PENDING happened',
      ],
    }),
  async play({ nonce = '', end = '' }, place): Promise<Verdict> {
    const dueAt = await arrange(place, 'admitted')
    await place.at(dueAt)
    const found = await given(place, place.others[0], [contractOf(place)])
    if (found === undefined) throw new Error('It was due, and was not given.')
    await meanwhile['started again']?.(place, found)
    const named = { 'of the admission': 1, 'of the restart': 5 }[nonce]
    const answer = await record(place.ledger, endOf(place, { call: 1, nonce: named, end: readEnd(end) }))
    const after = headline(await readRecord(place))
    await clear(place)
    return { answer, record: after }
  },
}

export const claims: readonly Family[] = [due, startedAgain, ofRestarted]
