// Limits and rates, as every engine counts them: never one too many, with all who ask at the same time, and nothing for the refused.

import { expect, it } from 'vitest'
import type { CounterClaim } from '../../../src/contract/call/claim.ts'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import type { AdmitRequest, Operations } from '../../../src/ledger/ports/operations.ts'
import {
  admission,
  callId,
  claim,
  declined,
  distinct,
  retryable,
  settleOn,
  slot,
  slotAt,
  unknown,
} from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const day = 86_400_000
const read = (change: Partial<AdmitRequest> = {}) => admission({ slot: undefined, entry: undefined, ...change })
/** So much of a sum that may be spent in a day. */
const money = (amount: number, max: number, change: Partial<CounterClaim> = {}) =>
  claim(max, { name: 'budget:day:', amount, windowMs: day, limit: 'day', currency: 'EUR', ...change })

const kinds = async (all: readonly (ReturnType<Operations['admit']> | undefined)[]) => {
  const counts: Record<string, number> = {}
  for (const each of await Promise.all(all)) counts[each?.kind ?? ''] = (counts[each?.kind ?? ''] ?? 0) + 1
  return counts
}

const usedOf = async (ledger: Ledger, { name, windowMs }: CounterClaim) =>
  (await ledger.limits.balances('acme', [{ name, windowMs }]))[0]?.used

/** To the beginning of the next day: histories of one window must not run into the next. */
const toNextDay = async (ledger: Ledger, advance: (ms: number) => Promise<void>) => {
  const refused = await ledger.operations.admit(distinct(999, { claims: [money(1, 0)] }))
  if (refused.kind === 'budget') await advance(refused.resets?.afterMs ?? 0)
}

