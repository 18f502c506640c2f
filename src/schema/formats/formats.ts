// The formats that may assert, one row each; every check is linear in the text.
// Invariant: a format applies to one type only, and a value of another type always passes.
import { createRequire } from 'node:module'
import type { JsonValue } from '../../json/value.ts'
import { isDate, isDateTime, isDuration, isTime } from './dates.ts'
import { isHostname, isIdnHostname, isIpv4, isIpv6Address } from './hosts.ts'
import { isEmail, isIdnEmail } from './mail.ts'
import {
  isIri,
  isIriReference,
  isJsonPointer,
  isRelativeJsonPointer,
  isUri,
  isUriReference,
  isUriTemplate,
} from './uris.ts'

export type FormatCheck =
  | { readonly type: 'string'; readonly test: (text: string) => boolean }
  | { readonly type: 'number'; readonly test: (value: number) => boolean }

const table: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['date', textFormat(isDate)],
  ['time', textFormat(isTime)],
  ['date-time', textFormat(isDateTime)],
  ['duration', textFormat(isDuration)],
  ['email', textFormat(isEmail)],
  ['idn-email', textFormat(isIdnEmail)],
  ['hostname', textFormat(isHostname)],
  ['idn-hostname', textFormat(isIdnHostname)],
  ['ipv4', textFormat(isIpv4)],
  ['ipv6', textFormat(isIpv6Address)],
  ['uri', textFormat(isUri)],
  ['uri-reference', textFormat(isUriReference)],
  ['iri', textFormat(isIri)],
  ['iri-reference', textFormat(isIriReference)],
  ['uri-template', textFormat(isUriTemplate)],
  ['json-pointer', textFormat(isJsonPointer)],
  ['relative-json-pointer', textFormat(isRelativeJsonPointer)],
  ['regex', textFormat(isRegex)],
  ['uuid', textFormat((value) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value))],
  // OpenAPI, and the integer widths that generators for typed languages write.
  ['int8', integerFormat(-(2 ** 7), 2 ** 7)],
  ['int16', integerFormat(-(2 ** 15), 2 ** 15)],
  ['int32', integerFormat(-(2 ** 31), 2 ** 31)],
  ['int64', integerFormat(-(2 ** 63), 2 ** 63)],
  ['uint8', integerFormat(0, 2 ** 8)],
  ['uint16', integerFormat(0, 2 ** 16)],
  ['uint32', integerFormat(0, 2 ** 32)],
  ['uint64', integerFormat(0, 2 ** 64)],
  ['float', { type: 'number', test: (value) => Math.abs(value) <= 3.4028234663852886e38 }],
  ['double', { type: 'number', test: () => true }],
  ['byte', textFormat((value) => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value))],
  ['binary', textFormat(() => true)],
  ['password', textFormat(() => true)],
])

export const formatNames: readonly string[] = [...table.keys()]

export function formatCheck(name: string): FormatCheck | undefined {
  return table.get(name)
}

/** Whether a value obeys a known format; true for values of a type the format does not speak about. */
export function fitsFormat(name: string, value: JsonValue): boolean {
  const check = table.get(name)
  if (check === undefined) throw new Error(`The format ${name} is not known; preprocessing refuses it`)
  if (check.type === 'string') return typeof value !== 'string' || check.test(value)
  return typeof value !== 'number' || check.test(value)
}

function textFormat(test: (value: string) => boolean): FormatCheck {
  return { type: 'string', test }
}

function integerFormat(least: number, above: number): FormatCheck {
  return { type: 'number', test: (value) => Number.isInteger(value) && value >= least && value < above }
}

const require = createRequire(import.meta.url)

/** Any ECMA-262 pattern with the `u` flag, also one that could not run in linear time: it is data here. */
function isRegex(source: string): boolean {
  const { RegExpValidator } = require('@eslint-community/regexpp') as typeof import('@eslint-community/regexpp')
  try {
    new RegExpValidator({ ecmaVersion: 2025 }).validatePattern(source, 0, source.length, { unicode: true })
    return true
  } catch {
    return false
  }
}
