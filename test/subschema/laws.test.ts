// Random pairs against a small universe and the laws of inclusion, and the harness itself against planted faults.
import { expect, it } from 'vitest'
import { fuzz } from '../../bench/prover/harness.ts'

it('finds nothing unsound, no bad witness and no broken law in random pairs', () => {
  expect(fuzz({ count: 1500, seed: 42 })).toMatchObject({ faults: [], skipped: 0 })
})

it.each(['multipleOf', 'uniqueItems', 'required', 'contains', 'patternProperties', 'oneOf'])(
  'finds out a prover that overlooks %s',
  (plant) => {
    expect(fuzz({ count: 1500, seed: 42, plant }).faults.length).toBeGreaterThan(0)
  },
)

it('asks the same questions for the same seed', () => {
  const { slowest_ms: _, ...first } = fuzz({ count: 50, seed: 3 })
  expect(fuzz({ count: 50, seed: 3 })).toMatchObject(first)
})
