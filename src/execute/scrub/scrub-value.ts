// Takes secrets out of what an executor returned: text, keys, numbers, bytes, collections, errors, and what objects become by toJSON.
// Where nothing is found the value itself comes back, untouched; where something is, only what holds it is copied.
import { isAscii } from 'node:buffer'
import { inOneGo, noSteps, type Steps } from '../../json/slices.ts'
import { marked, markedInSteps, type Scrubber } from './scrubber.ts'
import type { SecretPlace } from './secret-shapes.ts'

export interface Scrubbed {
  readonly value: unknown
  /** How many secrets were taken out, under the names they were handed out by. */
  readonly count: number
  readonly names: ReadonlySet<string>
  /** False where not everything could be looked at; nothing of that can be written as JSON either. */
  readonly whole: boolean
}

interface Walk {
  readonly scrubber: Scrubber
  count: number
  names: Set<string> | undefined
  whole: boolean
  left: number
  inStep: number
  /** Containers and what they became, once there are many: shared ones are not walked again. */
  seen: Map<object, unknown> | undefined
}

/** Twice what a result may hold (result.ts): here a container in a list counts as a member and as itself. */
const maxValues = 2_000_000
const maxDepth = 256
const manyValues = 1_000

/** Stands in place of a value that was not looked at. It cannot be written as JSON, so that value is never shown. */
const notSeen = Symbol('not looked through')

const noNames: ReadonlySet<string> = new Set()

export const scrubValue = (value: unknown, scrubber: Scrubber): Scrubbed => inOneGo(scrubInSteps(value, scrubber))

/** A step looks at so many members, at fewer where they are texts, or at a part of a long text. */
const membersInStep = 1_024
const longText = 16_384

function isStepOver(walk: Walk): boolean {
  if (--walk.inStep > 0) return false
  walk.inStep = membersInStep
  return true
}

export function* scrubInSteps(value: unknown, scrubber: Scrubber): Steps<Scrubbed> {
  const walk: Walk = {
    scrubber,
    count: 0,
    names: undefined,
    whole: true,
    left: maxValues,
    inStep: membersInStep,
    seen: undefined,
  }
  let result = value
  try {
    result = scrubShort(walk, value) ?? (yield* scrubAny(walk, value, 0))
  } catch {
    // What could not be looked through is not shown.
    walk.whole = false
    result = notSeen
  }
  return { value: result, count: walk.count, names: walk.names ?? noNames, whole: walk.whole }
}

/** Undefined where it takes steps: containers and long texts. `undefined` itself has nothing to scrub and comes out as it is. */
function scrubShort(walk: Walk, value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return value.length <= longText ? scrubText(walk, value) : undefined
    case 'object':
      return value === null ? value : undefined
    case 'number':
    case 'bigint': {
      if (!walk.scrubber.numbers) return value
      const text = String(value)
      const scrubbed = scrubText(walk, text)
      return scrubbed === text ? value : scrubbed
    }
    default:
      return value
  }
}

/** What follows gives the steps of its part and is none itself where it can: each generator on the way costs what a small result does. */
function scrubAny(walk: Walk, value: unknown, depth: number): Steps<unknown> {
  if (typeof value === 'string') return scrubLongText(walk, value)
  return typeof value === 'object' && value !== null ? scrubObject(walk, value, depth) : noSteps(value)
}

function scrubText(walk: Walk, text: string): string {
  walk.inStep -= text.length >> 5
  const found = walk.scrubber.find(text)
  if (found.length === 0) return text
  tally(walk, found)
  return marked(text, found)
}

function* scrubLongText(walk: Walk, text: string): Steps<string> {
  if (text.length <= longText) return scrubText(walk, text)
  const found = yield* walk.scrubber.findInSteps(text)
  if (found.length === 0) return text
  tally(walk, found)
  return yield* markedInSteps(text, found)
}

function tally(walk: Walk, found: readonly SecretPlace[]): void {
  walk.count += found.length
  walk.names ??= new Set()
  for (const { name } of found) if (name !== '') walk.names.add(name)
}

