// Takes an object that other code has parsed and makes it ours: copied once, written as canonical text, and read
// back from that text. When the original changes later, the value is still the one that was hashed.
import { types } from 'node:util'
import { canonicalize } from './canonical.ts'
import { appendPointer } from './pointer.ts'
import { readJson } from './read.ts'
import { deepestNesting, defaultLimits, type ReadLimits, type RefusalCode } from './refusal.ts'
import type { JsonValue } from './value.ts'

/** There is no text, so there is no line to point at. */
export interface CopyRefusal {
  readonly code: RefusalCode
  readonly message: string
  readonly pointer: string
}

export type Copying =
  | { readonly ok: true; readonly value: JsonValue; readonly canonical: string }
  | { readonly ok: false; readonly refusal: CopyRefusal }

export interface CopyOptions extends Partial<ReadLimits> {
  /** For results of the host's own tools: calls `toJSON`, writes bytes as base64, and reads through proxies. */
  readonly toJson?: boolean
}

/** As in the reader, every function below returns undefined after it has set `fault`. */
interface Copier {
  readonly maxBytes: number
  readonly maxDepth: number
  readonly maxValues: number
  readonly toJson: boolean
  /** Every string and key passes through it; each is well-formed. */
  readonly clean: ((text: string) => string) | undefined
  values: number
  /** Keys that had to be told apart. */
  renamed: number
  /** A lower bound of the text's size so far: stops shared references from multiplying without end. */
  size: number
  fault: { readonly code: RefusalCode; readonly message: string } | undefined
  readonly ancestors: object[]
  /** Keys and indexes from the root to the value being copied; left as it is once something fails. */
  readonly path: (string | number)[]
}

/** Every property is read once. Hostile objects end as a refusal: code that they run and that throws is caught. */
export function copyParsed(value: unknown, options: CopyOptions = {}): Copying {
  const limits = limitsOf(options)
  const copier = startCopy(limits, options.toJson ?? false, undefined)
  const copy = copyGuarded(copier, value)
  if (copy === undefined) return copyRefusal(copier)
  const canonical = canonicalize(copy)
  const reading = readJson(canonical, limits)
  if (reading.ok) return { ok: true, value: reading.value, canonical }
  const { code, message, pointer } = reading.refusal
  return { ok: false, refusal: { code, message, pointer } }
}

export type ResultCopying =
  | { readonly ok: true; readonly value: JsonValue; readonly bytes: number }
  | { readonly ok: false; readonly refusal: CopyRefusal }

/** A tool's result as plain JSON, with about how many bytes it takes. It is ours from here on, so it is not read again. */
export function copyResult(
  value: unknown,
  limits: Partial<ReadLimits> = {},
  clean?: (text: string) => string,
): ResultCopying {
  const copier = startCopy(limitsOf(limits), true, clean)
  const copy = copyGuarded(copier, value)
  return copy === undefined ? copyRefusal(copier) : { ok: true, value: copy, bytes: copier.size }
}

function limitsOf(given: Partial<ReadLimits>): ReadLimits {
  const { maxBytes, maxDepth, maxValues } = { ...defaultLimits, ...given }
  return { maxBytes, maxDepth: Math.min(maxDepth, deepestNesting), maxValues }
}

function startCopy(limits: ReadLimits, toJson: boolean, clean: Copier['clean']): Copier {
  return { ...limits, toJson, clean, values: 0, renamed: 0, size: 0, fault: undefined, ancestors: [], path: [] }
}

/** What a foreign object throws is not repeated: it may hold anything, and may itself be hostile. */
function copyGuarded(copier: Copier, value: unknown): JsonValue | undefined {
  try {
    return copyValue(copier, value)
  } catch {
    return failCopy(copier, 'unreadable', 'The object threw while it was read. Give plain data.')
  }
}

function copyValue(copier: Copier, value: unknown): JsonValue | undefined {
  if (++copier.values > copier.maxValues) {
    return failCopy(copier, 'too_many', `The data holds more than ${copier.maxValues} values. Give fewer.`)
  }
  switch (typeof value) {
    case 'string':
      return copyText(copier, value)
    case 'number':
      if (!Number.isFinite(value))
        return failCopy(copier, 'not_finite', 'JSON has no NaN or Infinity. Give null or a string.')
      return hasRoom(copier, 1) ? value : undefined
    case 'boolean':
      return hasRoom(copier, 4) ? value : undefined
    case 'bigint':
      return failCopy(copier, 'not_json', 'JSON has no bigint. Give a string.')
    case 'object':
      if (value !== null) return copyObject(copier, value)
      return hasRoom(copier, 4) ? null : undefined
    default:
      return failCopy(copier, 'not_json', `JSON has no ${typeof value}. Leave it out or give null.`)
  }
}

