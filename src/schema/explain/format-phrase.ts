// Formats in words, with an example where the writing is easy to get wrong. An unknown format is shown by its name.
import type { TypeName } from '../normal.ts'
import { cut, escapeUnseen } from './bounded-text.ts'

const words: ReadonlyMap<string, string> = new Map([
  ['uuid', 'UUID'],
  ['date-time', 'date-time such as 2026-01-31T12:00:00Z'],
  ['date', 'date such as 2026-01-31'],
  ['time', 'time such as 12:00:00Z'],
  ['duration', 'duration such as P1DT2H'],
  ['email', 'e-mail address'],
  ['idn-email', 'e-mail address'],
  ['hostname', 'host name'],
  ['idn-hostname', 'host name'],
  ['ipv4', 'IPv4 address'],
  ['ipv6', 'IPv6 address'],
  ['uri', 'URI such as https://example.com/a'],
  ['uri-reference', 'URI reference'],
  ['iri', 'IRI such as https://example.com/a'],
  ['iri-reference', 'IRI reference'],
  ['uri-template', 'URI template'],
  ['json-pointer', 'JSON pointer such as /a/b'],
  ['relative-json-pointer', 'relative JSON pointer'],
  ['regex', 'regular expression'],
  ['byte', 'in base64'],
  ['binary', 'of binary data'],
  ['password', 'password'],
  ['int8', 'of 8 bits'],
  ['int16', 'of 16 bits'],
  ['int32', 'of 32 bits'],
  ['int64', 'of 64 bits'],
  ['uint8', 'of 8 bits without a sign'],
  ['uint16', 'of 16 bits without a sign'],
  ['uint32', 'of 32 bits without a sign'],
  ['uint64', 'of 64 bits without a sign'],
  ['float', 'of single precision'],
  ['double', 'of double precision'],
])

/** `string UUID`, `integer of 32 bits`. */
export function formatPhrase(format: string, type: TypeName): string {
  if (type !== 'string' && !/^(?:u?int|float|double)/.test(format)) return type
  const phrase = words.get(format)
  return phrase === undefined ? `${type} in the format ${escapeUnseen(cut(format, 40))}` : `${type} ${phrase}`
}