function scrubObject(walk: Walk, value: object, depth: number): Steps<unknown> {
  if (depth > maxDepth || walk.left-- <= 0) {
    walk.whole = false
    // A value this deep is refused later, when the result is mapped.
    return noSteps(depth > maxDepth ? value : notSeen)
  }
  return walk.left > maxValues - manyValues ? scrubContainer(walk, value, depth) : scrubOnce(walk, value, depth)
}

function* scrubOnce(walk: Walk, value: object, depth: number): Steps<unknown> {
  walk.seen ??= new Map()
  if (walk.seen.has(value)) return walk.seen.get(value)
  const scrubbed = yield* scrubContainer(walk, value, depth)
  walk.seen.set(value, scrubbed)
  return scrubbed
}

function scrubContainer(walk: Walk, value: object, depth: number): Steps<unknown> {
  return 'toJSON' in value && !(value instanceof Date)
    ? scrubConverted(walk, value, depth)
    : scrubMembers(walk, value, depth)
}

function* scrubConverted(walk: Walk, value: object, depth: number): Steps<unknown> {
  const jsonForm = yield* scrubJsonForm(walk, value, depth)
  return jsonForm === undefined ? yield* scrubMembers(walk, value, depth) : jsonForm.value
}

function scrubMembers(walk: Walk, value: object, depth: number): Steps<unknown> {
  if (Array.isArray(value)) return scrubArray(walk, value, depth)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return scrubRecord(walk, value, Object.keys(value), depth)
  return scrubInstance(walk, value, depth)
}

function* scrubArray(walk: Walk, array: readonly unknown[], depth: number): Steps<unknown> {
  let copy: unknown[] | undefined
  for (let index = 0; index < array.length; index++) {
    if (walk.left-- <= 0) {
      walk.whole = false
      return notSeen
    }
    if (isStepOver(walk)) yield
    const member = array[index]
    const scrubbed = scrubShort(walk, member) ?? (yield* scrubAny(walk, member, depth + 1))
    if (Object.is(scrubbed, member)) continue
    copy ??= array.slice()
    copy[index] = scrubbed
  }
  return copy ?? array
}

/** The names of its members are text too. */
function* scrubRecord(walk: Walk, record: object, keys: readonly PropertyKey[], depth: number): Steps<object> {
  let changes: Map<PropertyKey, readonly [key: PropertyKey, value: unknown]> | undefined
  for (const key of keys) {
    if (isStepOver(walk)) yield
    const member: unknown = Reflect.get(record, key)
    const scrubbed = scrubShort(walk, member) ?? (yield* scrubAny(walk, member, depth + 1))
    const name = typeof key === 'string' && key.length > longText ? yield* scrubLongText(walk, key) : keyOf(walk, key)
    if (name === key && Object.is(scrubbed, member)) continue
    changes ??= new Map()
    changes.set(key, [name, scrubbed])
  }
  return changes === undefined ? record : yield* changed(walk, record, changes)
}

const keyOf = (walk: Walk, key: PropertyKey): PropertyKey => (typeof key === 'string' ? scrubText(walk, key) : key)

function* changed(
  walk: Walk,
  record: object,
  changes: ReadonlyMap<PropertyKey, readonly [PropertyKey, unknown]>,
): Steps<object> {
  const copy: object = Object.create(Object.getPrototypeOf(record))
  const numbers = new Map<PropertyKey, number>()
  for (const key of Reflect.ownKeys(record)) {
    if (isStepOver(walk)) yield
    const [name, value] = changes.get(key) ?? [key, Reflect.get(record, key)]
    const enumerable = Object.getOwnPropertyDescriptor(record, key)?.enumerable ?? true
    Object.defineProperty(copy, freeName(copy, name, numbers), {
      value,
      enumerable,
      writable: true,
      configurable: true,
    })
  }
  return copy
}

/** Two keys that differed in their secrets alone are still two. By name the last number that was given: none is tried twice. */
function freeName(record: object, name: PropertyKey, numbers: Map<PropertyKey, number>): PropertyKey {
  if (!Object.hasOwn(record, name)) return name
  let number = (numbers.get(name) ?? 1) + 1
  while (Object.hasOwn(record, `${String(name)}#${number}`)) number++
  numbers.set(name, number)
  return `${String(name)}#${number}`
}

