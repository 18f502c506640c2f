// What a statement is given for `$1`, `$2`, …: a value that is bound, never a part of the text. Each has a declared type; a value of
// another kind is refused before anything is sent.

import { ToolError } from '../../../contract/fault.ts'
import type { ToolContext } from '../../../contract/tool/executor.ts'
import type {
  SqlContextName,
  SqlParameter,
  SqlScalar,
  SqlType,
} from '../../../contract/tool/executor-files/sql-file.ts'
import { fieldPath, readPointer } from '../../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'

export type CallNames = ToolContext & { readonly idempotencyKey: string | undefined }

/** As Postgres reads it from text. */
export function boundValue(parameter: SqlParameter, args: JsonObject, context: CallNames): string | null {
  if ('context' in parameter) return contextValue(parameter.context, context) ?? null
  if ('value' in parameter) return parameter.value === null ? null : String(parameter.value)
  const { argument, type, optional = false } = parameter
  const value = readPointer(args, argument)
  if (value === undefined || value === null) {
    if (optional) return null
    // A document may be null; a value of any other type may not.
    if (value === undefined || type !== 'json') throw unfit(argument, 'is missing')
  }
  return encode(value, type, argument)
}

function contextValue(name: SqlContextName, context: CallNames): string | undefined {
  switch (name) {
    case 'tenant':
      return context.tenant
    case 'user':
      return context.user
    case 'run':
      return context.run
    case 'call_id':
      return context.callId
    case 'trace_id':
      return context.traceId
    case 'idempotency_key':
      return context.idempotencyKey
  }
}

function encode(value: JsonValue, type: SqlType, argument: string): string {
  if (!isArrayType(type)) return encodeScalar(value, type, argument)
  if (!Array.isArray(value)) throw unfit(argument, 'must be a list')
  const element = type.slice(0, -2) as SqlScalar
  const items = (value as readonly JsonValue[]).map((item) =>
    item === null ? 'NULL' : `"${encodeScalar(item, element, argument).replace(/[\\"]/g, '\\$&')}"`,
  )
  return `{${items.join(',')}}`
}

const isArrayType = (type: SqlType): boolean => type.endsWith('[]')

const decimal = /^[+-]?(?:[0-9]{1,1000}(?:\.[0-9]{0,1000})?|\.[0-9]{1,1000})(?:[eE][+-]?[0-9]{1,4})?$/
const wholeNumber = /^[+-]?[0-9]{1,19}$/
const day = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
/** A point in time with its offset, or one without. Words that Postgres would understand, such as now, are refused. */
const moment =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?$/

function encodeScalar(value: JsonValue, type: SqlType, argument: string): string {
  switch (type) {
    case 'text':
      return boundText(value, argument)
    case 'integer':
      if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
      if (typeof value === 'string' && wholeNumber.test(value)) return value
      throw unfit(argument, 'must be a whole number')
    case 'numeric':
      if (typeof value === 'number' && Number.isFinite(value)) return String(value)
      if (typeof value === 'string' && decimal.test(value)) return value
      throw unfit(argument, 'must be a number, or a decimal as text')
    case 'boolean':
      if (typeof value === 'boolean') return String(value)
      throw unfit(argument, 'must be true or false')
    case 'date':
      if (typeof value === 'string' && day.test(value)) return value
      throw unfit(argument, 'must be a date such as 2026-01-31')
    case 'timestamp':
      if (typeof value === 'string' && moment.test(value)) return value
      throw unfit(argument, 'must be a time such as 2026-01-31T12:00:00Z')
    case 'json':
      return JSON.stringify(value)
    default:
      throw unfit(argument, 'has a type that is not known')
  }
}

function boundText(value: JsonValue, argument: string): string {
  if (typeof value !== 'string') throw unfit(argument, 'must be a text')
  if (value.includes('\0')) throw unfit(argument, 'holds a character that no text in a database can hold')
  return value
}

function unfit(argument: string, why: string): ToolError {
  return new ToolError('sql_argument', `${fieldPath(argument)} ${why}. Nothing was sent.`, {
    effect: 'none',
    class: 'TYPE_MISMATCH',
  })
}
