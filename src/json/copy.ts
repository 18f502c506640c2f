// Takes an object that other code has parsed and makes it ours: copied once, written as canonical text, and read
// back from that text. When the original changes later, the value is still the one that was hashed.
import { types } from 'node:util'
import { canonicalize } from './canonical.ts'
import { appendPointer } from './pointer.ts'
import { readJson } from './read.ts'
import { deepestNesting, defaultLimits, mostMembers, type ReadLimits, type RefusalCode } from './refusal.ts'
import { inOneGo, type Steps } from './slices.ts'
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

/** What every string and key of a result passes through. */
export interface TextCleaner {
  inOneGo(text: string): string
  /** The same for a long one. */
  inSteps(text: string): Steps<string>
}

/** As in the reader, every function below that gives a value gives undefined after it has set `fault`. */
interface Copier {
  readonly maxBytes: number
  readonly maxDepth: number
  readonly maxValues: number
  readonly toJson: boolean
  /** Every string and key passes through it; each is well-formed. */
  readonly clean: TextCleaner | undefined
  values: number
  /** Keys that had to be told apart. */
  renamed: number
  /** A lower bound of the text's size so far: stops shared references from multiplying without end. */
  size: number
  fault: { readonly code: RefusalCode; readonly message: string } | undefined
  /** From the root to the container that is being copied; left as it is once something fails. */
  readonly open: Container[]
}

/** An array or an object of which a part is copied. */
interface Container {
  readonly source: object
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  /** The member that is being copied. */
  at: number
  readonly copy: JsonValue[] | Record<string, JsonValue>
}

/** Every property is read once. Hostile objects end as a refusal: code that they run and that throws is caught. */
export function copyParsed(value: unknown, options: CopyOptions = {}): Copying {
  const limits = limitsOf(options)
  const copier = startCopy(limits, options.toJson ?? false, undefined)
  const copy = inOneGo(copyGuarded(copier, value))
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
export function copyResult(value: unknown, limits: Partial<ReadLimits> = {}, clean?: TextCleaner): ResultCopying {
  return inOneGo(copyResultInSteps(value, limits, clean))
}

export function* copyResultInSteps(
  value: unknown,
  limits: Partial<ReadLimits> = {},
  clean?: TextCleaner,
): Steps<ResultCopying> {
  const copier = startCopy(limitsOf(limits), true, clean)
  const copy = yield* copyGuarded(copier, value)
  return copy === undefined ? copyRefusal(copier) : { ok: true, value: copy, bytes: copier.size }
}

function limitsOf(given: Partial<ReadLimits>): ReadLimits {
  const { maxBytes, maxDepth, maxValues } = { ...defaultLimits, ...given }
  return { maxBytes, maxDepth: Math.min(maxDepth, deepestNesting), maxValues }
}

function startCopy(limits: ReadLimits, toJson: boolean, clean: Copier['clean']): Copier {
  return { ...limits, toJson, clean, values: 0, renamed: 0, size: 0, fault: undefined, open: [] }
}

/** What a foreign object throws is not repeated: it may hold anything, and may itself be hostile. */
function* copyGuarded(copier: Copier, value: unknown): Steps<JsonValue | undefined> {
  try {
    return yield* copyAll(copier, value)
  } catch {
    return failCopy(copier, 'unreadable', 'The object threw while it was read. Give plain data.')
  }
}

/** Members are copied in steps of so many. */
const membersInStep = 512
/** A shorter text is cleaned at once. */
const longText = 4_096

/** The way down is a list and not the stack, so that a step can end at every member. */
function* copyAll(copier: Copier, root: unknown): Steps<JsonValue | undefined> {
  const { open } = copier
  let copy = copyValue(copier, root)
  if (typeof copy === 'string' && copier.clean !== undefined) copy = yield* copier.clean.inSteps(copy)
  let left = membersInStep
  for (let container = open.at(-1); container !== undefined; container = open.at(-1)) {
    if (container.at >= container.length) {
      open.pop()
      const above = open.at(-1)
      if (above !== undefined) above.at++
      continue
    }
    if (--left === 0) {
      left = membersInStep
      yield
    }
    const depth = open.length
    const { source, keys, at } = container
    const key = keys?.[at]
    let name = key
    let member: unknown
    if (key === undefined) {
      member = (source as readonly unknown[])[at]
      if (member === undefined && !Object.hasOwn(source, at))
        return failCopy(copier, 'sparse_array', 'The array has a hole. Give null for an absent element.')
    } else {
      if (key === '__proto__')
        return failCopy(copier, 'forbidden_key', 'The key "__proto__" is not allowed. Use another name.')
      member = Reflect.get(source, key)
      if (member === undefined) {
        container.at++
        continue
      }
      if (!key.isWellFormed()) return failCopy(copier, 'lone_surrogate', 'A key holds half of a surrogate pair.')
      if (!hasRoom(copier, key.length + 3)) return undefined
    }
    let value = copyValue(copier, member)
    if (value === undefined) return undefined
    if (copier.clean !== undefined) {
      if (typeof value === 'string')
        value = value.length < longText ? copier.clean.inOneGo(value) : yield* copier.clean.inSteps(value)
      if (key !== undefined)
        name = nameOf(
          copier,
          container,
          key.length < longText ? copier.clean.inOneGo(key) : yield* copier.clean.inSteps(key),
        )
    }
    if (name === undefined) (container.copy as JsonValue[]).push(value)
    else (container.copy as Record<string, JsonValue>)[name] = value
    // A container is filled from here on, and this one goes on behind it.
    if (open.length === depth) container.at++
  }
  return copy
}

/** A container is opened, and copied empty. */
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
  return text
}

