// How waiting items become batches: how many are under way, and how large each is.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createBatcher } from './batch.ts'

/** Keeps every batch until it is told to answer it. */
function database(change: { readonly maxItems?: number; key?(item: number): string | undefined } = {}) {
  const underWay: { readonly items: readonly number[]; readonly answer: () => void }[] = []
  const send = (items: readonly number[]) =>
    new Promise<readonly number[]>((resolve) => underWay.push({ items, answer: () => resolve(items) }))
  const batcher = createBatcher<number, number>({ send, maxItems: 128, maxInFlight: 3, patienceMs: 0, ...change })
  const add = (count: number) => Array.from({ length: count }, (_, item) => batcher.add(item))
  return {
    add,
    batcher,
    sizes: () => underWay.map(({ items }) => items.length),
    next: () => underWay.shift()?.answer(),
  }
}

it('sends what comes alone at once, and what comes meanwhile together', async () => {
  const { add, sizes } = database()
  add(1)
  await Promise.resolve()
  expect(sizes()).toEqual([1])
  add(5)
  await nextTurn()
  expect(sizes()).toEqual([1, 5])
})

it.each([
  [30, [24, 6]],
  [72, [24, 24, 24]],
  [73, [37, 36]],
  [256, [128, 128]],
  [400, [128, 128]],
] as const)('of %i that come together sends parts of %j', async (count, parts) => {
  const { add, sizes } = database()
  add(count)
  await nextTurn()
  expect(sizes()).toEqual(parts)
})

it('answers every call in the end, each by its own', async () => {
  const { add, batcher, next, sizes } = database()
  const answers = Promise.all(add(300))
  await nextTurn()
  while (sizes().length > 0) {
    next()
    await nextTurn()
  }
  expect(await answers).toEqual(Array.from({ length: 300 }, (_, item) => item))
  await batcher.idle()
})

it('keeps items of one key apart', async () => {
  const { add, sizes } = database({ key: (item) => (item < 3 ? 'same' : undefined) })
  add(6)
  await nextTurn()
  expect(sizes()).toEqual([4, 1, 1])
})

it('lets what fails for one item hurt no other', async () => {
  const batcher = createBatcher<number, number>({
    send: (items) => (items.includes(5) ? Promise.reject(new Error('no such item')) : Promise.resolve(items)),
    maxItems: 128,
    maxInFlight: 3,
    patienceMs: 0,
  })
  const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, item) => batcher.add(item)))
  expect(ends.flatMap(({ status }, item) => (status === 'rejected' ? [item] : []))).toEqual([5])
})

it.each([
  ['a deadlock', '40P01', true],
  ['a lost connection', 'ECONNRESET', false],
])('without patience for a database that is gone, %s is sent again: %s %s', async (_what, code, isSentAgain) => {
  let sent = 0
  const batcher = createBatcher<number, number>({
    async send(items) {
      if (++sent < 3) throw Object.assign(new Error('refused'), { code })
      return items
    },
    maxItems: 128,
    maxInFlight: 3,
    patienceMs: 0,
  })
  const [end] = await Promise.allSettled([batcher.add(1)])
  expect([end?.status, sent]).toEqual(isSentAgain ? ['fulfilled', 3] : ['rejected', 1])
})
