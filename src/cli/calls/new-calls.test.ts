// Following calls: none is missed that shows late, none is told twice, and one that gets on is told again.
import { expect, it } from 'vitest'
import type { CallQuery, CallRecord } from '../../ledger/ports/calls.ts'
import { newCalls } from './new-calls.ts'

const idAt = (ms: number, more = 0) => {
  const stamp = (1_790_000_000_000 + ms).toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7000-8000-${String(more).padStart(12, '0')}`
}
const call = (id: string, status: CallRecord['status'] = 'SUCCESS') =>
  ({ id, passes: 1, status, effect: 'none' }) as CallRecord

function ledgerOf(calls: Map<string, CallRecord>) {
  return {
    async list(query: CallQuery) {
      const fitting = [...calls.values()].filter(({ id }) => query.after === undefined || id > query.after)
      return fitting.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, query.limit)
    },
  }
}

/** Follows while each step changes what is on record, and gives what every step showed. */
async function follow(calls: Map<string, CallRecord>, limit: number, steps: readonly (() => void)[]) {
  const ledger = ledgerOf(calls)
  const ending = new AbortController()
  const shown: string[][] = []
  const left = [...steps]
  const following = { query: { limit }, signal: ending.signal, onSilence: () => {} }
  for await (const batch of newCalls(ledger, following)) {
    shown.push(batch.map(({ id, status }) => `${id} ${status}`))
    const step = left.shift()
    if (step === undefined) ending.abort()
    else step()
  }
  return { shown }
}

const mapOf = (...calls: readonly CallRecord[]) => new Map(calls.map((one) => [one.id, one]))

it('begins with the newest, and then tells of every call once, also of one that shows after a later one', async () => {
  const calls = mapOf(call(idAt(1)), call(idAt(2)), call(idAt(3)))
  const { shown } = await follow(calls, 2, [
    () => calls.set(idAt(50), call(idAt(50))),
    () => calls.set(idAt(40), call(idAt(40))),
  ])
  expect(shown).toEqual([
    [`${idAt(2)} SUCCESS`, `${idAt(3)} SUCCESS`],
    [`${idAt(50)} SUCCESS`],
    [`${idAt(40)} SUCCESS`],
  ])
})

it('tells of a call again when it has got on', async () => {
  const calls = mapOf(call(idAt(1), 'RUNNING'))
  const { shown } = await follow(calls, 10, [() => calls.set(idAt(1), call(idAt(1)))])
  expect(shown).toEqual([[`${idAt(1)} RUNNING`], [`${idAt(1)} SUCCESS`]])
})

it('goes on asking a ledger that does not answer, and says so once', async () => {
  const calls = mapOf(call(idAt(1)))
  const ledger = ledgerOf(calls)
  let failures = 0
  const failing = {
    list: (query: CallQuery) =>
      query.after !== undefined && failures++ < 2 ? Promise.reject(new Error('gone')) : ledger.list(query),
  }
  const ending = new AbortController()
  const silences: unknown[] = []
  const follow = { query: { limit: 10 }, signal: ending.signal, onSilence: (error: unknown) => silences.push(error) }
  const shown: number[] = []
  for await (const batch of newCalls(failing, follow)) {
    shown.push(batch.length)
    calls.set(idAt(2), call(idAt(2)))
    if (shown.length === 2) ending.abort()
  }
  expect(shown).toEqual([1, 1])
  expect(silences).toHaveLength(1)
})

it('reaches back over more calls than one page holds, oldest first', async () => {
  const calls = mapOf(call(idAt(0)))
  const { shown } = await follow(calls, 1, [
    () => {
      for (let at = 1; at <= 1_200; at++) calls.set(idAt(at), call(idAt(at)))
    },
  ])
  expect(shown[1]).toHaveLength(1_200)
  expect(shown[1]?.[0]).toContain(idAt(1))
})
