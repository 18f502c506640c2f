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
    case 'object': {
      if (value === null) return 'null'
      const ordered = orderKeys(value)
      // The engine prints faster than we do, and what it prints is one flat text rather than a rope of pieces.
      return ordered === undefined ? print(value) : JSON.stringify(ordered)
    }
    default:
      throw new TypeError(`Not a JSON value: ${typeof value}`)
  }
}

/**
 * The same value with its keys in order, sharing what is in order already; undefined where an object would not keep the
 * order: names that look like indexes come first in every object, and __proto__ is no ordinary name.
 */
function orderKeys(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'object') return value
  if (value === null) return value
  return isArray(value) ? orderArray(value) : orderObject(value)
}

function orderArray(array: readonly JsonValue[]): JsonValue | undefined {
  let copy: JsonValue[] | undefined
  for (let index = 0; index < array.length; index++) {
    const element = array[index] as JsonValue
    const ordered = orderKeys(element)
    if (ordered === undefined) return undefined
    if (ordered !== element) copy ??= array.slice(0, index)
    copy?.push(ordered)
  }
  return copy ?? array
}

function orderObject(object: JsonObject): JsonValue | undefined {
  const keys = Object.keys(object)
  let changed = sortKeys(keys)
  const copy: Record<string, JsonValue> = {}
  for (const key of keys) {
    const code = key.charCodeAt(0)
    if ((code >= 48 && code <= 57) || key === '__proto__') return undefined
    const member = object[key] as JsonValue
    const ordered = orderKeys(member)
    if (ordered === undefined) return undefined
    if (ordered !== member) changed = true
    copy[key] = ordered
  }
  return changed ? copy : object
}

/** By hand, for what the engine would print in another order, and to refuse what is no JSON. */
function print(value: JsonValue): string {
  if (typeof value === 'number') return printNumber(value)
  if (typeof value !== 'object' || value === null) return canonicalize(value)
  return isArray(value) ? printArray(value) : printObject(value)
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
    text += print(array[index] as JsonValue)
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
    text += print(object[key] as JsonValue)
  }
  return `${text}}`
}

/** Beyond so many keys the engine sorts faster than one key after another is put in its place. */
const fewKeys = 16

/** By UTF-16 code units, as the engine compares texts; that is the order the RFC asks for. True where it had to sort. */
function sortKeys(keys: string[]): boolean {
  let changed = false
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] as string
    let before = index - 1
    if (!(key < (keys[before] as string))) continue
    changed = true
    if (keys.length > fewKeys) {
      keys.sort()
      return true
    }
    for (; before >= 0 && key < (keys[before] as string); before--) keys[before + 1] = keys[before] as string
    keys[before + 1] = key
  }
  return changed
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
