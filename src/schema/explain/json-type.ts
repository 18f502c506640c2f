// The JSON type of a value, and sets of types as bits. A whole number is an integer, however it was written (1.0, 1e2).
import type { JsonValue } from '../../json/value.ts'
import type { TypeName } from '../normal.ts'

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

export function typeOf(value: JsonValue): TypeName {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  const type = typeof value
  if (type === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return type === 'string' || type === 'boolean' ? type : 'object'
}

/** The one bit of a value's own type: a fractional number is not an integer. */
export function typeBit(value: JsonValue): TypeSet {
  const type = typeOf(value)
  return type === 'number' ? 64 : bits[type]
}

export function typeSet(names: readonly TypeName[]): TypeSet {
  let set = noType
  for (const name of names) set |= bits[name]
  return set
}

export function hasType(names: readonly TypeName[], value: JsonValue): boolean {
  const type = typeOf(value)
  return names.includes(type) || (type === 'integer' && names.includes('number'))
}

/** The names of a set, the most telling first; `number` stands for both of its bits. */
export function typeNames(set: TypeSet): readonly TypeName[] {
  const names: TypeName[] = []
  for (const name of ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const) {
    if (name === 'integer' && names.includes('number')) continue
    if ((set & bits[name]) === bits[name]) names.push(name)
  }
  return names
}