function* scrubInstance(walk: Walk, value: object, depth: number): Steps<unknown> {
  if (ArrayBuffer.isView(value)) return yield* scrubBytes(walk, value)
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return yield* scrubBuffer(walk, value)
  if (value instanceof Map) return yield* scrubMap(walk, value, depth)
  if (value instanceof Set) return yield* scrubSet(walk, value, depth)
  // What an error says is no enumerable member of it.
  const keys = value instanceof Error ? Reflect.ownKeys(value) : Object.keys(value)
  return keys.length === 0 ? value : yield* scrubRecord(walk, value, keys, depth)
}

/** What it becomes in JSON, where that holds a secret. Its own members are looked at besides: others may read them. */
function* scrubJsonForm(walk: Walk, value: object, depth: number): Steps<{ readonly value: unknown } | undefined> {
  const convert: unknown = Reflect.get(value, 'toJSON')
  // What bytes become is numbers, one for each; as bytes they are looked through anyway.
  const isBytes = Buffer.isBuffer(value) && convert === Buffer.prototype.toJSON
  if (typeof convert !== 'function' || isBytes) return undefined
  const before = walk.count
  const scrubbed = yield* scrubAny(walk, Reflect.apply(convert, value, ['']), depth + 1)
  return walk.count === before ? undefined : { value: scrubbed }
}

function* scrubMap(walk: Walk, map: ReadonlyMap<unknown, unknown>, depth: number): Steps<unknown> {
  const before = walk.count
  const copy = new Map<unknown, unknown>()
  for (const [key, member] of map) {
    const name = scrubShort(walk, key) ?? (yield* scrubAny(walk, key, depth + 1))
    const scrubbed = scrubShort(walk, member) ?? (yield* scrubAny(walk, member, depth + 1))
    copy.set(copy.has(name) ? `${String(name)}#${copy.size}` : name, scrubbed)
    if (isStepOver(walk)) yield
  }
  return walk.count === before ? map : copy
}

function* scrubSet(walk: Walk, set: ReadonlySet<unknown>, depth: number): Steps<unknown> {
  const before = walk.count
  const copy = new Set<unknown>()
  for (const member of set) {
    copy.add(scrubShort(walk, member) ?? (yield* scrubAny(walk, member, depth + 1)))
    if (isStepOver(walk)) yield
  }
  return walk.count === before ? set : copy
}

/** Bytes are searched as the text they may be, also where each character takes two of them. */
function* scrubBytes(walk: Walk, view: ArrayBufferView): Steps<unknown> {
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength)
  const scrubbed = yield* scrubRaw(walk, bytes)
  if (scrubbed === undefined) return view
  return Buffer.isBuffer(view) ? scrubbed : new Uint8Array(scrubbed)
}

function* scrubBuffer(walk: Walk, buffer: ArrayBuffer | SharedArrayBuffer): Steps<unknown> {
  return (yield* scrubRaw(walk, Buffer.from(buffer))) ?? buffer
}

/** The readings that lose nothing come first. An odd number of bytes before it shifts every character of two bytes by one. */
const readings = [
  { encoding: 'latin1', skipped: 0 },
  { encoding: 'utf16le', skipped: 0 },
  { encoding: 'utf16le', skipped: 1 },
  { encoding: 'utf8', skipped: 0 },
] as const

function* scrubRaw(walk: Walk, bytes: Buffer): Steps<Buffer | undefined> {
  let scrubbed = bytes
  const mayBeWide = walk.scrubber.wide || bytes.includes(0)
  for (const { encoding, skipped } of readings) {
    if (encoding === 'utf16le' && !mayBeWide) continue
    // Then it reads as the first did.
    if (encoding === 'utf8' && isAscii(scrubbed)) continue
    // A last byte that is half a character is left out: Node writes it beyond its own memory where the bytes begin at an odd address.
    const end = encoding === 'utf16le' ? scrubbed.length - ((scrubbed.length - skipped) % 2) : scrubbed.length
    const text = scrubbed.subarray(skipped, end).toString(encoding)
    const clean = yield* scrubLongText(walk, text)
    if (clean !== text)
      scrubbed = Buffer.concat([scrubbed.subarray(0, skipped), Buffer.from(clean, encoding), scrubbed.subarray(end)])
  }
  return scrubbed === bytes ? undefined : scrubbed
}
