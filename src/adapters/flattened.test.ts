import { expect, it } from 'vitest'
import { flattened, isSame } from './flattened.ts'

const same = (a: unknown, b: unknown) => isSame(flattened(a) ?? [], flattened(b) ?? [0])
const check = () => undefined

it('is equal for equal data and the same functions', () => {
  expect(same({ a: [1, { b: 'x' }], check }, { a: [1, { b: 'x' }], check })).toBe(true)
  expect(same({ check }, { check: () => undefined })).toBe(false)
})

it.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { a: '1' }],
  [{ a: [] }, { a: {} }],
  [{ a: [], b: 1 }, { a: ['b', 1] }],
  [{ a: undefined }, {}],
])('tells %j from %j', (a, b) => {
  expect(same(a, b)).toBe(false)
})

it('is nothing for what cannot be seen through', () => {
  const endless: { self?: unknown } = {}
  endless.self = endless
  expect(flattened(endless)).toBeUndefined()
  expect(flattened({ state: new Map() })).toBeUndefined()
})
