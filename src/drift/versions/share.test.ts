import { describe, expect, it, test } from 'vitest'
import { canaryPlace, getsCanary } from './share.ts'

const runs = Array.from({ length: 10_000 }, (_, index) => `run-${index}`)
const taken = (share: number, tool = 'order') =>
  runs.filter((run) => getsCanary({ version: '2.0.0', share }, { tenant: 'acme', run }, tool))

describe('the share of a canary', () => {
  test.each([0, 0.001, 0.1, 0.5, 1])('of %f is met by 10,000 runs within six deviations', (share) => {
    const deviation = Math.sqrt(runs.length * share * (1 - share))
    expect(Math.abs(taken(share).length - runs.length * share)).toBeLessThanOrEqual(6 * deviation)
  })

  it('takes exactly the runs whose place lies below it, and a larger one only adds runs', () => {
    expect(taken(0.1)).toEqual(runs.filter((run) => canaryPlace('acme', run, 'order') < 0.1))
    const half = new Set(taken(0.5))
    expect(taken(0.1).every((run) => half.has(run))).toBe(true)
  })

  it('is the same in every process: these places are fixed', () => {
    expect(canaryPlace('acme', 'run-1', 'order').toFixed(12)).toBe('0.554260530637')
    for (const run of runs) {
      const place = canaryPlace('acme', run, 'order')
      expect(place >= 0 && place < 1).toBe(true)
    }
  })

  it('is drawn for each tool and each tenant on its own', () => {
    const both = new Set(taken(0.5, 'refund'))
    const shared = taken(0.5).filter((run) => both.has(run)).length
    expect(Math.abs(shared - 2_500)).toBeLessThan(6 * Math.sqrt(10_000 * 0.25 * 0.75))
    expect(canaryPlace('acme', 'run-1', 'order')).not.toBe(canaryPlace('globex', 'run-1', 'order'))
    // Fields do not run into each other.
    expect(canaryPlace('a', 'bc', 'd')).not.toBe(canaryPlace('ab', 'c', 'd'))
  })

  test.each([
    [{ share: 1 }, { tenant: 'globex', run: undefined }, true],
    [{ share: 0.999 }, { tenant: 'globex', run: undefined }, false],
    [{ share: 1, tenants: ['acme'] }, { tenant: 'globex', run: 'run-1' }, false],
    [{ share: 1, tenants: ['acme'] }, { tenant: 'acme', run: 'run-1' }, true],
    [{ share: 0, tenants: ['acme'] }, { tenant: 'acme', run: 'run-1' }, false],
    [{ share: 1, tenants: [] }, { tenant: 'acme', run: 'run-1' }, false],
  ] as const)('with %j gives %j the canary: %s', (canary, who, expected) => {
    expect(getsCanary({ version: '2.0.0', ...canary }, who, 'order')).toBe(expected)
  })
})
