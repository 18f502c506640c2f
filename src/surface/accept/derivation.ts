// How one library's converter is asked for JSON Schema, and what has to be put right in its answer.
import type { JsonObject } from '../../json/value.ts'
import type { Unconvertible } from './unconvertible.ts'

export type SchemaDirection = 'input' | 'output'

/** Runs the library's converter for one direction; it may throw. */
export type Convert = (libraryOptions?: Readonly<Record<string, unknown>>) => unknown

export interface LibraryDerivation {
  /** What to write instead, where the schema does not carry its JSON Schema converter. */
  readonly unwrapped: string
  /** What to write instead, where it carries the converter but not the validator. Absent: the two always come together. */
  readonly unvalidated?: string
  readonly libraryOptions?: (direction: SchemaDirection) => Readonly<Record<string, unknown>>
  /** Asked after the converter threw, because its message names no place. */
  readonly locate?: (convert: Convert) => Unconvertible | undefined
  /** Asked before converting: a place where validator and JSON Schema could never agree. */
  readonly misfit?: (schema: unknown, direction: SchemaDirection) => Unconvertible | undefined
  readonly amend?: (document: JsonObject, schema: unknown) => JsonObject
}

/** What a library made: its schemas are objects or functions, with properties of any kind. */
export type Readable = Readonly<Record<PropertyKey, unknown>>

export function isReadable(value: unknown): value is Readable {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/**
 * Whether a regular expression has flags that a JSON Schema pattern has no room for. Printed without them it says something
 * else than the library checks, so it is left out, and the library's own check stands alone. `u` and `v` are what a JSON
 * Schema pattern already means; `d`, `g` and `y` do not change whether a text matches.
 */
export function changesMeaning(flags: string): boolean {
  return /[ims]/.test(flags)
}
