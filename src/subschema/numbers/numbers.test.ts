import { expect, it } from 'vitest'
import { createSeeded } from '../generate/seeded.ts'
import { takeLiteral } from '../solver/engine.ts'
import type { Literal } from '../solver/formula.ts'
import { fitsNumber, openNumbers } from './numbers.ts'

const grid = Array.from({ length: 481 }, (_, index) => (index - 240) / 20)
const steps = [1, 2, 3, 0.5, 1.5, 0.1, 0.25, 0.05, 7]

function randomLiteral({ below, pick, chance }: ReturnType<typeof createSeeded>): Literal {
  switch (below(4)) {
    case 0:
      return { kind: 'above', bound: pick(grid), open: chance(0.5) }
    case 1:
      return { kind: 'below', bound: pick(grid), open: chance(0.5) }
    case 2:
      return { kind: 'multiple', of: pick(steps), holds: chance(0.5) }
    default:
      return { kind: 'in', values: [pick(grid), pick(grid)], holds: chance(0.2) }
  }
}

it('agrees with trying every number of a fine grid, for any constraints together', () => {
  const seeded = createSeeded(17)
  const wrong: string[] = []
  for (let round = 0; round < 3000; round++) {
    const literals = Array.from({ length: 1 + seeded.below(5) }, () => randomLiteral(seeded))
    const domain = openNumbers()
    const refused = literals.map((literal) => takeLiteral(domain, literal)).includes(false)
    const outcome = domain.solve()
    const example = grid.find((value) => literals.every((literal) => fitsNumber(literal, value)))
    const isWrong =
      outcome.kind === 'value'
        ? refused || !literals.every((literal) => fitsNumber(literal, outcome.value as number))
        : example !== undefined || outcome.kind === 'unknown'
    if (isWrong || (refused && example !== undefined))
      wrong.push(JSON.stringify({ literals, outcome, refused, example }))
  }
  expect(wrong).toEqual([])
})

it.each([
  [
    [
      { kind: 'multiple', of: 1e-300, holds: true },
      { kind: 'above', bound: 1e300, open: false },
    ],
  ],
  [
    [
      { kind: 'multiple', of: 1, holds: true },
      { kind: 'above', bound: 2 ** 53, open: true },
    ],
  ],
  [
    [
      { kind: 'above', bound: 0.1, open: true },
      { kind: 'below', bound: 0.10000000000000002, open: true },
    ],
  ],
] as readonly (readonly [readonly Literal[]])[])('never calls empty what only doubles cannot reach: %j', (literals) => {
  const domain = openNumbers()
  for (const literal of literals) takeLiteral(domain, literal)
  expect(domain.solve().kind).not.toBe('empty')
})

it('hands out different numbers, all that there are where they are few', () => {
  const seeded = createSeeded(29)
  const wrong: string[] = []
  for (let round = 0; round < 500; round++) {
    const literals = Array.from({ length: 1 + seeded.below(4) }, () => randomLiteral(seeded))
    const domain = openNumbers()
    if (literals.map((literal) => takeLiteral(domain, literal)).includes(false)) continue
    const { values, complete } = domain.several(12)
    const numbers = values as readonly number[]
    const fits = (value: number): boolean => literals.every((literal) => fitsNumber(literal, value))
    const isMissing = complete && grid.some((value) => fits(value) && !numbers.includes(value))
    if (isMissing || !numbers.every(fits) || new Set(numbers).size < numbers.length || numbers.length > 12) {
      wrong.push(JSON.stringify({ literals, values, complete }))
    }
  }
  expect(wrong).toEqual([])
})
