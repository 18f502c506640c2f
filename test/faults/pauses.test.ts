// The measure of owners that only sleep, held to account itself: it finds an owner that acts without asking, and knows the one window in
// which asking does not help.
import { describe, expect, it } from 'vitest'
import { wasInWindow } from '../../bench/pauses/pause-run.ts'
import type { Trace } from '../../bench/pauses/paused-process.ts'
import { runPauses } from '../../bench/pauses/run-pauses.ts'

describe('owners that only sleep', () => {
  it.each([
    ['act without asking', 'deaf'],
    ['ask long before they act', 'early'],
  ] as const)('are found out where they %s', { timeout: 120_000 }, async (_what, planted) => {
    const { tally, failures, clean } = await runPauses({
      kinds: ['fn'],
      runs: 8,
      defaults: 0,
      width: 4,
      seed: 17,
      planted,
    })
    expect(failures).toEqual([])
    expect(tally.none_lost).toBe(true)
    expect(tally.effects_twice).toBeGreaterThan(0)
    // A process that looks early may still be stopped right after that.
    if (planted === 'deaf') expect(tally.in_window).toBe(0)
    expect(clean).toBe(false)
  })

  const trace: Trace = {
    calledAt: 0,
    answeredAt: 900,
    beganAt: 10,
    endedAt: 880,
    looks: [],
    refusals: 0,
    stop: { stoppedAt: 20, wokenAt: 860 },
    stillRunning: false,
  }

  it.each([
    ['it looked before it was stopped, and not again', { looks: [15] }, true],
    ['it never looked', { looks: [] }, false],
    ['it looked long before it was stopped', { looks: [15], stop: { stoppedAt: 100, wokenAt: 860 } }, false],
    ['it looked again when it woke, and was let go on', { looks: [15, 870] }, false],
    ['it looked only when it woke', { looks: [870] }, false],
    ['it was never stopped', { looks: [15], stop: undefined }, false],
  ] as const)('are in the window only between their last look and their write: %s', (_what, seen, inWindow) => {
    expect(wasInWindow({ ...trace, ...seen })).toBe(inWindow)
  })
})
