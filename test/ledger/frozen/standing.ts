// What is known of a call after an entry was written about it: the entry's own record, or one that stood there before.
import { fact } from '../requests.ts'
import { admissionOf, endOf, keyOfCall, readEnd } from './arrange.ts'
import { headline, questionsText, readRecord } from './outcome.ts'
import { admit, callByKey, callOf, factsOf, record } from './port.ts'
import { type Family, product, type Verdict } from './rows.ts'
import type { Place } from './stage.ts'

/** The entry that a row is about is of pass 5. */
const passes: Readonly<Record<string, number>> = { lower: 4, equal: 5, higher: 6 }

const written: Readonly<Record<string, string>> = {
  happened: 'COMPLETED happened',
  none: 'FAILED_RETRYABLE none',
  unknown: 'PENDING unknown held',
}

/** `double`: another attempt has taken its place. `both`: it had been given up, and the operation started over. */
const entryEnds = [
  'without an end',
  ...['settled', 'late'].flatMap((how) => Object.keys(written).map((effect) => `${how} ${effect}`)),
  'double happened',
  'both happened',
]

const dimensions = {
  earlier: ['none', ...Object.keys(passes).flatMap((pass) => [`${pass}, wrote`, `${pass}, looked on`])],
  entry: ['plain', 'looks on', 'yields', 'looks on and yields'],
  end: entryEnds,
}

export const standing: readonly Family[] = ['once', 'twice'].map((sent) => ({
  name: `standing-sent-${sent}`,
  combinations: () => product(dimensions),
  async play({ earlier = '', entry: manner = '', end = '' }, place) {
    const { ledger } = place
    const [how = '', effect = ''] = end.split(' ')
    await arrangeSlot(place, how)
    if (earlier !== 'none') await writeEarlier(place, earlier)
    const id = place.call(1)
    const own = {
      id,
      key: keyOfCall(place, 1),
      passes: 5,
      told: { errors: [], warnings: ['this one'] },
    }
    const facts = [fact({ callId: id, pass: 5, seq: 5 })]
    const more = {
      id: place.question(20),
      facts,
      ...(manner.includes('looks on') ? { looksOn: true } : {}),
      ...(manner.includes('yields') ? { yields: true } : {}),
    }
    const ended = endOf(place, { call: 1, nonce: 1, end: readEnd(written[effect] ?? 'COMPLETED happened') }, more)
    const { settle, ...without } = ended
    const entry = { ...without, call: { ...ended.call, ...own }, ...(how === 'without' ? {} : { settle }) }
    const answers = [await record(ledger, entry)]
    if (sent === 'twice') answers.push(await record(ledger, entry))
    return { answer: answers.join(', then '), ...(await known(place)) }
  },
}))

/** What an end of call 1, attempt 1 of generation 1, comes upon. */
async function arrangeSlot(place: Place, how: string): Promise<void> {
  const { ledger } = place
  if (how === 'without') return
  if (how === 'settled') {
    await admit(ledger, admissionOf(place, { call: 1, provider: 'p1' }))
    return
  }
  await admit(ledger, admissionOf(place, { call: 8, provider: 'p1' }))
  const first = { late: 'COMPLETED happened', double: 'FAILED_RETRYABLE none', both: 'FAILED_FINAL none' }[how] ?? ''
  await record(ledger, endOf(place, { call: 8, nonce: 8, end: readEnd(first) }))
  if (how === 'double') await admit(ledger, admissionOf(place, { call: 7, provider: 'p1' }))
  if (how === 'both') await admit(ledger, { ...admissionOf(place, { call: 7, provider: 'p2' }), generation: 2 })
}

/** Another pass of call 1 has written a record, or only its facts. */
async function writeEarlier(place: Place, earlier: string): Promise<void> {
  const [which = '', how] = earlier.split(', ')
  const pass = passes[which] ?? 0
  const id = place.call(1)
  const { settle: _, ...entry } = endOf(place, { call: 1, nonce: 1, end: readEnd('PENDING unknown') })
  const told = { errors: [], warnings: ['an earlier one'] }
  await record(place.ledger, {
    ...entry,
    call: { ...entry.call, passes: pass, told },
    facts: [fact({ callId: id, pass, seq: 4 })],
    ...(how === 'wrote' ? {} : { looksOn: true }),
  })
}

async function known(place: Place): Promise<Verdict> {
  const { ledger } = place
  const call = await callOf(ledger, place.call(1))
  const found = await callByKey(ledger, keyOfCall(place, 1))
  const facts = (await factsOf(ledger, place.call(1))).map(({ seq }) => seq)
  return {
    known: call === undefined ? 'nothing' : `${call.told?.warnings[0] ?? 'as admitted'}, pass ${call.passes}`,
    found: found === undefined ? 'not by its key' : `by its key, pass ${found.passes}`,
    facts: facts.join(' '),
    record: headline(await readRecord(place)),
    questions: await questionsText(place),
  }
}
