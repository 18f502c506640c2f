import { describe, expect, it } from 'vitest'
import { impatient, patient, pauseAfter, pausesOf, sagaLookMs } from './pauses.ts'

describe('pauses', () => {
  it('double with each failure up to their bound, and are as long as the refusal asks for, up to an hour', () => {
    const pauses = pausesOf({ firstPauseMs: 10, longestPauseMs: 50 }, patient)
    expect([1, 2, 3, 4, 400].map((failures) => pauseAfter(failures, pauses, undefined))).toEqual([10, 20, 40, 50, 50])
    expect(pauseAfter(1, pauses, 1_000)).toBe(1_000)
    expect(pauseAfter(1, pauses, 3_600_001)).toBe(3_600_000)
    expect(pauseAfter(1, pauses, Number.POSITIVE_INFINITY)).toBe(3_600_000)
    expect(pauseAfter(1, pauses, Number.NaN)).toBe(10)
    expect(pausesOf(undefined, impatient)).toEqual(impatient)
  })

  it('are short for what has just begun to wait, and never longer than ten seconds', () => {
    expect(sagaLookMs(0)).toBe(250)
    expect(sagaLookMs(-5_000)).toBe(250)
    expect(sagaLookMs(4_000)).toBe(2_000)
    expect(sagaLookMs(86_400_000)).toBe(10_000)
  })
})
