// Which refusal a call gets that could be refused for several reasons: the first of them in one order, and none of them costs anything.
import { claim } from '../requests.ts'
import { admissionOf, endOf, readEnd } from './arrange.ts'
import { admissionText, usedOf } from './outcome.ts'
import { packet } from './packets.ts'
import { admit, openApproval, record } from './port.ts'
import { type Family, product } from './rows.ts'

const first = { name: 'budget:first:', windowMs: undefined }
const second = { name: 'budget:second:', windowMs: undefined }
const rate = { scope: 'narrow', windowMs: 1_000, max: 1 }

export const refusals: readonly Family[] = [
  {
    name: 'admissions-refused',
    combinations: () =>
      product({
        operation: ['free', 'taken'],
        approval: ['not needed', 'pending'],
        grant: ['not needed', 'unknown'],
        rate: ['free', 'full'],
        'first claim': ['fits', 'full'],
        'second claim': ['fits', 'full'],
      }),
    async play(given, place) {
      const { ledger, tenant } = place
      if (given.operation === 'taken') {
        await admit(ledger, admissionOf(place, { call: 1, provider: 'p1' }))
        await record(ledger, endOf(place, { call: 1, nonce: 1, end: readEnd('COMPLETED happened') }))
      }
      if (given.approval === 'pending') await openApproval(ledger, packet(place, 'call', 1), 10)
      const full = [
        ...(given['first claim'] === 'full' ? [claim(10, { ...first, amount: 10 })] : []),
        ...(given['second claim'] === 'full' ? [claim(10, { ...second, amount: 10 })] : []),
      ]
      const wide = { ...rate, max: 100 }
      const filling = { claims: full, rate: given.rate === 'full' ? wide : { ...wide, scope: 'another' } }
      await admit(ledger, admissionOf(place, { call: 3, slot: 'slot-3', provider: 'p3' }, filling))
      const request = admissionOf(
        place,
        { call: 2, provider: 'p2' },
        {
          approval: given.approval === 'pending' ? { id: `${tenant}-a`, payloadHash: 'p' } : undefined,
          grant: given.grant === 'unknown' ? { id: 'no such grant' } : undefined,
          rate,
          claims: [claim(10, { ...first, amount: 2 }), claim(10, { ...second, amount: 3 })],
        },
      )
      return {
        answer: admissionText(request, undefined, await admit(ledger, request)),
        rate: await usedOf(place, { name: 'rate:narrow', windowMs: 1_000 }),
        first: await usedOf(place, first),
        second: await usedOf(place, second),
      }
    },
  },
]
