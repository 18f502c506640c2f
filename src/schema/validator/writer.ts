// The text of a validator while it is written: lines, fresh names, and constants that are passed in rather than printed.
// Invariant: text from a schema reaches the program only as a JSON string literal or as a constant, never as code.
import type { NormalSchema } from '../normal.ts'

/** Where a part of the program stands: the value's variable, what to do on failure, what to record. */
export interface Spot {
  readonly value: string
  /** A statement that leaves the current branch, such as `return false`. */
  readonly fail: string
  /** The variable of an `Evaluated`, where an `unevaluated…` keyword asks for what was judged. */
  readonly evaluated?: string
}

export interface Writer {
  line(text: string): void
  /** A name that nothing else in the program has. */
  fresh(prefix: string): string
  constant(value: unknown): string
  /** Writes the checks of a schema at a spot. */
  check(node: NormalSchema, spot: Spot): void
  /** The function for a definition, recording what it judges or not. */
  definition(key: string, recording: boolean): string
  readonly asserting: boolean
}

export function literal(text: string): string {
  return JSON.stringify(text)
}

/** Property access that needs no quotes where the name is plain. */
export function member(object: string, name: string): string {
  return `${object}[${literal(name)}]`
}

/** A condition that is true where the object has the property itself; reading first keeps the common absence cheap. */
export function hasOwnText(object: string, name: string): string {
  return `${member(object, name)}!==undefined&&own.call(${object},${literal(name)})`
}
