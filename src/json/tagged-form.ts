// A value that is more than JSON, written as JSON without losing what it is: dates, big integers, bytes, maps and sets are tagged. For
// hashing what a person approves; undefined where a value holds something that cannot be pinned down, such as an instance of a class.
import type { JsonValue } from './value.ts'

const deepest = 256

export function taggedForm(value: unknown, depth = 0): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : { $number: String(value) }
    case 'bigint':
      return { $bigint: String(value) }
    case 'undefined':
      return { $undefined: true }
    case 'object':
      return value === null ? null : depth > deepest ? undefined : taggedObject(value, depth + 1)
    default:
      return undefined
  }
}

function taggedObject(value: object, depth: number): JsonValue | undefined {
  if (Array.isArray(value)) return taggedList(value, depth)
  if (value instanceof Date) return { $date: Number.isNaN(value.getTime()) ? 'invalid' : value.toISOString() }
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (value instanceof URL) return { $url: value.href }
  if (value instanceof Map) return tagged('$map', taggedList([...value].flat(), depth))
  if (value instanceof Set) return tagged('$set', taggedList([...value], depth))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  // Sorted: the order in which keys were written says nothing.
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  entries.sort(([one], [other]) => (one < other ? -1 : 1))
  return tagged('$object', taggedList(entries.flat(), depth))
}

function taggedList(values: readonly unknown[], depth: number): JsonValue | undefined {
  const list: JsonValue[] = []
  for (const value of values) {
    const form = taggedForm(value, depth)
    if (form === undefined) return undefined
    list.push(form)
  }
  return list
}

const tagged = (tag: string, form: JsonValue | undefined): JsonValue | undefined =>
  form === undefined ? undefined : { [tag]: form }
