// Facts about formats that their checks cannot give: which implies which, and texts that obey them.
// Invariant: every row is true of the checks in the schema room; a test asks them.

import { formatCheck } from '../../schema/formats/formats.ts'
import { ownValue } from '../../schema/json-type.ts'

/** Each text of the first format obeys the others. */
const implications: Readonly<Record<string, readonly string[]>> = {
  email: ['idn-email'],
  hostname: ['idn-hostname'],
  uri: ['uri-reference', 'iri', 'iri-reference'],
  'uri-reference': ['iri-reference'],
  iri: ['iri-reference'],
}

export function formatImplies(one: string, other: string): boolean {
  return one === other || implications[one]?.includes(other) === true
}

export const formatImplications: readonly (readonly [string, string])[] = Object.entries(implications).flatMap(
  ([one, others]) => others.map((other) => [one, other] as const),
)

export const formatExamples: Readonly<Record<string, readonly string[]>> = {
  date: ['2024-01-31', '1999-12-31', '2000-02-29'],
  time: ['12:00:00Z', '23:59:59.5+02:00'],
  'date-time': ['2024-01-31T12:00:00Z', '1999-12-31T23:59:59.5+02:00'],
  duration: ['P1D', 'PT1H', 'P3Y6M4DT12H30M5S'],
  email: ['a@b.co', 'someone@example.com'],
  'idn-email': ['a@b.co', 'someone@example.com'],
  hostname: ['a', 'example.com', 'www.example.com'],
  'idn-hostname': ['a', 'example.com', 'www.example.com'],
  ipv4: ['127.0.0.1', '192.168.1.1', '0.0.0.0'],
  ipv6: ['::1', '2001:db8::1', 'fe80::1'],
  uri: ['a:b', 'https://example.com', 'https://example.com/a?b#c', 'urn:x:y'],
  'uri-reference': ['', 'a', '/a', 'https://example.com', '#a'],
  iri: ['a:b', 'https://example.com', 'https://example.com/a?b#c'],
  'iri-reference': ['', 'a', '/a', 'https://example.com', '#a'],
  'uri-template': ['', 'a', 'https://example.com/{id}'],
  'json-pointer': ['', '/a', '/a/0'],
  'relative-json-pointer': ['0', '1/a', '0#'],
  regex: ['', 'a', '^a+$'],
  uuid: ['00000000-0000-0000-0000-000000000000', '123e4567-e89b-42d3-a456-426614174000'],
  byte: ['', 'QUJD', 'QQ=='],
}

/** Patterns that every text of a format matches, for lengths and overlaps; they may match more. */
const shapes: Readonly<Record<string, string>> = {
  date: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  'date-time': '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt\\s][0-9]{2}:',
  time: '^[0-9]{2}:[0-9]{2}',
  duration: '^P[0-9A-Z]+$',
  email: '^.+@.+$',
  ipv4: '^[0-9]{1,3}(?:\\.[0-9]{1,3}){3}$',
  uuid: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
  byte: '^[A-Za-z0-9+/]*={0,2}$',
}

export function formatShape(name: string): string | undefined {
  return ownValue(shapes, name)
}

export const formatShapes: readonly (readonly [string, string])[] = Object.entries(shapes)

/** Formats that every text obeys. */
const unconditional: ReadonlySet<string> = new Set(['binary', 'password', 'double'])

export function alwaysFits(name: string): boolean {
  return unconditional.has(name)
}

export function textFits(name: string, text: string): boolean {
  const check = formatCheck(name)
  return check === undefined || check.type !== 'string' || check.test(text)
}

interface NumberRange {
  readonly least: number
  readonly most: number
  /** `most` itself is too much. */
  readonly isBelow: boolean
  readonly whole: boolean
}

const whole = (least: number, most: number): NumberRange => ({ least, most, isBelow: true, whole: true })

const ranges: Readonly<Record<string, NumberRange>> = {
  int8: whole(-(2 ** 7), 2 ** 7),
  int16: whole(-(2 ** 15), 2 ** 15),
  int32: whole(-(2 ** 31), 2 ** 31),
  int64: whole(-(2 ** 63), 2 ** 63),
  uint8: whole(0, 2 ** 8),
  uint16: whole(0, 2 ** 16),
  uint32: whole(0, 2 ** 32),
  uint64: whole(0, 2 ** 64),
  float: { least: -3.4028234663852886e38, most: 3.4028234663852886e38, isBelow: false, whole: false },
}

/** What a format on numbers says; undefined for formats on texts. */
export function numberFormat(name: string): NumberRange | undefined {
  return ownValue(ranges, name)
}
