import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isMultipleOf } from '../json/decimal.ts'
import { multipleTest } from './measures.ts'

describe('multipleTest', () => {
  it('counts in decimals, not in binary fractions', () => {
    expect(multipleTest(0.01)(19.99)).toBe(true)
    expect(multipleTest(0.1)(0.3)).toBe(true)
    expect(multipleTest(0.01)(19.999)).toBe(false)
    expect(multipleTest(0.0001)(0.00751)).toBe(false)
    expect(multipleTest(1e-8)(12_391_239_123)).toBe(true)
    expect(multipleTest(0.5)(1e308)).toBe(true)
    expect(multipleTest(0.123456789)(1e308)).toBe(false)
    expect(multipleTest(3)(3 * 2 ** 80)).toBe(isMultipleOf(3 * 2 ** 80, 3))
  })

  it('agrees with exact decimals on any numbers', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.tuple(fc.integer(), fc.integer({ min: -12, max: 4 })).map(([digits, power]) => Number(`${digits}e${power}`)),
    )
    const divisor = fc.oneof(
      fc.constantFrom(0.01, 0.1, 0.5, 0.25, 1, 2, 3, 7, 10, 100, 1e-7, 1e21, 0.3, 123.456),
      fc.double({ min: 1e-300, max: 1e300, noNaN: true }),
    )
    fc.assert(
      fc.property(number, divisor, (value, by) => {
        expect(multipleTest(by)(value)).toBe(isMultipleOf(value, by))
        const product = Number((value * by).toPrecision(12))
        if (Number.isFinite(product)) expect(multipleTest(by)(product)).toBe(isMultipleOf(product, by))
      }),
      { numRuns: 2000 },
    )
  })
})
