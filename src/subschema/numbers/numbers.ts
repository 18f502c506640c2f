// Numbers: an interval, divisors that must or must not divide, and finite sets, in exact decimals.
// Invariant: empty is decided over all decimals; an example must also be a double that prints as that decimal.
import { type Decimal, decimalOf, exactNumber, isMultipleOf } from '../../json/decimal.ts'
import type { DistinctValues, Domain, ProverEngine } from '../solver/engine.ts'
import { hasValue, type Literal } from '../solver/formula.ts'
import { empty, type Gap, type SearchOutcome, unknown, valueFound } from '../solver/outcome.ts'

interface Bound {
  readonly at: number
  readonly open: boolean
}

/** Multiples looked at before giving up; reached only where many divisors are excluded at once. */
const maxTried = 4000
const stepsPerTest = 0.02

/** Without an engine no work is counted. */
export function openNumbers(engine?: Pick<ProverEngine, 'budget'>): Domain {
  let low: Bound | undefined
  let high: Bound | undefined
  let allowed: readonly number[] | undefined
  const excluded = new Set<number>()
  const divisors: number[] = []
  const nonDivisors: number[] = []

  return {
    take,
    refuses,
    solve,
    several,
  }

  /** All literals at once: bounds and sets were gathered, and only divisors are left to be tried one by one. */
  function fitsAll(value: number): boolean {
    if (!Number.isFinite(value)) return false
    if (low !== undefined && (low.open ? value <= low.at : value < low.at)) return false
    if (high !== undefined && (high.open ? value >= high.at : value > high.at)) return false
    return (
      !excluded.has(value) &&
      divisors.every((divisor) => isMultipleOf(value, divisor)) &&
      !nonDivisors.some((divisor) => isMultipleOf(value, divisor))
    )
  }

  function take(literal: Literal): void {
    payForList()
    allowed = allowed?.filter((value) => fitsNumber(literal, value))
    if (literal.kind === 'above') {
      if (low === undefined || literal.bound > low.at || (literal.bound === low.at && literal.open)) {
        low = { at: literal.bound, open: literal.open }
      }
    } else if (literal.kind === 'below') {
      if (high === undefined || literal.bound < high.at || (literal.bound === high.at && literal.open)) {
        high = { at: literal.bound, open: literal.open }
      }
    } else if (literal.kind === 'multiple') (literal.holds ? divisors : nonDivisors).push(literal.of)
    else if (literal.kind === 'in') {
      const values = literal.values.filter((value) => typeof value === 'number')
      if (!literal.holds) for (const value of values) excluded.add(value)
      else allowed ??= values.filter(fitsAll)
    }
  }

  function payForList(): void {
    engine?.budget.spend((allowed?.length ?? 0) * stepsPerTest)
  }

  function refuses(literal: Literal): boolean {
    payForList()
    if (allowed !== undefined) return !allowed.some((value) => fitsNumber(literal, value))
    switch (literal.kind) {
      case 'above':
        return high !== undefined && isGap({ at: literal.bound, open: literal.open }, high)
      case 'below':
        return low !== undefined && isGap(low, { at: literal.bound, open: literal.open })
      case 'in':
        return literal.holds && !literal.values.some((value) => typeof value === 'number' && fitsAll(value))
      case 'multiple':
        return literal.holds
          ? nonDivisors.some((other) => isMultipleOf(literal.of, other))
          : divisors.some((other) => isMultipleOf(other, literal.of))
      default:
        return false
    }
  }

  function solve(): SearchOutcome {
    const { values, complete, gap } = several(1)
    if (values[0] !== undefined) return valueFound(values[0])
    return complete ? empty : unknown(gap ?? noDouble)
  }

  function several(wanted: number): DistinctValues {
    if (allowed !== undefined) return { values: allowed.slice(0, wanted), complete: allowed.length <= wanted }
    if (low !== undefined && high !== undefined && isGap(low, high)) return none
    if (divisors.length > 0) return severalMultiples(wanted)
    if (low !== undefined && low.at === high?.at) return { values: fitsAll(low.at) ? [low.at] : [], complete: true }
    const values = new Set<number>()
    for (const value of plainNumbers(low, high, excluded.size + wanted)) {
      // -0 is 0 in JSON.
      if (fitsAll(value)) values.add(value === 0 ? 0 : value)
      if (values.size >= wanted) return { values: [...values], complete: false }
    }
    return { values: [...values], complete: false, gap: noDouble }
  }

  /** Everything scaled to whole numbers: values are k × unit, and each excluded divisor excludes multiples of a k. */
  function severalMultiples(wanted: number): DistinctValues {
    const exponent = Math.min(
      0,
      ...[...divisors, ...nonDivisors, ...boundsOf(low, high)].map((n) => decimalOf(n).exponent),
    )
    const scaled = (value: number): bigint => scale(decimalOf(value), exponent)
    const unit = divisors.map(scaled).reduce(lcm)
    const steps = nonDivisors.map((divisor) => lcm(unit, scaled(divisor)) / unit)
    if (steps.includes(1n)) return none
    const first = low === undefined ? undefined : firstFrom(scaled(low.at), unit, low.open)
    const last = high === undefined ? undefined : -firstFrom(-scaled(high.at), unit, high.open)
    if (first !== undefined && last !== undefined && first > last) return none
    const values: number[] = []
    let skipped = false
    let tried = 0
    for (const k of outward(first, last)) {
      if (values.length >= wanted) return { values, complete: false }
      if (++tried > maxTried + excluded.size + wanted) return { values, complete: false, gap: tooMany }
      if (steps.some((step) => k % step === 0n)) continue
      const value = exponent === 0 ? wholeNumber(k * unit) : exactNumber(`${k * unit}e${exponent}`)
      if (value !== undefined && fitsAll(value)) values.push(value)
      else skipped ||= value === undefined || !excluded.has(value)
    }
    return skipped ? { values, complete: false, gap: inexact } : { values, complete: true }
  }
}