function copyObject(copier: Copier, value: object): JsonValue | undefined {
  if (value instanceof TooManyMembers) return failCopy(copier, 'too_many', manyMembers(value.count))
  if (!copier.toJson) {
    if (types.isProxy(value)) return failCopy(copier, 'unreadable', 'A proxy is not plain data. Give a plain object.')
    return openContainer(copier, value)
  }
  if (value instanceof Uint8Array)
    return copyText(copier, Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'))
  const convert: unknown = Reflect.get(value, 'toJSON')
  if (typeof convert !== 'function') return openContainer(copier, value)
  const converted: unknown = Reflect.apply(convert, value, [String(pathOf(copier).at(-1) ?? '')])
  // As in JSON.stringify, toJSON is asked once, not of its own result.
  const isContainer = typeof converted === 'object' && converted !== null
  return isContainer ? openContainer(copier, converted) : copyValue(copier, converted)
}

const manyMembers = (count: number): string =>
  `An object has ${count} members. ${mostMembers} are read at most, because they are listed in one go. Give a list.`

/** Stands for an object of which no more was read than how many members it has, and is refused like it. */
class TooManyMembers {
  readonly count: number
  constructor(count: number) {
    this.count = count
  }
}
export const tooManyMembers = (count: number): object => new TooManyMembers(count)

function openContainer(copier: Copier, source: object): JsonValue | undefined {
  const { open, maxDepth } = copier
  if (open.some((container) => container.source === source))
    return failCopy(copier, 'cycle', 'The object contains itself. Give a tree.')
  if (open.length >= maxDepth) {
    return failCopy(copier, 'too_deep', `More than ${maxDepth} arrays and objects lie inside one another.`)
  }
  if (!hasRoom(copier, 2)) return undefined
  const isArray = Array.isArray(source)
  if (!isArray && !isPlainObject(source))
    return failCopy(copier, 'class_instance', 'An instance of a class is not plain data. Give a plain object or array.')
  const keys = isArray ? undefined : Object.keys(source)
  if (keys !== undefined && keys.length > mostMembers) return failCopy(copier, 'too_many', manyMembers(keys.length))
  // Without a prototype every key is an ordinary one.
  const copy: Container['copy'] = isArray ? [] : (Object.create(null) as Record<string, JsonValue>)
  const length = keys?.length ?? (source as readonly unknown[]).length
  open.push({ source, keys, length, at: 0, copy })
  return copy
}

/** Keys and indexes from the root to the value that is being copied. */
function pathOf({ open }: Copier): readonly (string | number)[] {
  return open.flatMap(({ keys, at, length }) => (at < length ? [keys?.[at] ?? at] : []))
}

/** Keys that only differed in what was cleaned away stay apart: one that was made to look like another never takes its place. */
function nameOf(copier: Copier, { source, copy, keys, at }: Container, plain: string): string {
  if (plain === keys?.[at]) return plain
  let free = plain === '__proto__' ? 'proto' : plain
  while (free in copy || Object.hasOwn(source, free)) free = `${plain}#${++copier.renamed}`
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
  const pointer = pathOf(copier).reduce<string>(appendPointer, '').toWellFormed()
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
