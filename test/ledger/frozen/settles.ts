// Does the end of an attempt fit, and what does it leave behind? Every state of an operation against every end that can be said of it.

import { entryOf } from '../requests.ts'
import {
  admissionOf,
  arrangeOperation,
  effects,
  endOf,
  ends,
  keyOfCall,
  overtake,
  plainEnds,
  questionOf,
  readEnd,
  ttlMs,
} from './arrange.ts'
import { changeText, headline, questionsText, readRecord, usedOf } from './outcome.ts'
import { admit, record } from './port.ts'
import { type Family, type Given, product, type Verdict } from './rows.ts'
import type { Place } from './stage.ts'

const states = ['admitted', ...ends]
/** What is written of an end, held or not, changes nothing about whether it fits. */
const said = [...plainEnds, 'PENDING unknown held']

/**
 * Call 1 was admitted and failed without effect; call 2 is the second attempt, and the record is as it left it. The end comes from the
 * second attempt under the name that it was admitted under, another one (it was started anew by others) or none; from the first one; or
 * from one that never was.
 */
const sameAttempt: Family = {
  name: 'settles-same-attempt',
  combinations: () => [
    ...product({ record: ['absent'], attempt: ['same'], nonce: ['same'], end: said }),
    ...product({ record: states, attempt: ['same'], nonce: ['same', 'other', 'none'], end: said }),
  ],
  play: settleSecond,
}

const otherAttempt: Family = {
  name: 'settles-other-attempt',
  combinations: () => product({ record: states, attempt: ['earlier', 'later'], nonce: ['own'], end: said }),
  play: settleSecond,
}

async function settleSecond(given: Given, place: Place): Promise<Verdict> {
  const { ledger } = place
  const { record: state = '' } = given
  if (state !== 'absent') {
    await admit(ledger, admissionOf(place, { call: 1, provider: 'p1' }))
    await record(ledger, endOf(place, { call: 1, nonce: 1, end: readEnd('FAILED_RETRYABLE none') }))
    await admit(ledger, admissionOf(place, { call: 2, provider: 'p1' }))
    if (state !== 'admitted') await record(ledger, endOf(place, { call: 2, nonce: 2, attempt: 2, end: readEnd(state) }))
  }
  return settle(given, place)
}

/**
 * The first end of a first attempt under its own name: where it says no more than that it happened, one plain statement writes it on
 * Postgres, and only where the record is as expected.
 */
const settlePlainly: Family = {
  name: 'settles-plain',
  alone: true,
  combinations: () =>
    product({
      record: states,
      attempt: ['first'],
      nonce: ['same', 'other'],
      end: ['COMPLETED happened'],
      asks: ['none'],
    }),
  async play(given, place) {
    await arrangeOperation(place, given.record ?? '', 'implicit')
    return settle(given, place)
  },
}

const generations = [
  'FAILED_FINAL none',
  ...effects.map((effect) => `COMPENSATED ${effect}`),
  ...effects.map((effect) => `COMPLETED ${effect}, overtaken`),
]
const laterOnes = ['admitted', ...['none', 'happened', 'unknown'].map((effect) => `FAILED_FINAL ${effect}`)]

/** The operation has started over: the end is of the generation before, or of the new one. */
const settleGenerations: Family = {
  name: 'settles-generations',
  combinations: () =>
    product({
      record: generations,
      later: laterOnes,
      generation: ['earlier', 'newest', 'none'],
      end: ['COMPLETED', 'FAILED_RETRYABLE'].flatMap((status) => effects.map((effect) => `${status} ${effect}`)),
    }),
  async play(given, place) {
    const { ledger } = place
    await arrangeOperation(place, given.record ?? '', 'implicit')
    await admit(ledger, { ...admissionOf(place, { call: 2, provider: 'p2' }), generation: 2 })
    if (given.later !== 'admitted')
      await record(ledger, endOf(place, { call: 2, nonce: 2, generation: 2, end: readEnd(given.later ?? '') }))
    const [before, beforeNewest] = [await readRecord(place, 'p1'), await readRecord(place)]
    await place.at(1_000)
    const from = { earlier: [1, 1], newest: [2, 2], none: [3, 3] }[given.generation ?? ''] ?? []
    const [call = 0, generation = 0] = from
    const end = readEnd(given.end ?? '')
    const answer = await record(ledger, endOf(place, { call, nonce: call, generation, end, answer: 'now' }))
    return {
      answer,
      earlier: changeText(place, before, await readRecord(place, 'p1')),
      newest: changeText(place, beforeNewest, await readRecord(place)),
      questions: await questionsText(place),
      used: await usedOf(place),
    }
  },
}

