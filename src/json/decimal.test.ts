import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareDecimals, decimalOf, exactNumber, isMultipleOf } from './decimal.ts'
import { readJson } from './read.ts'

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
const digits = (maxLength: number) => fc.stringMatching(/^[0-9]+$/, { maxLength })
const literal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,20}$/)),
    fc.option(digits(20)),
    fc.option(fc.integer({ min: -340, max: 320 })),
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
  )

/** The judge: both numbers as fractions over a common power of ten, in BigInt arithmetic. */
function sameNumber(a: string, b: string): boolean {
  const scale = 800
  return scaled(a, scale) === scaled(b, scale)
}

function scaled(text: string, scale: number): bigint {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const value = BigInt(`${whole}${fraction}`) * 10n ** BigInt(scale + Number(exponent) - fraction.length)
  return sign === '-' ? -value : value
}

describe('exactNumber', () => {
  it('accepts a literal exactly when the double prints the same number, as judged by BigInt arithmetic', () => {
    fc.assert(
      fc.property(literal, (text) => {
        const value = Number(text)
        const isExact = Number.isFinite(value) && sameNumber(text, String(value))
        expect(exactNumber(text)).toBe(isExact ? value + 0 : undefined)
        const reading = readJson(text)
        expect(reading.ok ? reading.value : undefined).toBe(isExact ? value + 0 : undefined)
      }),
      { numRuns: 20_000 },
    )
  })

  it('accepts every double as JavaScript prints it', () => {
    fc.assert(
      fc.property(finite, (value) => {
        expect(exactNumber(String(value))).toBe(value + 0)
        expect(readJson(String(value))).toEqual({ ok: true, value: value + 0 })
      }),
      { numRuns: 5_000 },
    )
  })

  it('finds neighbours of large integers inexact', () => {
    expect(exactNumber('9007199254740992')).toBe(9007199254740992)
    expect(exactNumber('9007199254740993')).toBeUndefined()
    expect(exactNumber('18446744073709551615')).toBeUndefined()
    expect(exactNumber('18446744073709552000')).toBe(18446744073709552000)
  })
})

describe('decimalOf', () => {
  it('gives equal values equal fields', () => {
    expect(decimalOf('100')).toEqual({ digits: 1n, exponent: 2 })
    expect(decimalOf('1.00e2')).toEqual(decimalOf(100))
    expect(decimalOf('-0.0')).toEqual({ digits: 0n, exponent: 0 })
    expect(decimalOf(-12.5)).toEqual({ digits: -125n, exponent: -1 })
    expect(decimalOf('0.10000000000000000555')).not.toEqual(decimalOf(0.1))
    expect(decimalOf(5e-324)).toEqual({ digits: 5n, exponent: -324 })
  })

  it('throws on what is no decimal', () => {
    for (const text of ['', 'x', '1.', '.5', '+1', ' 1', '1n', '0x1']) expect(() => decimalOf(text)).toThrow(RangeError)
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) expect(() => decimalOf(value)).toThrow(RangeError)
  })
})

describe('compareDecimals', () => {
  it('orders literals as BigInt arithmetic orders them', () => {
    fc.assert(
      fc.property(literal, literal, (a, b) => {
        const difference = scaled(a, 800) - scaled(b, 800)
        expect(Math.sign(compareDecimals(decimalOf(a), decimalOf(b)))).toBe(
          difference > 0n ? 1 : difference < 0n ? -1 : 0,
        )
      }),
      { numRuns: 3_000 },
    )
  })

  it('does not expand exponents that are far apart', () => {
    expect(compareDecimals(decimalOf('1e999999999'), decimalOf('2e-999999999'))).toBeGreaterThan(0)
    expect(compareDecimals(decimalOf('-1e999999999'), decimalOf('2'))).toBeLessThan(0)
    expect(compareDecimals(decimalOf('-2e999999999'), decimalOf('-2'))).toBeLessThan(0)
  })
})

describe('isMultipleOf', () => {
  it.each([
    [19.99, 0.01, true],
    [0.3, 0.1, true],
    [1.1, 0.1, true],
    [0.35, 0.1, false],
    [-4.5, 1.5, true],
    [0, 0.7, true],
    [7, 0.5, true],
    [7.25, 0.5, false],
    [10, 3, false],
    [9, 3, true],
    [1e308, 1e-308, true],
    [1e-308, 1e308, false],
    [1.5e300, 7, false],
    [1e23, 1e22, true],
    [5, 0, false],
    [Number.NaN, 1, false],
    [1, Number.POSITIVE_INFINITY, false],
  ])('of %d and %d gives %s', (value, divisor, expected) => {
    expect(isMultipleOf(value, divisor)).toBe(expected)
  })

  it('agrees with BigInt arithmetic on any two doubles', () => {
    const cents = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 100)
    fc.assert(
      fc.property(fc.oneof(finite, cents), fc.oneof(finite, cents), (value, divisor) => {
        fc.pre(divisor !== 0)
        expect(isMultipleOf(value, divisor)).toBe(scaled(String(value), 800) % scaled(String(divisor), 800) === 0n)
      }),
      { numRuns: 3_000 },
    )
  })
})
