// Calls of which nothing is known, which every engine may admit and end by a shorter way than others: what comes of them is the same, one
// by one and many at once.
import { expect, it } from 'vitest'
import type { CounterClaim } from '../../../src/contract/call/claim.ts'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import type { AdmitRequest } from '../../../src/ledger/ports/operations.ts'
import { answerOf, callId, callRecord, claim, distinct, entryOf, fact, settlement, slot, slotAt } from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const wide = { scope: 'tool', windowMs: 86_400_000, max: 1_000_000 }
const fresh = (number: number, change: Partial<AdmitRequest> = {}) =>
  distinct(number, { unseen: true, rate: wide, claims: [claim(1_000)], ...change })

const usedOf = async (ledger: Ledger, { name, windowMs }: CounterClaim, tenant = 'acme') =>
  (await ledger.limits.balances(tenant, [{ name, windowMs }]))[0]?.used

const kindsOf = async (ledger: Ledger, requests: readonly AdmitRequest[]) =>
  (await Promise.all(requests.map((request) => ledger.operations.admit(request)))).map(({ kind }) => kind)

/** The end of a call as its owner writes it. */
const ended = (number: number, { nonce }: AdmitRequest) => {
  const settle = settlement({ callId: callId(number), slotKey: `slot-${number}`, nonce, answer: answerOf(`${number}`) })
  const key = { ...callRecord().key, providerCallId: `p${number}` }
  return entryOf({ id: callId(number), key }, { settle, facts: [fact({ callId: callId(number), seq: 2 })] })
}