export function limitTests(start: StartEngine): void {
  it('refuses beyond limit or rate without leaving a trace on the slot', async () => {
    const { ledger, advance } = await start()
    const none = claim(0)
    expect(await ledger.operations.admit(admission({ claims: [none] }))).toEqual({
      kind: 'budget',
      claim: none,
      used: 0,
      max: 0,
      resets: undefined,
    })
    expect(await slotAt(ledger, 'slot-1')).toBeUndefined()
    const rate = { scope: 'tool', windowMs: day, max: 1 }
    expect(await ledger.operations.admit(admission({ rate }))).toMatchObject({ kind: 'admitted' })
    const next = admission({ rate, slot: slot({ key: 'slot-2' }) })
    const refused = await ledger.operations.admit(next)
    expect(refused).toMatchObject({ kind: 'rate' })
    expect(refused.kind === 'rate' && refused.retryAfterMs > 0 && refused.retryAfterMs <= rate.windowMs).toBe(true)
    expect(await slotAt(ledger, 'slot-2')).toBeUndefined()
    await advance(rate.windowMs)
    expect(await ledger.operations.admit(next)).toMatchObject({ kind: 'admitted' })
  })

  it('counts a further start, which has no operation, with the calls of the same rate [starts-are-counted]', async () => {
    for (const max of [2, 1_500]) {
      const { ledger, advance } = await start()
      await toNextDay(ledger, advance)
      const rate = { scope: 'tool', windowMs: day, max }
      const started = () => ledger.operations.admit(read({ rate, exact: true, claims: [] }))
      expect(await ledger.operations.admit(distinct(1, { rate }))).toMatchObject({ kind: 'admitted' })
      const starts = await kinds(Array.from({ length: max }, started))
      expect(starts).toEqual({ admitted: max - 1, rate: 1 })
      expect(await ledger.operations.admit(distinct(2, { rate }))).toMatchObject({ kind: 'rate' })
      expect(await slotAt(ledger, 'slot-1')).toMatchObject({ status: 'PENDING', attempt: 1 })
    }
  })

  it('admits exactly as many as the limit has when several processes ask at once [budget-per-run]', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer(), await peer()]
    const claims = [claim(7)]
    const ask = (number: number) => ledgers[number % 3]?.operations.admit(distinct(number, { claims }))
    expect(await kinds(Array.from({ length: 50 }, (_, n) => ask(n + 1)))).toEqual({ admitted: 7, budget: 43 })
    expect(await ledger.calls.list({})).toHaveLength(7)
    const [first] = await ledger.calls.list({ limit: 1 })
    const number = Number(first?.id.slice(-12))
    await settleOn(ledger, { callId: callId(number), slotKey: `slot-${number}`, ...declined })
    expect(await kinds(Array.from({ length: 9 }, (_, n) => ask(n + 100)))).toEqual({ admitted: 1, budget: 8 })
  })

  it('admits exactly as many as the rate allows when several processes ask at once [rate-window]', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer(), await peer()]
    const rate = { scope: 'tool', windowMs: day, max: 11 }
    const ask = (number: number) => ledgers[number % 3]?.operations.admit(distinct(number, { rate }))
    expect(await kinds(Array.from({ length: 50 }, (_, n) => ask(n + 1)))).toEqual({ admitted: 11, rate: 39 })
  })

  it('counts rates by tenant and scope, in windows that begin at whole multiples', async () => {
    const { ledger, advance } = await start()
    const rate = { scope: 'tool', windowMs: day, max: 1 }
    expect(await ledger.operations.admit(distinct(1, { rate }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.operations.admit(distinct(2, { rate: { ...rate, scope: 'other' } }))).toMatchObject({
      kind: 'admitted',
    })
    expect(await ledger.operations.admit(distinct(3, { rate, tenant: 'globex' }))).toMatchObject({ kind: 'admitted' })
    const refused = await ledger.operations.admit(distinct(4, { rate }))
    if (refused.kind !== 'rate') throw new Error(`Admitted beyond the rate: ${refused.kind}`)
    await advance(refused.retryAfterMs)
    expect(await ledger.operations.admit(distinct(4, { rate }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.operations.admit(distinct(5, { rate }))).toMatchObject({ kind: 'rate' })
  })

  it('judges each call by its own limit when calls with other limits come at once', async () => {
    const { ledger } = await start()
    const ask = (number: number, budget: number, rate: number) =>
      ledger.operations.admit(
        distinct(number, { claims: [claim(budget)], rate: { scope: 'tool', windowMs: day, max: rate } }),
      )
    expect(await kinds([ask(1, 1, 9), ask(2, 1, 9), ask(3, 9, 1), ask(4, 9, 9)])).toEqual({
      admitted: 2,
      budget: 1,
      rate: 1,
    })
  })

  it('counts by tenant and name', async () => {
    const { ledger } = await start()
    expect(await ledger.operations.admit(distinct(1, { claims: [claim(1)] }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.operations.admit(distinct(2, { claims: [claim(1)] }))).toMatchObject({
      kind: 'budget',
      max: 1,
      used: 1,
    })
    const others = [{ claims: [claim(1, { name: 'budget:write:=run-2' })] }, { claims: [claim(1)], tenant: 'globex' }]
    for (const [index, change] of others.entries()) {
      expect(await ledger.operations.admit(distinct(index + 3, change))).toMatchObject({ kind: 'admitted' })
    }
    expect(await ledger.operations.admit(distinct(9, { claims: [] }))).toMatchObject({ kind: 'admitted' })
  })

  it('takes from every limit or from none, and names the first that does not fit', async () => {
    const { ledger } = await start()
    const [small, large] = [claim(1, { name: 'small' }), claim(5, { name: 'large' })]
    expect(await ledger.operations.admit(distinct(1, { claims: [large, small] }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.operations.admit(distinct(2, { claims: [large, small] }))).toMatchObject({
      kind: 'budget',
      claim: small,
    })
    const both = [claim(1, { name: 'large' }), small]
    expect(await ledger.operations.admit(distinct(2, { claims: both }))).toMatchObject({
      kind: 'budget',
      claim: both[0],
    })
    expect(await usedOf(ledger, large)).toBe(1)
  })

  it('spends a sum to the last part, with any amounts and many callers at once [money-never-overspent]', async () => {
    const { ledger, peer, advance } = await start()
    await toNextDay(ledger, advance)
    const ledgers = [ledger, await peer(), await peer()]
    const amounts = Array.from({ length: 60 }, (_, n) => 1 + ((n * 7) % 13))
    const ends = await Promise.all(
      amounts.map((amount, n) =>
        ledgers[n % 3]?.operations.admit(distinct(n + 1, { unseen: n % 2 === 0, claims: [money(amount, 100)] })),
      ),
    )
    const spent = amounts.filter((_, n) => ends[n]?.kind === 'admitted').reduce((a, b) => a + b, 0)
    expect(await usedOf(ledger, money(1, 100))).toBe(spent)
    expect(spent).toBeLessThanOrEqual(100)
    // No caller was refused whose amount would still fit.
    const refused = amounts.filter((_, n) => ends[n]?.kind === 'budget')
    expect(Math.min(...refused)).toBeGreaterThan(100 - spent)
  })

  it('begins anew with a window, and says when that is', async () => {
    const { ledger, advance } = await start()
    await toNextDay(ledger, advance)
    const claims = [money(60, 100)]
    expect(await ledger.operations.admit(distinct(1, { claims }))).toMatchObject({ kind: 'admitted' })
    const refused = await ledger.operations.admit(distinct(2, { claims }))
    if (refused.kind !== 'budget' || refused.resets === undefined) throw new Error(`Not refused: ${refused.kind}`)
    expect(refused).toMatchObject({ claim: claims[0], used: 60, max: 100 })
    expect(refused.resets.at % day).toBe(0)
    expect((await ledger.limits.balances('acme', claims))[0]).toEqual({
      used: 60,
      raised: 0,
      resetsAt: refused.resets.at,
    })
    await advance(refused.resets.afterMs)
    expect(await ledger.operations.admit(distinct(2, { unseen: true, claims }))).toMatchObject({ kind: 'admitted' })
    expect(await usedOf(ledger, money(1, 100))).toBe(60)
  })

  it('gives back when nothing happened, and never a rate', async () => {
    const { ledger } = await start()
    const claims = [claim(1)]
    const rate = { scope: 'tool', windowMs: day, max: 2 }
    await ledger.operations.admit(admission({ claims, rate }))
    expect(await slotAt(ledger)).toMatchObject({ reserved: [{ name: 'budget:write:=run-1', amount: 1 }] })
    expect(await ledger.operations.admit(distinct(2, { claims, rate }))).toMatchObject({ kind: 'budget' })
    await settleOn(ledger, declined)
    expect(await ledger.operations.admit(distinct(2, { claims, rate }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.operations.admit(distinct(3, { claims: [], rate }))).toMatchObject({ kind: 'rate' })
  })

  it('gives back once, and not for what happened or is unknown', async () => {
    const { ledger } = await start()
    const claims = [claim(2)]
    await ledger.operations.admit(distinct(1, { claims }))
    await ledger.operations.admit(distinct(2, { claims }))
    const end = { callId: callId(1), slotKey: 'slot-1' }
    await settleOn(ledger, { ...end, ...retryable })
    await settleOn(ledger, { ...end, ...retryable })
    await settleOn(ledger, { ...end, ...declined })
    await settleOn(ledger, { ...end, callId: callId(2), slotKey: 'slot-2' })
    expect(await kinds([3, 4, 5].map((n) => ledger.operations.admit(distinct(n, { claims }))))).toEqual({
      admitted: 1,
      budget: 2,
    })
  })

  it('gives back exactly what each attempt has reserved, and keeps what is never returned [reservation-settled-once]', async () => {
    const { ledger, advance } = await start()
    await toNextDay(ledger, advance)
    const kept = money(10, 100, { name: 'kept', returns: false })
    await ledger.operations.admit(distinct(1, { claims: [money(30, 100), kept] }))
    await ledger.operations.admit(distinct(2, { unseen: true, claims: [money(25, 100)] }))
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1', ...retryable })
    expect([await usedOf(ledger, money(1, 1)), await usedOf(ledger, kept)]).toEqual([25, 10])
    // The next attempt reserves anew, and only its own end counts.
    await ledger.operations.admit(distinct(1, { claims: [money(40, 100)] }))
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1', attempt: 1, ...retryable })
    expect(await usedOf(ledger, money(1, 1))).toBe(65)
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1', attempt: 2, ...retryable })
    expect(await usedOf(ledger, money(1, 1))).toBe(25)
  })

  it('gives nothing back to a later window than the one it came from', async () => {
    const { ledger, advance } = await start()
    await toNextDay(ledger, advance)
    await ledger.operations.admit(distinct(1, { claims: [money(30, 100)] }))
    await advance(day)
    await ledger.operations.admit(distinct(2, { claims: [money(50, 100)] }))
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1', ...declined })
    expect(await usedOf(ledger, money(1, 1))).toBe(50)
  })

  it('keeps the unknown reserved until a person says that nothing happened [reservation-settled-once]', async () => {
    const { ledger, advance } = await start()
    await toNextDay(ledger, advance)
    for (const n of [1, 2]) {
      await ledger.operations.admit(distinct(n, { claims: [money(30, 100)] }))
      await settleOn(ledger, { callId: callId(n), slotKey: `slot-${n}`, ...unknown })
    }
    expect(await usedOf(ledger, money(1, 1))).toBe(60)
    const says = { tenant: 'acme', by: 'ann', why: 'looked', quorum: 1 }
    await ledger.operations.resolve({ ...says, callId: callId(1), effect: 'none' })
    await ledger.operations.resolve({ ...says, callId: callId(2), effect: 'happened' })
    expect(await usedOf(ledger, money(1, 1))).toBe(30)
    // What happened after all is spent after all.
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1' })
    expect(await usedOf(ledger, money(1, 1))).toBe(60)
  })

  it('takes again what was given back and had happened, beyond the limit if need be [reservation-settled-once]', async () => {
    const { ledger, advance } = await start()
    await toNextDay(ledger, advance)
    await ledger.operations.admit(distinct(1, { claims: [money(60, 100)] }))
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1', ...declined })
    await ledger.operations.admit(distinct(2, { claims: [money(70, 100)] }))
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1' })
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1' })
    expect(await usedOf(ledger, money(1, 100))).toBe(130)
    expect(await ledger.operations.admit(distinct(3, { claims: [money(1, 100)] }))).toMatchObject({
      kind: 'budget',
      used: 130,
    })
  })

  it('counts an effect that is there twice twice', async () => {
    const { ledger, advance } = await start()
    await toNextDay(ledger, advance)
    const claims = [money(20, 100)]
    await ledger.operations.admit(distinct(1, { claims }))
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1', ...retryable })
    await ledger.operations.admit(distinct(1, { claims }))
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1', attempt: 2 })
    expect(await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1', attempt: 1 })).toBe('late')
    expect(await usedOf(ledger, money(1, 1))).toBe(40)
  })

  it('neither takes nor gives back for what is compensated', async () => {
    const { ledger, advance } = await start()
    await toNextDay(ledger, advance)
    await ledger.operations.admit(distinct(1, { claims: [money(20, 100)] }))
    await settleOn(ledger, { callId: callId(1), slotKey: 'slot-1', status: 'COMPENSATED', effect: 'happened' })
    expect(await usedOf(ledger, money(1, 1))).toBe(20)
  })

  it('allows more of a limit once it is raised, once for each raise, and until its window ends [limit-raised]', async () => {
    const { ledger, peer, advance } = await start()
    await toNextDay(ledger, advance)
    const other = await peer()
    const raise = {
      id: 'raise-1',
      tenant: 'acme',
      name: 'budget:day:',
      windowMs: day,
      amount: 50,
      by: 'ann',
      why: 'asked',
    }
    await ledger.operations.admit(distinct(1, { claims: [money(90, 100)] }))
    expect(await ledger.operations.admit(distinct(2, { claims: [money(40, 100)] }))).toMatchObject({
      kind: 'budget',
      max: 100,
    })
    expect(await ledger.limits.raise(raise)).toMatchObject({ used: 90, raised: 50 })
    expect(await other.limits.raise(raise)).toMatchObject({ used: 90, raised: 50 })
    expect(await other.operations.admit(distinct(2, { unseen: true, claims: [money(40, 100)] }))).toMatchObject({
      kind: 'admitted',
    })
    const refused = await ledger.operations.admit(distinct(3, { claims: [money(40, 100)] }))
    expect(refused).toMatchObject({ kind: 'budget', used: 130, max: 150 })
    await advance(day)
    expect(await ledger.operations.admit(distinct(3, { claims: [money(110, 100)] }))).toMatchObject({
      kind: 'budget',
      max: 100,
    })
  })

  it('raises a limit that has no window for good, also for reads', async () => {
    const { ledger } = await start()
    const claims = [claim(3)]
    expect(await kinds([1, 2, 3, 4].map(() => ledger.operations.admit(read({ claims }))))).toEqual({
      admitted: 3,
      budget: 1,
    })
    const { name, windowMs } = claim(3)
    await ledger.limits.raise({ id: 'r', tenant: 'acme', name, windowMs, amount: 2, by: 'ann', why: 'asked' })
    expect(await kinds([1, 2, 3].map(() => ledger.operations.admit(read({ claims }))))).toEqual({
      admitted: 2,
      budget: 1,
    })
  })

  it('lets reads use all of their limit and no more, one by one or at once', async () => {
    const { ledger } = await start()
    const oneByOne = [claim(9, { name: 'budget:read:=run-1' })]
    const answers: string[] = []
    for (let n = 0; n < 11; n++) answers.push((await ledger.operations.admit(read({ claims: oneByOne }))).kind)
    expect(answers).toEqual([...Array.from({ length: 9 }, () => 'admitted'), 'budget', 'budget'])
    const atOnce = [claim(20, { name: 'budget:read:=run-2' })]
    const ask = (count: number) =>
      kinds(Array.from({ length: count }, () => ledger.operations.admit(read({ claims: atOnce }))))
    expect(await ask(15)).toEqual({ admitted: 15 })
    expect(await ask(15)).toEqual({ admitted: 5, budget: 10 })
  })

  it('refuses a read beyond the second of its limits without using up the first', async () => {
    const { ledger } = await start()
    const [wide, narrow] = [claim(10, { name: 'wide' }), claim(2, { name: 'narrow', windowMs: day })]
    expect(await kinds([1, 2, 3, 4, 5].map(() => ledger.operations.admit(read({ claims: [wide, narrow] }))))).toEqual({
      admitted: 2,
      budget: 3,
    })
    expect(await kinds(Array.from({ length: 12 }, () => ledger.operations.admit(read({ claims: [wide] }))))).toEqual({
      admitted: 8,
      budget: 4,
    })
  })

  it('refuses a read beyond its rate with the time to wait', async () => {
    const { ledger } = await start()
    const rate = { scope: 'tool', windowMs: day, max: 3 }
    expect(await kinds([1, 2, 3, 4].map(() => ledger.operations.admit(read({ rate, claims: [] }))))).toEqual({
      admitted: 3,
      rate: 1,
    })
    const refused = await ledger.operations.admit(read({ rate, claims: [] }))
    expect(refused.kind === 'rate' && refused.retryAfterMs > 0 && refused.retryAfterMs <= day).toBe(true)
  })

  it('counts a paid read at once and for every process', async () => {
    const { ledger, peer, advance } = await start()
    await toNextDay(ledger, advance)
    const ledgers = [ledger, await peer(), await peer()]
    const claims = [claim(9, { name: 'budget:read:=run-1' }), money(3, 15)]
    expect(
      await kinds(
        Array.from({ length: 12 }, (_, n) => ledgers[n % 3]?.operations.admit(read({ exact: true, claims }))),
      ),
    ).toEqual({ admitted: 5, budget: 7 })
  })
}
