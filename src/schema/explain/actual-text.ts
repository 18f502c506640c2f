// The value that was sent, in bounded words: its JSON type, and as much detail as the failed keyword needs.
// Invariant: a hidden value is described by its type alone.
import type { JsonValue } from '../../json/value.ts'
import type { Keyword } from '../field-error.ts'
import { isList, typeNameOf } from '../json-type.ts'
import { codePointLength } from '../measures.ts'
import { counted, quoteShort } from './bounded-text.ts'

/** Keywords whose error is about the type or the presence alone: the size or content of the value adds nothing. */
const typeOnly: ReadonlySet<Keyword> = new Set<Keyword>(['type', 'false', 'not', 'items', 'unevaluatedItems'])

export function actualText(value: JsonValue | undefined, keyword: Keyword, hidden: boolean): string {
  if (value === undefined) return 'missing'
  const type = typeNameOf(value)
  if (hidden || typeOnly.has(keyword)) return type
  if (keyword === 'enum' || keyword === 'const') {
    const quoted = quoteShort(value)
    if (quoted !== undefined) return typeof value === 'number' ? `${type} ${quoted}` : quoted
  }
  if (typeof value === 'string') return lengthText(value)
  if (typeof value === 'number') return `${type} ${value}`
  if (typeof value === 'boolean' || value === null) return type
  if (isList(value)) return value.length === 0 ? 'empty array' : `array of ${counted(value.length, 'item')}`
  const size = Object.keys(value).length
  return size === 0 ? 'empty object' : `object of ${counted(size, 'property', 'properties')}`
}

/** Counting is linear, and the exact length of a text this long helps no reader. */
const maxCounted = 100_000

function lengthText(text: string): string {
  if (text === '') return 'empty string'
  if (text.length > 2 * maxCounted) return `string of more than ${maxCounted} characters`
  return `string of ${counted(codePointLength(text), 'character')}`
}
