// What a schema asks of a value first: its JSON type, also as sets of types in bits, and a property of its own.
// A whole number is an integer, however it was written (1.0, 1e2).
import type { JsonValue } from '../json/value.ts'
import type { TypeName } from './normal.ts'

/** A set of JSON types. `number` holds two bits: whole and fractional. */
export type TypeSet = number

const bits: Readonly<Record<TypeName, TypeSet>> = {
  null: 1,
  boolean: 2,
  string: 4,
  array: 8,
  object: 16,
  integer: 32,
  number: 32 | 64,
}

export const noType: TypeSet = 0
export const everyType: TypeSet = 127
export const anyNumber: TypeSet = bits.number

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** The type as the keyword `type` names it: whole numbers are `integer`. */
export function typeNameOf(value: JsonValue): TypeName {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  const type = typeof value
  if (type === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return type === 'string' || type === 'boolean' ? type : 'object'
}

/** The six types of JSON, where all numbers are alike. */
export type JsonType = Exclude<TypeName, 'integer'>

export function jsonTypeOf(value: JsonValue): JsonType {
  const type = typeNameOf(value)
  return type === 'integer' ? 'number' : type
}

/** A property of the object itself; never a prototype's member. */
export function ownValue<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** The one bit of a value's own type: a fractional number is not an integer. */
export function typeBit(value: JsonValue): TypeSet {
  const type = typeNameOf(value)
  return type === 'number' ? 64 : bits[type]
}

export function typeSet(names: readonly TypeName[]): TypeSet {
  let set = noType
  for (const name of names) set |= bits[name]
  return set
}

export function hasType(names: readonly TypeName[], value: JsonValue): boolean {
  const type = typeNameOf(value)
  return names.includes(type) || (type === 'integer' && names.includes('number'))
}

/** The names of a set, the most useful first; `number` stands for both of its bits. */
export function typeNames(set: TypeSet): readonly TypeName[] {
  const names: TypeName[] = []
  for (const name of ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const) {
    if (name === 'integer' && names.includes('number')) continue
    if ((set & bits[name]) === bits[name]) names.push(name)
  }
  return names
}