/** What another operation came to, and whether this one's end on the same resource overtakes it. */
const overtaking: Family = {
  name: 'settles-overtaking',
  combinations: () =>
    product({
      record: states,
      shares: ['run and resource', 'resource', 'run'],
      end: ['COMPLETED happened', 'FAILED_FINAL happened', 'PENDING happened', 'COMPLETED none', 'COMPLETED unknown'],
    }),
  async play({ record: state = '', shares = '', end = '' }, place) {
    const { ledger } = place
    await admit(ledger, admissionOf(place, { call: 1, provider: 'p1', resource: 'thing-1' }))
    if (state !== 'admitted')
      await record(ledger, endOf(place, { call: 1, nonce: 1, named: true, end: readEnd(state) }))
    const before = await readRecord(place)
    const other = {
      call: 2,
      slot: 'slot-2',
      resource: shares.includes('resource') ? 'thing-1' : 'thing-2',
      run: shares.includes('run') ? 'run-1' : 'run-2',
    }
    await admit(ledger, admissionOf(place, other, { claims: [] }))
    const answer = await record(
      ledger,
      endOf(place, { call: 2, nonce: 2, slot: 'slot-2', named: true, end: readEnd(end) }),
    )
    return { answer, record: changeText(place, before, await readRecord(place)) }
  },
}

/** An operation overtakes what others did, never its own generations; nor does an end that comes too late. */
const overtakingOdd: Family = {
  name: 'settles-overtaking-odd',
  combinations: () => product({ by: ['its own next generation', 'an end that is late', 'an end that revives'] }),
  async play({ by = '' }, place) {
    const { ledger } = place
    const completed = readEnd('COMPLETED happened')
    await admit(ledger, admissionOf(place, { call: 1, provider: 'p1', resource: 'thing-1' }))
    await record(ledger, endOf(place, { call: 1, nonce: 1, named: true, end: completed }))
    if (by === 'its own next generation') {
      await overtake(place, 'run-1', 'thing-1')
      await admit(ledger, { ...admissionOf(place, { call: 2, provider: 'p2', resource: 'thing-1' }), generation: 2 })
      await record(ledger, endOf(place, { call: 2, nonce: 2, generation: 2, named: true, end: completed }))
      return {
        newest: headline(await readRecord(place)),
        other: headline(await readRecord(place, undefined, 'slot-9')),
      }
    }
    const slot = 'slot-2'
    await admit(ledger, admissionOf(place, { call: 2, slot, provider: 'p2', resource: 'thing-1' }))
    const first = by === 'an end that revives' ? 'FAILED_RETRYABLE none' : 'FAILED_FINAL unknown'
    await record(ledger, endOf(place, { call: 2, nonce: 2, slot, named: true, end: readEnd(first) }))
    await record(ledger, endOf(place, { call: 2, nonce: 2, slot, named: true, end: completed }))
    return { newest: headline(await readRecord(place)), other: headline(await readRecord(place, undefined, slot)) }
  },
}

export const settles: readonly Family[] = [
  sameAttempt,
  otherAttempt,
  settlePlainly,
  settleGenerations,
  overtaking,
  overtakingOdd,
]

/** Questions 1 and 2 are open before the end comes, about its own call; 3 and 4 come with it. */
async function settle(given: Given, place: Place): Promise<Verdict> {
  const { ledger } = place
  const attempt = { earlier: 1, first: 1, same: 2, later: 3 }[given.attempt ?? ''] ?? 1
  const call = attempt
  const before = await readRecord(place)
  if (given.asks !== 'none') {
    const own = { id: place.call(call), key: keyOfCall(place, call) }
    const escalations = [questionOf(place, 1, call, 'unknown_effect'), questionOf(place, 2, call, 'unverifiable')]
    await record(ledger, entryOf(own, { looksOn: true, escalations }))
  }
  await place.at(1_000)
  const nonce = { same: call, own: call, other: 7, none: undefined }[given.nonce ?? '']
  const with_ = [questionOf(place, 3, call, 'unknown_effect'), questionOf(place, 4, call, 'unverifiable')]
  const said = { call, nonce, attempt, end: readEnd(given.end ?? ''), ttlMs, answer: 'now' }
  const answer = await record(ledger, endOf(place, said, given.asks === 'none' ? {} : { escalations: with_ }))
  return {
    found: headline(before),
    answer,
    record: changeText(place, before, await readRecord(place)),
    questions: await questionsText(place),
    used: await usedOf(place),
  }
}
