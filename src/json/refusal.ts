// Why a text or a parsed object was not accepted as JSON. A message says what is wrong and what to write instead; it
// may name a key, but never repeats a value, because values may be secret and messages travel to models and logs.

export type RefusalCode =
  // what a text can be refused for
  | 'empty'
  | 'syntax'
  | 'truncated'
  | 'trailing_text'
  | 'control_character'
  | 'inexact_number'
  // what a text or a parsed object can be refused for
  | 'duplicate_key'
  | 'forbidden_key'
  | 'lone_surrogate'
  | 'too_deep'
  | 'too_large'
  | 'too_many'
  // what only a parsed object can be refused for
  | 'not_finite'
  | 'not_json'
  | 'sparse_array'
  | 'cycle'
  | 'class_instance'
  | 'unreadable'

/** Where and why a text was refused. Line and column count from 1, columns in UTF-16 code units. */
export interface Refusal {
  readonly code: RefusalCode
  readonly message: string
  readonly line: number
  readonly column: number
  /** RFC 6901 pointer of the value that was being read, or of the member whose key is at fault. */
  readonly pointer: string
}

/** Limits that every reader of foreign data applies before it spends work on it. */
export interface ReadLimits {
  /** Size of the text in UTF-8 bytes. */
  readonly maxBytes: number
  /** Arrays and objects inside one another; more than 1,000 counts as 1,000. */
  readonly maxDepth: number
  /** Values in all, each element and member counted: many tiny ones cost more than their bytes say. */
  readonly maxValues: number
}

/** The members that one object of a result has at most: the engine lists them in one go, which nothing can interrupt. */
export const mostMembers = 100_000

export const defaultLimits: ReadLimits = { maxBytes: 1_048_576, maxDepth: 128, maxValues: 20_000 }

/** Recursive readers use the call stack; beyond this depth no limit a caller states is taken at its word. */
export const deepestNesting = 1_000

/** A key as a message may show it: quoted, and cut so that a hostile key cannot fill the message. */
export function quoteKey(key: string): string {
  return JSON.stringify((key.length > 24 ? `${key.slice(0, 24)}…` : key).toWellFormed())
}
