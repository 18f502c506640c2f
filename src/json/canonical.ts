// The canonical text of a JSON value (RFC 8785): keys ordered by UTF-16 code units, numbers as ECMAScript prints them,
// no space. Different values never share a text, so a hash of it identifies the value.
import type { JsonObject, JsonValue } from './value.ts'

/**
 * Canonical text of a value that readJson or copyParsed let in. A lone surrogate, which they refuse, is written as an
 * escape, so that a hash over a foreign identifier neither throws nor merges two of them. Throws on what is no JSON.
 */
export function canonicalize(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      return printNumber(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      return isArray(value) ? printArray(value) : printObject(value)
    default:
      throw new TypeError(`Not a JSON value: ${typeof value}`)
  }
}

function printNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError('Not a JSON number')
  return `${value}`
}

function printArray(array: readonly JsonValue[]): string {
  if (array.length === 0) return '[]'
  let text = '['
  for (let index = 0; index < array.length; index++) {
    if (index > 0) text += ','
    text += canonicalize(array[index] as JsonValue)
  }
  return `${text}]`
}

function printObject(object: JsonObject): string {
  const keys = Object.keys(object)
  if (keys.length === 0) return '{}'
  sortKeys(keys)
  let text = '{'
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    if (index > 0) text += ','
    text += quote(key)
    text += ':'
    text += canonicalize(object[key] as JsonValue)
  }
  return `${text}}`
}

/** Array.prototype.sort compares by UTF-16 code units, which is the order the RFC asks for. */
function sortKeys(keys: string[]): void {
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index] as string) < (keys[index - 1] as string)) {
      keys.sort()
      return
    }
  }
}

/** JSON.stringify writes exactly the escapes of the RFC; short plain strings, the common case, skip the call. */
function quote(text: string): string {
  if (text.length > 48) return JSON.stringify(text)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 32 || code === 34 || code === 92 || (code & 0xf800) === 0xd800) return JSON.stringify(text)
  }
  return `"${text}"`
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
