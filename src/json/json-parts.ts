// JSON text in parts of some kilobytes, for values that are too large to be written in one go: the text of all parts together is what
// JSON.stringify gives, or the canonical text of RFC 8785.
import { createHash } from 'node:crypto'
import type { Steps } from './slices.ts'
import type { JsonObject, JsonValue } from './value.ts'

interface OpenPart {
  readonly value: JsonObject | readonly JsonValue[]
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined
  next: number
}

/** A part is given out when it has so many characters. */
const partLength = 8_192

/** Each yields the text that was written since the last one. */
function* jsonParts(value: JsonValue, order: 'own' | 'canonical'): Generator<string> {
  let text = ''
  const open: OpenPart[] = []
  const begin = (member: JsonValue): void => {
    if (typeof member !== 'object' || member === null) text += JSON.stringify(member)
    else if (Array.isArray(member)) {
      text += '['
      open.push({ value: member, keys: undefined, next: 0 })
    } else {
      const keys = Object.keys(member)
      if (order === 'canonical') keys.sort()
      text += '{'
      open.push({ value: member as JsonObject, keys, next: 0 })
    }
  }
  const long = (member: JsonValue): member is string => typeof member === 'string' && member.length > partLength
  if (long(value)) yield* textParts(value)
  else begin(value)
  for (let part = open.at(-1); part !== undefined; part = open.at(-1)) {
    const { keys } = part
    const index = part.next++
    if (index >= (keys ?? (part.value as readonly JsonValue[])).length) {
      text += keys === undefined ? ']' : '}'
      open.pop()
      continue
    }
    if (index > 0) text += ','
    const key = keys?.[index]
    if (key !== undefined) text += `${JSON.stringify(key)}:`
    const member = (part.value as Readonly<Record<string | number, JsonValue>>)[key ?? index] as JsonValue
    if (long(member)) {
      yield text
      text = ''
      yield* textParts(member)
    } else begin(member)
    if (text.length >= partLength) {
      yield text
      text = ''
    }
  }
  yield text
}

/** A pair of surrogates is never parted: each half alone would be written as an escape. */
function* textParts(text: string): Generator<string> {
  yield '"'
  for (let from = 0; from < text.length; ) {
    const wanted = Math.min(from + partLength, text.length)
    const to = wanted < text.length && (text.charCodeAt(wanted) & 0xfc00) === 0xdc00 ? wanted + 1 : wanted
    yield JSON.stringify(text.slice(from, to)).slice(1, -1)
    from = to
  }
  yield '"'
}

/** Its beginning: more than so many characters, where it has them; the rest is not written. */
export function jsonHead(value: JsonValue, length: number): string {
  let text = ''
  for (const part of jsonParts(value, 'own')) {
    text += part
    if (text.length > length) break
  }
  return text
}

/** What `hashJson` gives. */
export function* hashInSteps(value: JsonValue): Steps<string> {
  const hash = createHash('sha256')
  for (const part of jsonParts(value, 'canonical')) {
    hash.update(part)
    yield
  }
  return hash.digest('hex')
}

/** The whole text, as JSON.stringify gives it. */
export function* writtenInSteps(value: JsonValue): Steps<string> {
  // By way of bytes: a text of a million pieces takes long when it is read first.
  return (yield* jsonBytes(value)).toString()
}

/** The whole text as bytes of UTF-8. */
export function* jsonBytes(value: JsonValue): Steps<Buffer> {
  const bytes: Buffer[] = []
  for (const part of jsonParts(value, 'own')) {
    bytes.push(Buffer.from(part))
    yield
  }
  return Buffer.concat(bytes)
}
