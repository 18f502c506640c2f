// One thing that is wrong with one field, in words that a model can act on.
// Invariant: no part of it holds the value of a field that was marked sensitive.
import { type ErrorKind, errorKinds } from './keyword-classes.ts'

export interface FieldError {
  /** `topIssues[0].severity`; `$` is the root. Keys that were sent are cut at 64 characters. */
  readonly field: string
  /** The JSON Pointer of the same place; a key of more than 256 characters is cut. */
  readonly pointer: string
  /** The keyword that refused: a row of the keyword table. */
  readonly keyword: string
  readonly kind: ErrorKind
  readonly expected: string
  readonly actual: string
  readonly message: string
}

/** The first kind present, in the order of the gates. It names the class of the whole refusal. */
export function worstKind(errors: readonly FieldError[]): ErrorKind {
  return errorKinds.find((kind) => errors.some((error) => error.kind === kind)) ?? 'structure'
}
