import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountText, currencyOf, inMillionths, readAmount } from './money.ts'

const millionths = (value: unknown, decimals?: number) => {
  const amount = readAmount(value)
  return amount === undefined ? 'no amount' : inMillionths(amount, decimals)
}

describe('money in counters', () => {
  it.each([
    [0.1, undefined, 100_000],
    ['19.99', undefined, 19_990_000],
    [1250, 2, 12_500_000],
    [0, undefined, 0],
    ['0.000000', undefined, 0],
    [0.000001, undefined, 1],
    ['9007199254.740991', undefined, Number.MAX_SAFE_INTEGER],
    [-5, undefined, -5_000_000],
    [123456789, 6, 123456789],
  ])('counts %s with %s decimals as %s', (value, decimals, counted) => {
    expect(millionths(value, decimals)).toBe(counted)
  })

  it.each([[0.0000001], ['9007199254.740992'], [1e300], ['0.10000001'], [1e10]])(
    'does not round %s: it does not fit',
    (value) => {
      expect(millionths(value)).toBeUndefined()
    },
  )

  it.each([
    ['1e3'],
    ['+1'],
    [' 1'],
    ['1.'],
    [''],
    ['١'],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [null],
    [true],
    [{}],
    ['-'],
    ['0x1'],
  ])('takes %s for no amount', (value) => {
    expect(millionths(value)).toBe('no amount')
  })

  it('prints what it reads', () => {
    fc.assert(
      fc.property(fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }), (counted) => {
        expect(millionths(amountText(counted))).toBe(counted === 0 ? 0 : counted)
      }),
    )
    expect([12_500_000, 1, 100, 0, -250_000].map(amountText)).toEqual(['12.5', '0.000001', '0.0001', '0', '-0.25'])
  })

  it('takes a currency in either case for the same one, and nothing else for one', () => {
    expect(['EUR', 'eur', 'usdc', 'E', '€', 'EU R', 5, '__proto__'].map(currencyOf)).toEqual([
      'EUR',
      'EUR',
      'USDC',
      ...Array.from({ length: 5 }, () => undefined),
    ])
  })
})
