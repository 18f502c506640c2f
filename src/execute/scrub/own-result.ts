// What an executor returned, as a copy of our own that no other code holds: every part is read once. A getter, a toJSON, a proxy or a date
// may say something else when it is read again, and its owner may go on writing to it; all that follows reads this copy. A large result is
// copied in steps, each part of it in one.
import { types } from 'node:util'
import { tooManyMembers } from '../../json/copy.ts'
import { mostMembers } from '../../json/refusal.ts'
import { inOneGo, noSteps, type Steps } from '../../json/slices.ts'

export interface OwnResult {
  readonly value: unknown
  /** Whether instances of foreign classes are in it as they are. They are never shown. */
  readonly foreign: boolean
}

interface Copier {
  readonly keepsForeign: boolean
  left: number
  foreign: boolean
  /** Shared parts stay shared, and what contains itself still does: it is refused when it is mapped. */
  seen: Map<object, unknown>
}

/** Twice what a result may hold, as where secrets are looked for. */
const maxValues = 2_000_000
const maxDepth = 256

/** Stands for what could not be read or is too much. It cannot be written as JSON, so the result is refused where it is mapped. */
const unreadable: object = Object.freeze(
  Object.defineProperty({}, 'unreadable', {
    enumerable: true,
    get() {
      throw new TypeError('The object threw while it was read.')
    },
  }),
)

/** Stands for an instance of a foreign class, and is refused like one. */
class ForeignInstance {}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const membersInStep = 1_024

/** `keepsForeign`: such instances stay as they are, for a check of the output that may open them. */
export const copyOfResult = (value: unknown, keepsForeign = false): OwnResult =>
  inOneGo(copyOfResultInSteps(value, keepsForeign))

export function* copyOfResultInSteps(value: unknown, keepsForeign = false): Steps<OwnResult> {
  if (typeof value !== 'object' || value === null) return { value, foreign: false }
  const copier: Copier = { keepsForeign, left: maxValues, foreign: false, seen: new Map() }
  try {
    return { value: yield* copyOf(copier, value, '', 0), foreign: copier.foreign }
  } catch {
    return { value: unreadable, foreign: false }
  }
}

/** Gives the steps of a container, and is none itself: each generator on the way costs what a small result does. */
function copyOf(copier: Copier, value: object, key: string, depth: number): Steps<unknown> {
  if (copier.left-- <= 0 || depth > maxDepth) return noSteps(unreadable)
  const known = copier.seen.get(value)
  if (known !== undefined) return noSteps(known)
  if (types.isDate(value)) return dateOf(copier, value, key, depth)
  // Their bytes are all that becomes of them.
  if (types.isUint8Array(value)) return noSteps(bytesOf(value))
  const convert: unknown = Reflect.get(value, 'toJSON')
  if (typeof convert === 'function') return convertedOf(copier, value, Reflect.apply(convert, value, [key]), key, depth)
  return containerOf(copier, value, depth)
}

/** As in JSON.stringify, toJSON is asked once, not of its own result. */
function* convertedOf(copier: Copier, value: object, made: unknown, key: string, depth: number): Steps<unknown> {
  if (typeof made !== 'object' || made === null) return made
  const copy =
    types.isDate(made) || types.isUint8Array(made)
      ? yield* copyOf(copier, made, key, depth)
      : yield* containerOf(copier, made, depth)
  copier.seen.set(value, copy)
  return copy
}

const isoDate = Date.prototype.toJSON
const timeOf = Date.prototype.getTime

/** A plain date stays one. */
function* dateOf(copier: Copier, date: Date, key: string, depth: number): Steps<unknown> {
  const convert: unknown = Reflect.get(date, 'toJSON')
  if (convert === isoDate) return new Date(timeOf.call(date))
  return typeof convert === 'function'
    ? yield* convertedOf(copier, date, Reflect.apply(convert, date, [key]), key, depth)
    : yield* containerOf(copier, date, depth)
}

function bytesOf(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Buffer.isBuffer(bytes) ? Buffer.from(copy) : new Uint8Array(copy)
}

function containerOf(copier: Copier, value: object, depth: number): Steps<unknown> {
  if (Array.isArray(value)) return arrayOf(copier, value, depth)
  const prototype: unknown = Object.getPrototypeOf(value)
  // The Object.prototype of any realm alone has none above it.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return recordOf(copier, value, prototype, depth)
  if (!copier.keepsForeign) return noSteps(new ForeignInstance())
  copier.foreign = true
  return noSteps(value)
}

function* arrayOf(copier: Copier, array: readonly unknown[], depth: number): Steps<unknown> {
  const { length } = array
  if (length > copier.left) return unreadable
  const copy: unknown[] = []
  copier.seen.set(array, copy)
  for (let index = 0; index < length; index++) {
    const member = array[index]
    if (--copier.left % membersInStep === 0) yield
    // A hole stays one, and is refused as one.
    if (member !== undefined || Object.hasOwn(array, index))
      copy[index] = isContainer(member) ? yield* copyOf(copier, member, String(index), depth + 1) : member
  }
  copy.length = length
  return copy
}

function* recordOf(copier: Copier, record: object, prototype: unknown, depth: number): Steps<unknown> {
  const copy: Record<PropertyKey, unknown> = prototype === null ? Object.create(null) : {}
  copier.seen.set(record, copy)
  const keys = Reflect.ownKeys(record)
  if (keys.length > mostMembers) return tooManyMembers(keys.length)
  if (keys.length > copier.left) return unreadable
  for (const key of keys) {
    if (--copier.left % membersInStep === 0) yield
    if (Object.getOwnPropertyDescriptor(record, key)?.enumerable !== true) continue
    const given: unknown = Reflect.get(record, key)
    const member = isContainer(given) ? yield* copyOf(copier, given, String(key), depth + 1) : given
    // An own member of any name, __proto__ too.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: member, enumerable: true, writable: true, configurable: true })
    else copy[key] = member
  }
  return copy
}
