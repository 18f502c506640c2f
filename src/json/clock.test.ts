import { describe, expect, it } from 'vitest'
import { type Clock, epochMs, forwardClock, manualClock, systemClock, toIso } from './clock.ts'

describe('clocks', () => {
  it('of the system tell the time and never measure a negative duration', () => {
    const before = systemClock.monotonic()
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000)
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before)
  })

  it('that only go forward keep what they have reached, also in steps of less than a millisecond', () => {
    let [wall, monotonic] = [1_000, 0]
    const clock = forwardClock({ now: () => wall, monotonic: () => monotonic } as unknown as Clock)
    expect(clock.now()).toBe(1_000)
    wall = 5_000
    expect(clock.now()).toBe(5_000)
    wall = 0
    expect(clock.now()).toBe(5_000)
    for (let step = 0; step < 100; step++) {
      monotonic += 0.5
      clock.now()
    }
    expect(clock.now()).toBe(5_050)
  })

  it('of a test move only when told to', () => {
    const clock = manualClock(Date.UTC(2026, 10, 15, 8))
    expect(toIso(clock.now())).toBe('2026-11-15T08:00:00.000Z')
    const before = clock.monotonic()
    clock.advance(1_500.5)
    expect(toIso(clock.now())).toBe('2026-11-15T08:00:01.500Z')
    expect(clock.monotonic() - before).toBe(1_500.5)
    expect(() => clock.advance(-1)).toThrow(RangeError)
    expect(() => clock.advance(Number.NaN)).toThrow(RangeError)
  })

  it('write an instant as Date does, in and out of the second before', () => {
    for (const at of [
      0, 7, 999, 1_000, 1_794_776_008_022, 1_794_776_008_099, 1_794_776_009_000, -1, 253_402_300_800_001,
    ])
      expect(toIso(epochMs(at))).toBe(new Date(at).toISOString())
    expect(() => toIso(9e15 as ReturnType<typeof epochMs>)).toThrow(RangeError)
  })

  it('deal in whole milliseconds', () => {
    expect(epochMs(12.9)).toBe(12)
    expect(() => epochMs(Number.NaN)).toThrow(RangeError)
  })
})
