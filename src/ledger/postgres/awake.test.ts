import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Awake, waitAwake } from './awake.ts'

/** The clock of these tests goes by a microsecond each time that somebody looks. */
const lookMs = 0.001
let now = 1_000
let readings = 0
let pending: (() => void)[] = []

beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => {
    readings++
    now += lookMs
    return now
  })
  vi.stubGlobal('setImmediate', (turn: () => void) => {
    pending.push(turn)
  })
})
afterEach(() => {
  expect(pending).toHaveLength(0)
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const isAwake = () => pending.length > 0

/** One turn of the event loop, in which others work for so long; gives how long it paused. */
function turn(othersMs = 0): number {
  now += othersMs
  const before = now
  const due = pending
  pending = []
  for (const run of due) run()
  return now - before
}

/** For how long it stays awake. */
function untilAsleep(othersMs = 0): number {
  const before = now
  for (let turns = 0; isAwake() && turns < 100_000; turns++) turn(othersMs)
  return now - before
}

/** One that is answered too late; whether it was waited for awake. */
function slow(awake: Awake): boolean {
  awake.sent()
  const was = isAwake()
  untilAsleep()
  awake.ended()
  return was
}

/** One that is answered at once; whether it was waited for awake. */
function quick(awake: Awake): boolean {
  awake.sent()
  const was = isAwake()
  awake.ended()
  untilAsleep()
  return was
}

test('a lone change is waited for awake until it is answered', () => {
  const awake = waitAwake(1, 2)
  expect(isAwake()).toBe(false)
  awake.sent()
  for (let turns = 0; turns < 3; turns++) {
    expect(turn()).toBeGreaterThan(0.02)
    expect(isAwake()).toBe(true)
  }
  awake.ended()
  expect(turn()).toBeLessThan(0.01)
  expect(isAwake()).toBe(false)
})

test('one that is not answered is waited for no longer than the limit', () => {
  const awake = waitAwake(1, 2)
  awake.sent()
  expect(untilAsleep()).toBeCloseTo(1, 1)
  awake.ended()
})

test('one that follows an answer at once is waited for as long as the first', () => {
  const awake = waitAwake(1, 2)
  awake.sent()
  for (let turns = 0; turns < 20; turns++) turn()
  awake.ended()
  awake.sent()
  expect(pending).toHaveLength(1)
  expect(untilAsleep()).toBeCloseTo(1, 1)
  awake.ended()
})

test('the hundredth is waited for as long as the first', () => {
  const awake = waitAwake(1, 2)
  for (let changes = 0; changes < 100; changes++) {
    awake.sent()
    for (let turns = 0; turns < 20; turns++) turn()
    expect(isAwake()).toBe(true)
    awake.ended()
    untilAsleep()
  }
})

test('nothing is taken from others who have work', () => {
  const awake = waitAwake(1, 2)
  awake.sent()
  for (let turns = 0; turns < 10; turns++) expect(turn(0.05)).toBeLessThan(0.01)
  expect(untilAsleep(0.05)).toBeLessThan(1)
  awake.ended()
})

test('nobody stays awake while several are under way, of whatever ledger', () => {
  const one = waitAwake(1, 2)
  const other = waitAwake(1, 2)
  one.sent()
  other.sent()
  expect(turn()).toBeLessThan(0.01)
  expect(isAwake()).toBe(false)
  one.ended()
  other.ended()
  expect(quick(other)).toBe(true)
})

test('where answers take longer than the limit, it is tried ever more seldom', () => {
  const awake = waitAwake(0.1, 2)
  const tried = Array.from({ length: 1_100 }, (_, number) => (slow(awake) ? number : -1)).filter(
    (number) => number >= 0,
  )
  expect(tried).toStrictEqual([0, 3, 10, 25, 56, 119, 246, 501, 756, 1011])
})

test('where admissions are answered in time and ends are not, admissions are waited for awake', () => {
  const awake = waitAwake(0.1, 2)
  let inTime = 0
  for (let calls = 0; calls < 300; calls++) {
    if (quick(awake)) inTime++
    slow(awake)
  }
  expect(inTime).toBeGreaterThan(90)
})

test('an answer in time makes good for all that took too long', () => {
  const awake = waitAwake(0.1, 2)
  for (let number = 0; number < 56; number++) slow(awake)
  expect(quick(awake)).toBe(true)
  expect([slow(awake), slow(awake), slow(awake), slow(awake)]).toStrictEqual([true, false, false, true])
})

test('an answer that came while others were at work for too long does not', () => {
  const awake = waitAwake(0.1, 2)
  for (let number = 0; number < 56; number++) slow(awake)
  awake.sent()
  now += 5
  awake.ended()
  untilAsleep()
  expect(slow(awake)).toBe(true)
  expect(Array.from({ length: 62 }, () => slow(awake))).not.toContain(true)
})

test('a clock that stands still does not hold the process', () => {
  vi.spyOn(performance, 'now').mockImplementation(() => {
    readings++
    return now
  })
  const awake = waitAwake(1, 2)
  awake.sent()
  readings = 0
  untilAsleep()
  expect(readings).toBeLessThan(2_000_000)
  expect(isAwake()).toBe(false)
  awake.ended()
})

test('where a clock stands still, it is tried ever more seldom', () => {
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const awake = waitAwake(0.01, 2)
  const tried = Array.from({ length: 60 }, (_, number) => (slow(awake) ? number : -1)).filter((number) => number >= 0)
  expect(tried).toStrictEqual([0, 3, 10, 25, 56])
})

test('on one processor, and without a limit, everybody sleeps', () => {
  for (const awake of [waitAwake(1, 1), waitAwake(0, 8)]) expect(quick(awake)).toBe(false)
})

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a limit of %s is refused', (limitMs) => {
  expect(() => waitAwake(limitMs, 2)).toThrow(/Give milliseconds, or 0 to wait asleep/)
})
