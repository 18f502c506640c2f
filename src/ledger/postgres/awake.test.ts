import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { waitAwake } from './awake.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setImmediate', 'clearImmediate'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const isAwake = () => vi.getTimerCount() > 0

/** How many turns it stays awake; it gives up in the last. */
function turnsUntilAsleep(): number {
  let turns = 0
  for (; isAwake() && turns < 1_000; turns++) vi.runOnlyPendingTimers()
  return turns
}

test('a lone statement is waited for awake until it is answered', () => {
  const awake = waitAwake(1, 2)
  expect(isAwake()).toBe(false)
  awake.sent()
  vi.runOnlyPendingTimers()
  expect(isAwake()).toBe(true)
  awake.ended()
  vi.runOnlyPendingTimers()
  expect(isAwake()).toBe(false)
})

test('a statement that follows an answer at once is waited for as long as the first', () => {
  const awake = waitAwake(1, 2)
  awake.sent()
  for (let turn = 0; turn < 40; turn++) vi.runOnlyPendingTimers()
  awake.ended()
  awake.sent()
  expect(vi.getTimerCount()).toBe(1)
  expect(turnsUntilAsleep()).toBe(51)
})

test('nobody stays awake while several are under way', () => {
  const awake = waitAwake(1, 2)
  awake.sent()
  awake.sent()
  expect(turnsUntilAsleep()).toBe(1)
  awake.ended()
  expect(isAwake()).toBe(false)
})

test('where answers take longer than the limit, it is tried ever more seldom', () => {
  const awake = waitAwake(0.1, 2)
  const tried: number[] = []
  for (let statement = 0; statement < 1_000; statement++) {
    awake.sent()
    if (isAwake()) tried.push(statement)
    turnsUntilAsleep()
    awake.ended()
  }
  expect(tried).toStrictEqual([0, 2, 6, 14, 30, 62, 126, 254, 510, 766])
})

test('an answer in time makes good for all that took too long', () => {
  const awake = waitAwake(0.1, 2)
  const slow = () => {
    awake.sent()
    const was = isAwake()
    turnsUntilAsleep()
    awake.ended()
    return was
  }
  for (let statement = 0; statement < 30; statement++) slow()
  // The next that is waited for awake.
  awake.sent()
  expect(isAwake()).toBe(true)
  awake.ended()
  turnsUntilAsleep()
  expect([slow(), slow(), slow()]).toStrictEqual([true, false, true])
})

test('a clock that stands still does not hold the process', () => {
  vi.useRealTimers()
  vi.useFakeTimers({ toFake: ['setImmediate', 'performance'] })
  waitAwake(1, 2).sent()
  expect(turnsUntilAsleep()).toBe(51)
})

test('on one processor, and without a limit, everybody sleeps', () => {
  for (const awake of [waitAwake(1, 1), waitAwake(0, 8)]) {
    awake.sent()
    expect(isAwake()).toBe(false)
    awake.ended()
  }
})

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a limit of %s is refused', (limitMs) => {
  expect(() => waitAwake(limitMs, 2)).toThrow(/Give milliseconds, or 0 to wait asleep/)
})