function copyText(copier: Copier, text: string): string | undefined {
  if (!hasRoom(copier, text.length + 2)) return undefined
  if (!text.isWellFormed()) return failCopy(copier, 'lone_surrogate', 'A string holds half of a surrogate pair.')
  return copier.clean === undefined ? text : copier.clean(text)
}

function copyObject(copier: Copier, value: object): JsonValue | undefined {
  if (!copier.toJson) {
    if (types.isProxy(value)) return failCopy(copier, 'unreadable', 'A proxy is not plain data. Give a plain object.')
    return copyContainer(copier, value)
  }
  if (value instanceof Uint8Array)
    return copyText(copier, Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'))
  const convert: unknown = Reflect.get(value, 'toJSON')
  if (typeof convert !== 'function') return copyContainer(copier, value)
  const converted: unknown = Reflect.apply(convert, value, [String(copier.path.at(-1) ?? '')])
  // As in JSON.stringify, toJSON is asked once, not of its own result.
  const isContainer = typeof converted === 'object' && converted !== null
  return isContainer ? copyContainer(copier, converted) : copyValue(copier, converted)
}

function copyContainer(copier: Copier, value: object): JsonValue | undefined {
  const { ancestors, maxDepth } = copier
  if (ancestors.includes(value)) return failCopy(copier, 'cycle', 'The object contains itself. Give a tree.')
  if (ancestors.length >= maxDepth) {
    return failCopy(copier, 'too_deep', `More than ${maxDepth} arrays and objects lie inside one another.`)
  }
  if (!hasRoom(copier, 2)) return undefined
  ancestors.push(value)
  const copy = Array.isArray(value) ? copyArray(copier, value) : copyRecord(copier, value)
  ancestors.pop()
  return copy
}

function copyArray(copier: Copier, array: readonly unknown[]): JsonValue | undefined {
  const copy: JsonValue[] = []
  const { length } = array
  for (let index = 0; index < length; index++) {
    copier.path.push(index)
    const element = array[index]
    if (element === undefined && !Object.hasOwn(array, index)) {
      return failCopy(copier, 'sparse_array', 'The array has a hole. Give null for an absent element.')
    }
    const value = copyValue(copier, element)
    if (value === undefined) return undefined
    copy.push(value)
    copier.path.pop()
  }
  return copy
}

function copyRecord(copier: Copier, object: object): JsonValue | undefined {
  if (!isPlainObject(object)) {
    return failCopy(copier, 'class_instance', 'An instance of a class is not plain data. Give a plain object or array.')
  }
  // Without a prototype every key is an ordinary one.
  const copy: Record<string, JsonValue> = Object.create(null)
  for (const key of Object.keys(object)) {
    copier.path.push(key)
    if (key === '__proto__')
      return failCopy(copier, 'forbidden_key', 'The key "__proto__" is not allowed. Use another name.')
    const member: unknown = Reflect.get(object, key)
    if (member !== undefined) {
      if (!key.isWellFormed()) return failCopy(copier, 'lone_surrogate', 'A key holds half of a surrogate pair.')
      if (!hasRoom(copier, key.length + 3)) return undefined
      const value = copyValue(copier, member)
      if (value === undefined) return undefined
      copy[copier.clean === undefined ? key : cleanKey(copier, key, object, copy)] = value
    }
    copier.path.pop()
  }
  return copy
}

/** Keys that only differed in what was cleaned away stay apart: one that was made to look like another never takes its place. */
function cleanKey(copier: Copier, key: string, object: object, copy: object): string {
  const plain = copier.clean === undefined ? key : copier.clean(key)
  if (plain === key) return key
  let free = plain === '__proto__' ? 'proto' : plain
  while (free in copy || Object.hasOwn(object, free)) free = `${plain}#${++copier.renamed}`
  return free
}

/** Without a prototype, or with the Object.prototype of any realm, which alone has none above it. */
function isPlainObject(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function hasRoom(copier: Copier, bytes: number): boolean {
  copier.size += bytes
  if (copier.size <= copier.maxBytes) return true
  failCopy(copier, 'too_large', `The data is larger than ${copier.maxBytes} bytes of JSON. Give less.`)
  return false
}

function failCopy(copier: Copier, code: RefusalCode, message: string): undefined {
  copier.fault = { code, message }
}

function copyRefusal(copier: Copier): Extract<Copying, { ok: false }> {
  if (copier.fault === undefined) throw new TypeError('A copy was given up without naming a fault')
  const pointer = copier.path.reduce<string>(appendPointer, '').toWellFormed()
  return { ok: false, refusal: { ...copier.fault, pointer } }
}

/**
 * A copy whose arrays and plain objects no other code holds, so that code of the host may do with it what it likes. Dates and instances of
 * classes are shared, because only their own code knows how to copy them.
 */
export function ownCopy<T>(value: T): T {
  return copyContainers(value) as T
}

function copyContainers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyContainers)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key)
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: member, enumerable: true, writable: true, configurable: true })
    else copy[key] = copyContainers(member)
  }
  return copy
}
