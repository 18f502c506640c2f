// Budgets and rates, as every engine counts them: never one too many, whoever asks at the same time, and nothing for the refused.
import { expect, it } from 'vitest'
import type { AdmitRequest, Ledger } from '../../../src/ledger/ledger.ts'
import { admission, callId, declined, distinct, retryable, settleOn, slot, slotAt } from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const day = 86_400_000
const budgetOf = (max: number, change: Partial<NonNullable<AdmitRequest['budget']>> = {}) =>
  ({ run: 'run-1', kind: 'write', max, ...change }) as const
const read = (change: Partial<AdmitRequest> = {}) => admission({ slot: undefined, entry: undefined, ...change })

const kinds = async (all: readonly (ReturnType<Ledger['admit']> | undefined)[]) => {
  const counts: Record<string, number> = {}
  for (const each of await Promise.all(all)) counts[each?.kind ?? ''] = (counts[each?.kind ?? ''] ?? 0) + 1
  return counts
}

export function limitTests(start: StartEngine): void {
  it('refuses beyond budget or rate without leaving a trace on the slot', async () => {
    const { ledger, advance } = await start()
    expect(await ledger.admit(admission({ budget: budgetOf(0) }))).toEqual({ kind: 'budget', budget: 'write', max: 0 })
    expect(await slotAt(ledger, 'slot-1')).toBeUndefined()
    const rate = { scope: 'tool', windowMs: day, max: 1 }
    expect(await ledger.admit(admission({ rate }))).toMatchObject({ kind: 'admitted' })
    const next = admission({ rate, slot: slot({ key: 'slot-2' }) })
    const refused = await ledger.admit(next)
    expect(refused).toMatchObject({ kind: 'rate' })
    expect(refused.kind === 'rate' && refused.retryAfterMs > 0 && refused.retryAfterMs <= rate.windowMs).toBe(true)
    expect(await slotAt(ledger, 'slot-2')).toBeUndefined()
    await advance(rate.windowMs)
    expect(await ledger.admit(next)).toMatchObject({ kind: 'admitted' })
  })

  it('admits exactly as many as the budget has when several processes ask at once [budget-per-run]', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer(), await peer()]
    const budget = budgetOf(7)
    const ask = (number: number) => ledgers[number % 3]?.admit(distinct(number, { budget }))
    expect(await kinds(Array.from({ length: 50 }, (_, n) => ask(n + 1)))).toEqual({ admitted: 7, budget: 43 })
    expect(await ledger.calls({})).toHaveLength(7)
    const [first] = await ledger.calls({ limit: 1 })
    const number = Number(first?.id.slice(-12))
    await settleOn(ledger, { callId: callId(number), slotKey: `slot-${number}`, budget, ...declined })
    expect(await kinds(Array.from({ length: 9 }, (_, n) => ask(n + 100)))).toEqual({ admitted: 1, budget: 8 })
  })

  it('admits exactly as many as the rate allows when several processes ask at once [rate-window]', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer(), await peer()]
    const rate = { scope: 'tool', windowMs: day, max: 11 }
    const ask = (number: number) => ledgers[number % 3]?.admit(distinct(number, { rate }))
    expect(await kinds(Array.from({ length: 50 }, (_, n) => ask(n + 1)))).toEqual({ admitted: 11, rate: 39 })
  })

  it('counts rates by tenant and scope, in windows that begin at whole multiples', async () => {
    const { ledger, advance } = await start()
    const rate = { scope: 'tool', windowMs: day, max: 1 }
    expect(await ledger.admit(distinct(1, { rate }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.admit(distinct(2, { rate: { ...rate, scope: 'other' } }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.admit(distinct(3, { rate, tenant: 'globex' }))).toMatchObject({ kind: 'admitted' })
    const refused = await ledger.admit(distinct(4, { rate }))
    if (refused.kind !== 'rate') throw new Error(`Admitted beyond the rate: ${refused.kind}`)
    await advance(refused.retryAfterMs)
    expect(await ledger.admit(distinct(4, { rate }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.admit(distinct(5, { rate }))).toMatchObject({ kind: 'rate' })
  })

  it('judges each call by its own limit when calls with other limits come at once', async () => {
    const { ledger } = await start()
    const ask = (number: number, budget: number, rate: number) =>
      ledger.admit(distinct(number, { budget: budgetOf(budget), rate: { scope: 'tool', windowMs: day, max: rate } }))
    expect(await kinds([ask(1, 1, 9), ask(2, 1, 9), ask(3, 9, 1), ask(4, 9, 9)])).toEqual({
      admitted: 2,
      budget: 1,
      rate: 1,
    })
  })

  it('counts budgets by tenant, run and kind', async () => {
    const { ledger } = await start()
    expect(await ledger.admit(distinct(1, { budget: budgetOf(1) }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.admit(distinct(2, { budget: budgetOf(1) }))).toMatchObject({ kind: 'budget', max: 1 })
    const others = [{ budget: budgetOf(1, { run: 'run-2' }) }, { budget: budgetOf(1, { kind: 'critical' }) }]
    for (const [index, change] of [...others, { budget: budgetOf(1), tenant: 'globex' }].entries()) {
      expect(await ledger.admit(distinct(index + 3, change))).toMatchObject({ kind: 'admitted' })
    }
    expect(await ledger.admit(distinct(9, { budget: undefined }))).toMatchObject({ kind: 'admitted' })
  })

  it('gives a budget back when nothing happened, and never a rate', async () => {
    const { ledger } = await start()
    const budget = budgetOf(1)
    const rate = { scope: 'tool', windowMs: day, max: 2 }
    await ledger.admit(admission({ budget, rate }))
    expect(await ledger.admit(distinct(2, { budget, rate }))).toMatchObject({ kind: 'budget' })
    await settleOn(ledger, { budget, ...declined })
    expect(await ledger.admit(distinct(2, { budget, rate }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.admit(distinct(3, { budget: undefined, rate }))).toMatchObject({ kind: 'rate' })
  })

  it('gives a budget back once, and not for what happened or is unknown', async () => {
    const { ledger } = await start()
    const budget = budgetOf(2)
    await ledger.admit(distinct(1, { budget }))
    await ledger.admit(distinct(2, { budget }))
    const end = { callId: callId(1), slotKey: 'slot-1', budget }
    await settleOn(ledger, { ...end, ...retryable })
    await settleOn(ledger, { ...end, ...retryable })
    await settleOn(ledger, { ...end, ...declined })
    await settleOn(ledger, { ...end, callId: callId(2), slotKey: 'slot-2' })
    expect(await kinds([3, 4, 5].map((n) => ledger.admit(distinct(n, { budget }))))).toEqual({ admitted: 1, budget: 2 })
  })

  it('lets reads use all of their budget and no more, one by one or at once', async () => {
    const { ledger } = await start()
    const oneByOne = budgetOf(9, { kind: 'read' })
    const answers: string[] = []
    for (let n = 0; n < 11; n++) answers.push((await ledger.admit(read({ budget: oneByOne }))).kind)
    expect(answers).toEqual([...Array.from({ length: 9 }, () => 'admitted'), 'budget', 'budget'])
    const atOnce = budgetOf(20, { kind: 'read', run: 'run-2' })
    const ask = (count: number) => kinds(Array.from({ length: count }, () => ledger.admit(read({ budget: atOnce }))))
    expect(await ask(15)).toEqual({ admitted: 15 })
    expect(await ask(15)).toEqual({ admitted: 5, budget: 10 })
  })

  it('refuses a read beyond its rate with the time to wait', async () => {
    const { ledger } = await start()
    const rate = { scope: 'tool', windowMs: day, max: 3 }
    expect(await kinds([1, 2, 3, 4].map(() => ledger.admit(read({ rate, budget: undefined }))))).toEqual({
      admitted: 3,
      rate: 1,
    })
    const refused = await ledger.admit(read({ rate, budget: undefined }))
    expect(refused.kind === 'rate' && refused.retryAfterMs > 0 && refused.retryAfterMs <= day).toBe(true)
  })

  it('counts a paid read at once and for everybody', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer(), await peer()]
    const budget = budgetOf(5, { kind: 'read' })
    expect(
      await kinds(Array.from({ length: 12 }, (_, n) => ledgers[n % 3]?.admit(read({ exact: true, budget })))),
    ).toEqual({ admitted: 5, budget: 7 })
  })
}
