import { expect, it } from 'vitest'
import { type Pair, scorePair, sumUp } from './score.ts'

const pair = (id: string, lhs: Pair['lhs'], rhs: Pair['rhs'], expected: boolean): Pair => ({
  id,
  draft: 'draft7',
  lhs,
  rhs,
  expected,
})

const pairs: readonly Pair[] = [
  pair('right', { const: 1 }, { type: 'integer' }, true),
  pair('wrong', { type: 'integer' }, { const: 1 }, false),
  pair('labelled false, though true', { const: 1 }, { type: 'integer' }, false),
  pair('labelled true, though false', { type: 'integer' }, { const: 1 }, true),
  pair('beyond us', { $ref: 'https://example.com/x' }, true, true),
]

it('counts every answer against its label, and the time it took', () => {
  let now = 0
  const scores = pairs.map((one) => scorePair(one, { now: () => now++ }))
  expect(scores.map(({ standing }) => standing)).toEqual(['proven', 'refuted', 'unsound', 'incomplete', 'unsupported'])
  expect(sumUp(scores)).toMatchObject({
    pairs: 5,
    proven: 1,
    refuted: 1,
    unsound: 1,
    incomplete: 1,
    unsupported: 1,
    witnesses_bad: 0,
    labels_wrong: 0,
    correct_share: 0.4,
    median_ms: 1,
  })
})

it('counts a witness that the second opinion does not confirm', () => {
  const score = scorePair(pairs[1] as Pair, { now: () => 0, confirms: () => false })
  expect(sumUp([score])).toMatchObject({ refuted: 1, witnesses_bad: 1 })
})

it('sums up nothing without dividing by it', () => {
  expect(sumUp([])).toMatchObject({ pairs: 0, correct_share: 0, median_ms: 0, p99_ms: 0 })
})
