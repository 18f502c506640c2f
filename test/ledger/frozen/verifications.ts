// Which effects are due to be read back, for whom, and whose reading counts.

import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import type { DueVerification } from '../../../src/ledger/ports/verifications.ts'
import { entryOf, verification } from '../requests.ts'
import { admissionOf, endOf, keyOfCall, readEnd } from './arrange.ts'
import { admit, claimVerifications, finishVerification, postponeVerification, record } from './port.ts'
import { type Family, product, type Verdict } from './rows.ts'
import type { Place } from './stage.ts'

const afterMs = 1_000
const forMs = 5_000
const orphanMs = 86_400_000

const contractOf = ({ tenant }: Place) => `contract of ${tenant}`

async function claimed(place: Place, ledger: Ledger, knows: boolean): Promise<DueVerification | undefined> {
  const query = { contracts: knows ? [contractOf(place)] : [], limit: 100, forMs }
  return (await claimVerifications(ledger, query)).find(({ call }) => call.id === place.call(1))
}

/** What became of it before it is asked for: it is due from the moment that is given back. */
const befores: Readonly<
  Record<string, (place: Place) => Promise<{ dueAt: number; first?: DueVerification | undefined }>>
> = {
  nothing: async () => ({ dueAt: afterMs }),
  async 'given to another'(place) {
    await place.at(afterMs)
    return { dueAt: afterMs + forMs, first: await claimed(place, place.others[0] ?? place.ledger, true) }
  },
  async 'put off'(place) {
    await place.at(afterMs)
    const first = await claimed(place, place.others[0] ?? place.ledger, true)
    if (first !== undefined) await postponeVerification(place.ledger, first, 2_000)
    return { dueAt: afterMs + 2_000, first }
  },
  async finished(place) {
    await place.at(afterMs)
    const first = await claimed(place, place.others[0] ?? place.ledger, true)
    if (first !== undefined) await finishVerification(place.ledger, first, own(place))
    return { dueAt: afterMs + forMs, first }
  },
  async 'read within the call'(place) {
    await record(place.ledger, { ...own(place), verified: true })
    return { dueAt: afterMs }
  },
  async 'asked for anew'(place) {
    await place.at(500)
    await record(place.ledger, { ...own(place), verify: verification({ afterMs: 3_000, reads: 2 }) })
    return { dueAt: 3_500 }
  },
  async 'asked for anew by a late end'(place) {
    const late = endOf(place, { call: 1, nonce: 1, end: readEnd('COMPLETED happened') })
    await place.at(500)
    await record(place.ledger, { ...late, verify: verification({ afterMs: 3_000, reads: 2 }) })
    return { dueAt: afterMs }
  },
}

const own = (place: Place) =>
  entryOf({ id: place.call(1), key: keyOfCall(place, 1), contractHash: contractOf(place) }, { looksOn: true })

const moments: Readonly<Record<string, number>> = {
  'a moment before': -1,
  due: 0,
  'a day later, but for a moment': orphanMs - 1,
  'a day later': orphanMs,
}

export const verifications: readonly Family[] = [
  {
    name: 'verifications',
    // What is a day late is given to any process, other rows' as well.
    alone: true,
    combinations: () =>
      product({ before: Object.keys(befores), when: Object.keys(moments), contract: ['known', 'unknown'] }),
    async play({ before = '', when = '', contract }, place): Promise<Verdict> {
      const { ledger } = place
      await admit(ledger, admissionOf(place, { call: 1, provider: 'p1' }))
      const ended = endOf(
        place,
        { call: 1, nonce: 1, end: readEnd('COMPLETED happened') },
        { verify: verification({ afterMs }) },
      )
      await record(ledger, { ...ended, call: { ...ended.call, contractHash: contractOf(place) } })
      const { dueAt, first } = (await befores[before]?.(place)) ?? { dueAt: 0 }
      await place.at(dueAt + (moments[when] ?? 0))
      const due = await claimed(place, ledger, contract === 'known')
      const late = first === undefined ? 'nobody has it' : await postponeVerification(ledger, first, 10)
      const finished = due === undefined ? 'nobody has it' : await finishVerification(ledger, due, own(place))
      // Nothing of it is left for the rows that follow.
      await record(ledger, { ...own(place), verified: true })
      return {
        answer: due === undefined ? 'not given' : `given, ${due.reads} reads`,
        'the first puts it off': String(late),
        'its owner finishes it': String(finished),
      }
    },
  },
]
