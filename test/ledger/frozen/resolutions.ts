// What people say became of a call: what is held ends by their word, and what is only asked is answered by it.
import { entryOf } from '../requests.ts'
import { admissionOf, endOf, ends, keyOfCall, questionOf, readEnd } from './arrange.ts'
import { headline, questionsText, readRecord, recordText, usedOf } from './outcome.ts'
import { admit, callOf, factsOf, record, resolve } from './port.ts'
import { type Family, type Given, product, type Verdict } from './rows.ts'
import type { Place } from './stage.ts'

/** `taken over`: call 2 is the second attempt, and call 1 is asked about. `no operation`: it was refused before it had one. */
const operations = [
  'unknown call',
  'no operation',
  'admitted',
  ...ends,
  'taken over and admitted',
  'taken over and held',
]

/** Each says one thing after the other; the last one says what the row is about. */
const sayings: Readonly<Record<string, readonly (readonly [by: string, same: boolean])[]>> = {
  ann: [['ann', true]],
  'ann twice': [
    ['ann', true],
    ['ann', true],
  ],
  'ann by another spelling': [
    ['ann', true],
    [' ANN ', true],
  ],
  'ann and bob': [
    ['ann', true],
    ['bob', true],
  ],
  'ann otherwise, then bob': [
    ['ann', false],
    ['bob', true],
  ],
  'ann otherwise, then bob, then ann': [
    ['ann', false],
    ['bob', true],
    ['ann', true],
  ],
}

async function arrange(place: Place, operation: string): Promise<void> {
  const { ledger } = place
  const own = { id: place.call(1), key: keyOfCall(place, 1), status: 'TIMEOUT', effect: 'none' } as const
  if (operation === 'unknown call') return
  if (operation === 'no operation') {
    await record(ledger, entryOf(own))
    return
  }
  await admit(ledger, admissionOf(place, { call: 1, provider: 'p1' }))
  if (operation === 'admitted') return
  if (!operation.startsWith('taken over')) {
    await record(ledger, endOf(place, { call: 1, nonce: 1, end: readEnd(operation) }))
    return
  }
  await record(ledger, endOf(place, { call: 1, nonce: 1, end: readEnd('FAILED_RETRYABLE none') }))
  await admit(ledger, admissionOf(place, { call: 2, provider: 'p1' }))
  if (operation.endsWith('held'))
    await record(ledger, endOf(place, { call: 2, nonce: 2, attempt: 2, end: readEnd('PENDING unknown held') }))
}

async function play(given: Given, place: Place): Promise<Verdict> {
  const { ledger } = place
  const { operation = '', effect, quorum, people = '', questions, tenant = 'own' } = given
  await arrange(place, operation)
  if (questions === 'open') {
    const escalations = [questionOf(place, 1, 1, 'unknown_effect'), questionOf(place, 2, 1, 'unverifiable')]
    const asked = { id: place.call(1), key: keyOfCall(place, 1) }
    await record(ledger, entryOf(asked, { looksOn: true, escalations }))
  }
  await place.at(1_000)
  const before = await readRecord(place)
  const said: string[] = []
  for (const [by, same] of sayings[people] ?? []) {
    const outcome = await resolve(ledger, {
      tenant: { own: place.tenant, none: undefined, other: 'stranger' }[tenant],
      callId: place.call(1),
      effect: (effect === 'happened') === same ? 'happened' : 'none',
      by,
      why: `seen by ${by}`,
      quorum: Number(quorum),
    })
    const missing = outcome.kind === 'stated' ? `, ${outcome.missing} missing` : ''
    said.push(`${outcome.kind}${missing}, ${headline(outcome.record)}`)
  }
  const after = await readRecord(place)
  const call = await callOf(ledger, place.call(1))
  const last = (await factsOf(ledger, place.call(1))).at(-1)?.verdict
  return {
    found: headline(before),
    said: said.join('; '),
    record: recordText(place, after) === recordText(place, before) ? 'same' : recordText(place, after),
    call: call === undefined ? 'unknown' : `${call.status}, ${call.effect}`,
    noted: last?.kind === 'resolved' ? `${last.effect} by ${last.by}, ${last.why}` : 'nothing',
    questions: await questionsText(place),
    used: await usedOf(place),
  }
}

const isHeld = (operation: string) => operation.endsWith(' held') && !operation.startsWith('taken over')

const asked = { effect: ['happened', 'none'], quorum: ['1', '2'] }

export const resolutions: readonly Family[] = [
  {
    name: 'resolutions',
    // Only what is held waits for people to agree: of all else one word is enough, and a second one finds nothing.
    combinations: () => [
      ...product({
        operation: operations.filter((operation) => !isHeld(operation)),
        ...asked,
        people: ['ann', 'ann and bob'],
        questions: ['none', 'open'],
      }),
      ...product({
        operation: operations.filter(isHeld),
        ...asked,
        people: Object.keys(sayings),
        questions: ['none', 'open'],
      }),
    ],
    play,
  },
  {
    name: 'resolutions-tenants',
    combinations: () =>
      product({
        operation: ['no operation', 'COMPLETED happened', 'PENDING unknown held'],
        effect: ['happened', 'none'],
        quorum: ['1'],
        people: ['ann'],
        questions: ['none', 'open'],
        tenant: ['own', 'none', 'other'],
      }),
    play,
  },
]
