import { expect, it } from 'vitest'
import type { JsonObject } from '../../json/value.ts'
import { preprocess } from '../preprocess.ts'

const chain = (length: number): JsonObject => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `d${index}`,
      index + 1 === length ? { type: 'string' } : { allOf: [{ $ref: `#/$defs/d${index + 1}` }] },
    ]),
  ),
})

it('takes chains of references in one value as long as calls can nest, and refuses longer ones by their place', () => {
  expect(preprocess(chain(400)).ok).toBe(true)
  const long = preprocess(chain(3_000))
  expect(long.ok ? [] : long.refusals).toMatchObject([{ construct: '$ref', message: expect.stringContaining('chain') }])
})

it('refuses references that lead back without going into the value, and no others', () => {
  const back = {
    $ref: '#/$defs/a',
    $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } },
  }
  expect(preprocess(back).ok).toBe(false)
  const down = { $ref: '#/$defs/a', $defs: { a: { properties: { next: { $ref: '#/$defs/a' } } } } }
  expect(preprocess(down).ok).toBe(true)
})
