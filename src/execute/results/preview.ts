// The beginning of a result, for a model to judge whether it needs the rest. Masks were applied before; nothing is torn apart here: no
// pair of surrogates, no escape, no letter and its marks.
import { jsonHead } from '../../json/json-parts.ts'
import { withoutEnd } from '../../json/text-end.ts'
import type { JsonValue } from '../../json/value.ts'

/** At most this many bytes of the result's JSON text. */
export function previewOf(json: JsonValue, maxBytes: number): string {
  const text = typeof json === 'string' ? json : jsonHead(json, maxBytes)
  // A character has at least one byte: more of them than bytes cannot fit.
  const head = text.slice(0, maxBytes)
  if (head.length === text.length && Buffer.byteLength(text) <= maxBytes) return text
  return typeof json === 'string'
    ? wholeMarks(text, cut(head, maxBytes))
    : wholeEscapes(wholeMarks(text, cut(head, maxBytes)))
}

/** The longest beginning of at most so many bytes that ends between two characters. */
function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text.isWellFormed() ? text : text.slice(0, -1)
  let end = maxBytes
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

const mark = /^(?:\p{M}|\u200c|\u200d|\ufe0f)/u
const longestPile = 8

/** Marks that stand on the last letter belong to it. */
function wholeMarks(text: string, head: string): string {
  if (!mark.test(text.slice(head.length, head.length + 2))) return head
  const characters = Array.from(head.slice(-2 * longestPile))
  let dropped = 0
  while (characters.length > 0) {
    const last = characters.pop() ?? ''
    dropped += last.length
    if (!mark.test(last)) break
  }
  return head.slice(0, head.length - dropped)
}

/** In JSON text an escape is one character: a backslash and what follows it. */
function wholeEscapes(head: string): string {
  const tail = /\\(?:u[0-9a-f]{0,3})?$/i.exec(head)
  if (tail === null) return head
  const before = tail.index - withoutEnd(head.slice(0, tail.index), '\\').length
  // After an even number of backslashes this one begins an escape; otherwise it ends one.
  return before % 2 === 0 ? head.slice(0, tail.index) : head
}
