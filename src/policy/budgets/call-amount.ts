// What a call moves, read from the input that its executor gets. An amount that is missing, negative, or finer than a counter is no
// amount: the call is refused before a person is asked about it.
import type { ErrorDetail } from '../../contract/call/call.ts'
import type { JudgedCall } from '../../contract/call/stages.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { fieldPath, readPointer } from '../../json/pointer.ts'
import type { JsonObject } from '../../json/value.ts'
import { currencyOf, inMillionths, readAmount } from './money.ts'

export interface Amount {
  readonly millionths: number
  readonly currency: string
}

export type AmountReading =
  /** Undefined where the tool moves no money that its binding knows of. */
  { readonly ok: true; readonly amount: Amount | undefined } | { readonly ok: false; readonly error: ErrorDetail }

const nothing: AmountReading = { ok: true, amount: undefined }

export function amountOf({ callJson }: Pick<JudgedCall, 'callJson'>, tool: Tool): AmountReading {
  const { amount } = tool.binding
  return amount === undefined ? nothing : readFrom(callJson, amount)
}

function readFrom(input: JsonObject, amount: NonNullable<Tool['binding']['amount']>): AmountReading {
  const { pointer, currency, decimals } = amount
  const value = readAmount(readPointer(input, pointer))
  if (value === undefined) return refused(pointer, 'an amount of money', 'Say how much: this is no amount.')
  if (value.digits < 0n)
    return refused(pointer, 'an amount that is not negative', 'An amount of money cannot be negative.')
  const millionths = inMillionths(value, decimals)
  if (millionths === undefined) {
    const message = 'The amount is larger than 9,007,199,254.740991, or has parts finer than a millionth.'
    return refused(pointer, 'an amount that can be counted exactly', message)
  }
  const named = typeof currency === 'string' ? currencyOf(readPointer(input, currency)) : currencyOf(currency.const)
  if (named !== undefined) return { ok: true, amount: { millionths, currency: named } }
  const where = typeof currency === 'string' ? currency : pointer
  return refused(where, 'the code of a currency, such as EUR', 'Say in which currency: this is none.')
}

/** The value itself is not quoted: the argument may be a sensitive one. */
function refused(pointer: string, expected: string, message: string): AmountReading {
  return { ok: false, error: { field: fieldPath(pointer), expected, actual: 'another value', message } }
}
