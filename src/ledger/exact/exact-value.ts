// What Postgres sends as text, as JSON that loses nothing: numbers that a double cannot hold stay text, times are ISO 8601, bytes are
// base64. It counts on the session settings of `exactSettings`.
import { readJson } from '../../json/read.ts'
import type { JsonValue } from '../../json/value.ts'

type ReadValue = (text: string) => JsonValue

/** For one transaction; every one of them decides how a value is written. */
export const exactSettings: readonly (readonly [string, string])[] = [
  ['timezone', 'UTC'],
  ['datestyle', 'ISO, YMD'],
  ['intervalstyle', 'iso_8601'],
  ['bytea_output', 'hex'],
  ['extra_float_digits', '1'],
]

const asText: ReadValue = (text) => text
const asBoolean: ReadValue = (text) => text === 't'
const asInteger: ReadValue = (text) => Number(text)
/** Postgres writes the shortest text that reads back the same; NaN and the infinities have no number in JSON. */
const asFloat: ReadValue = (text) => {
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}
/** A document with numbers that JavaScript would round, or with a key twice, stays the text it is. */
const asJson: ReadValue = (text) => {
  const reading = readJson(text)
  return reading.ok ? reading.value : text
}
const asTimestamp: ReadValue = (text) => text.replace(' ', 'T')
const asInstant: ReadValue = (text) => text.replace(' ', 'T').replace(/\+00$/, 'Z')
const asBytes: ReadValue = (text) => Buffer.from(text.slice(2), 'hex').toString('base64')

/** By the numbers that Postgres has given its types: the type itself, and the array of it. */
const readers: ReadonlyMap<number, ReadValue> = new Map(
  (
    [
      [16, 1000, asBoolean],
      [17, 1001, asBytes],
      [21, 1005, asInteger],
      [23, 1007, asInteger],
      [26, 1028, asInteger],
      [20, 1016, asText],
      [1700, 1231, asText],
      [700, 1021, asFloat],
      [701, 1022, asFloat],
      [25, 1009, asText],
      [1043, 1015, asText],
      [1042, 1014, asText],
      [2950, 2951, asText],
      [114, 199, asJson],
      [3802, 3807, asJson],
      [1082, 1182, asText],
      [1083, 1183, asText],
      [1114, 1115, asTimestamp],
      [1184, 1185, asInstant],
      [1186, 1187, asText],
    ] as const
  ).flatMap(([type, array, read]) => [
    [type, read],
    [array, (text: string) => readArray(text, read)],
  ]),
)

/** Types of extensions and of the database's own, arrays of them too, stay the text that Postgres writes. */
export function exactReader(typeId: number): ReadValue {
  return readers.get(typeId) ?? asText
}

/** `{1,NULL,"a b"}`, nested by braces; bounds such as `[2:3]=` before it say nothing that JSON could. */
function readArray(text: string, read: ReadValue): JsonValue {
  let at = text.indexOf('{')

  const list = (): JsonValue[] => {
    const items: JsonValue[] = []
    at++
    while (text[at] !== '}') {
      if (text[at] === ',') at++
      items.push(text[at] === '{' ? list() : element())
    }
    at++
    return items
  }

  const element = (): JsonValue => {
    if (text[at] === '"') return read(quoted())
    const start = at
    while (at < text.length && text[at] !== ',' && text[at] !== '}') at++
    const bare = text.slice(start, at)
    return bare === 'NULL' ? null : read(bare)
  }

  const quoted = (): string => {
    let value = ''
    for (at++; text[at] !== '"'; at++) {
      if (text[at] === '\\') at++
      value += text[at]
    }
    at++
    return value
  }

  return list()
}
