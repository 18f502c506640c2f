// Predicates over a state that was read: the values they compare with are filled in while the call is at hand; they are judged then, or days
// later. Pure. What cannot be compared does not hold.
import type { Predicate, PreparedPredicate } from '../../contract/verification/verifier.ts'
import { compareDecimals, type Decimal, decimalOf } from '../../json/decimal.ts'
import { readPointer } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { equalJson } from '../../schema/equality.ts'

/** What targets and predicates may point into. */
export interface CallDocument {
  readonly args: JsonObject
  /** Absent where the attempt that had it is gone. */
  readonly result?: JsonValue
  /** Absent where it was not read; null where there was no such target. */
  readonly before?: JsonObject | null
  readonly call: JsonObject
}

export const readCallDocument = (document: CallDocument, pointer: string): JsonValue | undefined =>
  readPointer(document as unknown as JsonObject, pointer)

export function preparePredicate(predicate: Predicate, document: CallDocument): PreparedPredicate {
  const { path, is, value, from, about = 'value' } = predicate
  const prepared = { path, about } as const
  if (is === 'exists' || is === 'absent') return { ...prepared, is }
  if (is === 'changed') {
    const { before } = document
    if (before === undefined) return { ...prepared, is: 'not_equals', undetermined: true }
    const old = before === null ? undefined : readPointer(before, path)
    return old === undefined ? { ...prepared, is: 'exists' } : { ...prepared, is: 'not_equals', expected: old }
  }
  const expected = from === undefined ? value : readCallDocument(document, from)
  return expected === undefined ? { ...prepared, is, undetermined: true } : { ...prepared, is, expected }
}

export function holds(predicate: PreparedPredicate, state: JsonObject): boolean {
  const { path, is, about, expected } = predicate
  const found = readPointer(state, path)
  switch (is) {
    case 'exists':
      return found !== undefined && found !== null
    case 'absent':
      return found === undefined || found === null
    case 'equals':
      return found !== undefined && expected !== undefined && equalsExpected(found, expected, about)
    case 'not_equals':
      return found !== undefined && expected !== undefined && !equalsExpected(found, expected, about)
    case 'in':
      return found !== undefined && Array.isArray(expected) && expected.some((one) => equalsExpected(found, one, about))
    case 'greater_than':
      return holdsInOrder(found, expected, (order) => order > 0)
    case 'at_least':
      return holdsInOrder(found, expected, (order) => order >= 0)
    case 'less_than':
      return holdsInOrder(found, expected, (order) => order < 0)
    case 'at_most':
      return holdsInOrder(found, expected, (order) => order <= 0)
  }
}

/** Amounts are the same where their decimals are: 12.5 and "12.50". */
function equalsExpected(found: JsonValue, expected: JsonValue, about: PreparedPredicate['about']): boolean {
  if (about !== 'amount') return equalJson(found, expected)
  const order = orderOf(found, expected)
  return order === 0
}

function holdsInOrder(
  found: JsonValue | undefined,
  expected: JsonValue | undefined,
  fits: (order: number) => boolean,
): boolean {
  const order = found === undefined || expected === undefined ? undefined : orderOf(found, expected)
  return order !== undefined && fits(order)
}

/** Numbers and decimals in text by their value; instants in ISO 8601 by their time; anything else has no order. */
export function orderOf(a: JsonValue, b: JsonValue): number | undefined {
  const [left, right] = [decimal(a), decimal(b)]
  if (left !== undefined && right !== undefined) return compareDecimals(left, right)
  const [from, to] = [instant(a), instant(b)]
  return from === undefined || to === undefined ? undefined : Math.sign(from - to)
}

const maxDigits = 100
const plainDecimal = /^-?[0-9]+(?:\.[0-9]+)?$/

function decimal(value: JsonValue): Decimal | undefined {
  if (typeof value === 'number') return decimalOf(value)
  const isDecimal = typeof value === 'string' && value.length <= maxDigits && plainDecimal.test(value)
  return isDecimal ? decimalOf(value) : undefined
}

const isoInstant = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,24}(?:Z|[+-][0-9]{2}:[0-9]{2})$/

function instant(value: JsonValue): number | undefined {
  if (typeof value !== 'string' || !isoInstant.test(value)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}
