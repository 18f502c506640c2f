// A short fuzz on every test run, and proof that the fuzzer sees each kind of fault when one is put in.
import { describe, expect, it } from 'vitest'
import { type PlantName, plants } from '../bench/fuzz/plants.ts'
import { isClean, runFuzz } from '../bench/fuzz/run-fuzz.ts'

describe('fuzzing the path from argument text to executor', () => {
  it('finds no exception, no slow call, nothing let through and nothing refused without cause in 2,000 calls [TC-001, TC-031, TC-407]', async () => {
    const result = await runFuzz({ count: 2_000, seed: 20_261_115 })
    expect(result.offences).toEqual([])
    expect(isClean(result)).toBe(true)
    expect(result.executed).toBeGreaterThan(200)
    expect(Object.keys(result.by_class)).toEqual(
      expect.arrayContaining([
        'SUCCESS',
        'SYNTACTIC_PARSE_FAIL',
        'STRUCTURAL_VIOLATION',
        'TYPE_MISMATCH',
        'OUT_OF_BOUNDS',
      ]),
    )
  })

  it('draws the same calls from the same seed', async () => {
    const [one, two] = [await runFuzz({ count: 300, seed: 7 }), await runFuzz({ count: 300, seed: 7 })]
    expect(two.by_kind).toEqual(one.by_kind)
    expect(two.by_class).toEqual(one.by_class)
  })

  it.each(Object.keys(plants) as PlantName[])('finds the planted fault "%s"', async (plant) => {
    const count = plant === 'slow' ? 5 : 300
    const result = await runFuzz({ count, seed: 3, plant })
    expect(result[plants[plant].finds]).toBeGreaterThan(0)
    expect(isClean(result)).toBe(false)
  })
})