export function newCallTests(start: StartEngine): void {
  for (const [how, windowMs] of [
    ['for ever', undefined],
    ['in a window', 86_400_000 * 365 * 10],
  ] as const) {
    it(`are admitted up to a limit ${how}, and not one beyond it [budget-per-run]`, async () => {
      const { ledger } = await start()
      const limit = claim(2, { name: 'few', ...(windowMs === undefined ? {} : { windowMs }) })
      for (const [number, kind] of [[1, 'admitted'] as const, [2, 'admitted'] as const, [3, 'budget'] as const]) {
        expect((await ledger.operations.admit(fresh(number, { claims: [limit] }))).kind).toBe(kind)
      }
      expect(await usedOf(ledger, limit)).toBe(2)
      expect(await slotAt(ledger, 'slot-3')).toBeUndefined()
    })

    it(`share a limit ${how} when they come at once: as many as fit, in any order`, async () => {
      const { ledger } = await start()
      const limit = claim(6, { name: 'shared', ...(windowMs === undefined ? {} : { windowMs }) })
      const kinds = await kindsOf(
        ledger,
        Array.from({ length: 10 }, (_, n) => fresh(n + 1, { claims: [limit] })),
      )
      expect(kinds.filter((kind) => kind === 'admitted')).toHaveLength(6)
      expect(kinds.filter((kind) => kind === 'budget')).toHaveLength(4)
      expect(await usedOf(ledger, limit)).toBe(6)
    })
  }

  it('take nothing where the very first claim is more than its limit', async () => {
    const { ledger } = await start()
    const large = claim(5, { name: 'large', amount: 6 })
    expect(await ledger.operations.admit(fresh(1, { claims: [large] }))).toMatchObject({
      kind: 'budget',
      used: 0,
      max: 5,
    })
    expect(await kindsOf(ledger, [fresh(2, { claims: [large] }), fresh(3)])).toEqual(['budget', 'admitted'])
    expect((await usedOf(ledger, large)) ?? 0).toBe(0)
  })

  it('count against raised limits, and against none', async () => {
    const { ledger } = await start()
    const limit = claim(1, { name: 'raised' })
    expect(await kindsOf(ledger, [fresh(1, { claims: [limit] })])).toEqual(['admitted'])
    await ledger.limits.raise({
      tenant: 'acme',
      id: 'more',
      name: 'raised',
      windowMs: undefined,
      amount: 1,
      by: 'olga',
      why: 'x',
    })
    expect(await kindsOf(ledger, [fresh(2, { claims: [limit] })])).toEqual(['admitted'])
    expect(await kindsOf(ledger, [fresh(3, { claims: [limit] })])).toEqual(['budget'])
    expect(await kindsOf(ledger, [fresh(4, { claims: [] }), fresh(5, { claims: [] })])).toEqual([
      'admitted',
      'admitted',
    ])
  })

  it('of two tenants count apart, though their limits have one name and they come at once', async () => {
    const { ledger } = await start()
    const limit = claim(2, { name: 'same' })
    const requests = Array.from({ length: 8 }, (_, n) => {
      const tenant = n % 2 === 0 ? 'acme' : 'other'
      return fresh(n + 1, { tenant, slot: slot({ tenant, key: `slot-${n + 1}` }), claims: [limit] })
    })
    const kinds = await kindsOf(ledger, requests)
    for (const parity of [0, 1])
      expect(kinds.filter((kind, n) => n % 2 === parity && kind === 'admitted')).toHaveLength(2)
    expect([await usedOf(ledger, limit), await usedOf(ledger, limit, 'other')]).toEqual([2, 2])
  })

  it('are no such calls where their run carries labels, or they are on record already', async () => {
    const { ledger } = await start()
    // The next on the same limit goes the shortest way.
    expect(await kindsOf(ledger, [fresh(6, { unlabelled: true })])).toEqual(['admitted'])
    await ledger.runs.addLabels('acme', 'run-1', ['untrusted'])
    expect(await kindsOf(ledger, [fresh(1, { unlabelled: true })])).toEqual(['known'])
    expect(await kindsOf(ledger, [fresh(7)])).toEqual(['admitted'])
    expect(await kindsOf(ledger, [fresh(2, { unlabelled: true }), fresh(3)])).toEqual(['known', 'admitted'])
    const waiting = entryOf({ id: callId(9), key: { ...callRecord().key, providerCallId: 'p4' } }, { findAgain: true })
    await ledger.operations.record(waiting)
    expect(await kindsOf(ledger, [fresh(4)])).toEqual(['known'])
    expect(await kindsOf(ledger, [fresh(4), fresh(5)])).toEqual(['known', 'admitted'])
    expect(await slotAt(ledger, 'slot-4')).toBeUndefined()
  })

  it('are no such calls where any run of a family has come to labels, under any name', async () => {
    const { ledger } = await start()
    const odd = { tenant: '1:"😀', runs: ['é\n\u2028', '2:x', 'plain'] }
    const of = (number: number, run: string) =>
      fresh(number, {
        tenant: odd.tenant,
        slot: slot({ tenant: odd.tenant, key: `slot-${number}`, run }),
        unlabelled: true,
      })
    const [first = '', second = '', alone = ''] = odd.runs
    await ledger.runs.addLabels(odd.tenant, second, [], first)
    expect(await kindsOf(ledger, [of(1, first), of(2, second)])).toEqual(['admitted', 'admitted'])
    await ledger.runs.addLabels(odd.tenant, second, ['confidential'])
    for (const [number, run] of [[3, first] as const, [4, second] as const])
      expect(await kindsOf(ledger, [of(number, run)])).toEqual(['known'])
    expect(await kindsOf(ledger, [of(5, alone)])).toEqual(['admitted'])
    expect(await kindsOf(ledger, [of(6, first), of(7, alone)])).toEqual(['known', 'admitted'])
  })

  it('are told of each other where they are one operation, one by one and at once [concurrent-duplicates-once]', async () => {
    const { ledger, peer } = await start()
    const other = await peer()
    const same = (number: number) => fresh(number, { slot: slot({ key: 'same', providerCallId: `p${number}` }) })
    const kinds = await Promise.all([
      kindsOf(ledger, [same(1), fresh(2), fresh(3)]),
      kindsOf(other, [same(4), fresh(5)]),
      kindsOf(other, [same(6)]),
    ])
    expect(kinds.flat().filter((kind) => kind === 'admitted')).toHaveLength(4)
    expect(kinds.flat().filter((kind) => kind === 'known')).toHaveLength(2)
    expect(await usedOf(ledger, claim(1_000))).toBe(4)
  })

  it('end with their facts in order, also where one of many was ended by another process', async () => {
    const { ledger, peer } = await start()
    const other = await peer()
    const requests = Array.from({ length: 12 }, (_, n) => {
      const request = fresh(n + 1)
      const entry = request.entry ?? entryOf()
      return { ...request, entry: { ...entry, facts: [fact({ callId: callId(n + 1) })] } }
    })
    expect(new Set(await kindsOf(ledger, requests))).toEqual(new Set(['admitted']))
    const [first, second] = requests
    if (first === undefined || second === undefined) throw new Error('There are twelve.')
    await other.operations.record({
      ...ended(2, second),
      settle: {
        ...settlement({ callId: callId(2), slotKey: 'slot-2' }),
        nonce: second.nonce,
        answer: answerOf('elsewhere'),
      },
    })
    const ends = await Promise.all(requests.map((request, n) => ledger.operations.record(ended(n + 1, request))))
    expect(ends).toEqual(requests.map((_, n) => (n === 1 ? 'late' : 'settled')))
    expect((await slotAt(ledger, 'slot-2'))?.answer).toEqual(answerOf('elsewhere'))
    for (const number of [1, 3, 12]) {
      expect((await slotAt(ledger, `slot-${number}`))?.answer).toEqual(answerOf(`${number}`))
      expect((await ledger.calls.facts(callId(number))).map(({ seq }) => seq)).toEqual([1, 2])
      expect(await ledger.calls.get(callId(number))).toMatchObject({ status: 'SUCCESS', effect: 'happened' })
    }
    expect(await usedOf(ledger, claim(1_000))).toBe(12)
  })
}