const none: DistinctValues = { values: [], complete: true }
const noDouble: Gap = { construct: 'number', reason: 'No double was found in an interval that is not empty' }
const tooMany: Gap = { construct: 'multipleOf', reason: 'Too many multiples are excluded one by one' }
const inexact: Gap = { construct: 'multipleOf', reason: 'The only candidates are not exact as doubles' }

export function fitsNumber(literal: Literal, value: number): boolean {
  switch (literal.kind) {
    case 'above':
      return literal.open ? value > literal.bound : value >= literal.bound
    case 'below':
      return literal.open ? value < literal.bound : value <= literal.bound
    case 'multiple':
      return isMultipleOf(value, literal.of) === literal.holds
    case 'in':
      return hasValue(literal.values, value) === literal.holds
    default:
      return false
  }
}

/** Doubles stand in the same order as the decimals that they print as. */
function isGap(low: Bound, high: Bound): boolean {
  return low.at > high.at || (low.at === high.at && (low.open || high.open))
}

function boundsOf(...bounds: readonly (Bound | undefined)[]): readonly number[] {
  return bounds.flatMap((bound) => (bound === undefined ? [] : [bound.at]))
}

function scale({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}

function wholeNumber(value: bigint): number | undefined {
  const near = Number(value)
  return Number.isSafeInteger(near) ? near : exactNumber(String(value))
}

/** The first multiplier of the unit at or beyond a bound. */
function firstFrom(bound: bigint, unit: bigint, open: boolean): bigint {
  const quotient = bound / unit
  const exact = bound % unit === 0n
  if (exact) return open ? quotient + 1n : quotient
  return bound > 0n ? quotient + 1n : quotient
}

function lcm(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b]
  while (y !== 0n) [x, y] = [y, x % y]
  return (a / x) * b
}

/** Whole numbers of a range, those near zero first. */
function* outward(first: bigint | undefined, last: bigint | undefined): Generator<bigint> {
  const fits = (k: bigint): boolean => (first === undefined || k >= first) && (last === undefined || k <= last)
  const middle = first !== undefined && first > 0n ? first : last !== undefined && last < 0n ? last : 0n
  if (fits(middle)) yield middle
  for (let distance = 1n; ; distance++) {
    const [up, down] = [middle + distance, middle - distance]
    if (!fits(up) && !fits(down)) return
    if (fits(up)) yield up
    if (fits(down)) yield down
  }
}

const fractions = [0.5, 0.1, 0.25, 0.01, 0.001, 0.0001, 1e-5, 1e-6, 1e-9, 1e-12, 1e-15]

/** Candidates of an interval, the plainest first. */
function* plainNumbers(low: Bound | undefined, high: Bound | undefined, excluded: number): Generator<number> {
  const anchors = [0]
  if (low !== undefined) anchors.push(low.at, Math.ceil(low.at))
  if (high !== undefined) anchors.push(high.at, Math.floor(high.at))
  if (low !== undefined && high !== undefined) anchors.push(low.at / 2 + high.at / 2, low.at + (high.at - low.at) / 10)
  for (let distance = 0; distance <= 8 + excluded; distance++) {
    for (const anchor of anchors) {
      yield anchor + distance
      yield anchor - distance
    }
  }
  for (const anchor of anchors) {
    for (const fraction of fractions) {
      yield anchor + fraction
      yield anchor - fraction
      yield anchor + 1 + fraction
      if (anchor !== 0) yield* [anchor * (1 + fraction), anchor * (1 - fraction)]
    }
  }
  if (low !== undefined && high !== undefined) {
    const width = high.at - low.at
    for (let part = 1; part <= 64 + excluded; part++) yield low.at + (width * part) / (65 + excluded)
  }
}
