// A quick selection of the faults on every test run, and proof that the judge sees each kind of fault when one is put in.
import { describe, expect, it } from 'vitest'
import { foundAs, type PlantName, plants } from '../../bench/faults/plants.ts'
import { isClean, runFaults } from '../../bench/faults/run-faults.ts'
import { sweptText } from '../../bench/faults/sweep-progress.ts'

const minutes = 60_000

describe('one effect per operation, through every crash', () => {
  it('keeps what it says when the process is killed at every point of a call [TC-155, TC-183, TC-328]', {
    timeout: 5 * minutes,
  }, async () => {
    const result = await runFaults({ quick: true, only: 'killed at every point' })
    expect(result.problems).toEqual([])
    expect(isClean(result)).toBe(true)
    expect(result.points).toBeGreaterThanOrEqual(30)
    expect(result.recovered).toBeGreaterThan(10)
  })

  it('keeps what it says when an executor stands still beyond its lease and wakes up', {
    timeout: 2 * minutes,
  }, async () => {
    const result = await runFaults({ quick: true, only: 'stands still' })
    expect(result.problems).toEqual([])
    expect(result.runs).toBe(4)
  })

  it('finishes or undoes a saga once, killed at any point [TC-007]', { timeout: 10 * minutes }, async () => {
    const result = await runFaults({ quick: true, only: 'a saga' })
    expect(result.problems).toEqual([])
    expect(isClean(result)).toBe(true)
    expect(result.saga_points).toBeGreaterThanOrEqual(20)
    expect(result.saga_runs).toBeGreaterThanOrEqual(90)
  })

  it('gives what it has when it is stopped', { timeout: 2 * minutes }, async () => {
    const stopping = new AbortController()
    const ended: string[] = []
    const result = await runFaults({
      quick: true,
      only: 'killed at every point',
      signal: stopping.signal,
      progress: { begin: () => () => stopping.abort(), end: (swept) => ended.push(sweptText(swept)) },
    })
    expect(result).toMatchObject({ stopped: true, problems: [], stuck: 0 })
    expect(result.runs).toBeGreaterThanOrEqual(1)
    expect(ended).toEqual([expect.stringMatching(/^killed at every point: \d+ runs .*; nothing found.* \(stopped\)$/)])
  })

  it.each(Object.keys(plants) as PlantName[])(
    'finds the planted fault "%s" and names it',
    { timeout: 2 * minutes },
    async (plant) => {
      const result = await runFaults({ quick: true, only: plants[plant].in, plant })
      expect(result[foundAs[plant]]).toBeGreaterThan(0)
      expect(isClean(result)).toBe(false)
      expect(result.problems.join('\n')).toContain(plants[plant].named)
    },
  )
})
