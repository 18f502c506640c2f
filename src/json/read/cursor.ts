// A place in a text that is being read. Every reader that takes a cursor returns undefined after it has set `fault`,
// which no JSON value is; so the happy path carries no wrapper and a refusal no exception.
import type { RefusalCode } from '../refusal.ts'

export interface Cursor {
  readonly text: string
  readonly maxDepth: number
  readonly maxValues: number
  values: number
  /** False when the text holds a lone surrogate somewhere; only then are strings searched for it. */
  readonly wellFormed: boolean
  at: number
  fault: Fault | undefined
  /** Keys and indexes from the fault outwards, gathered while the readers return. */
  readonly path: (string | number)[]
}

interface Fault {
  readonly code: RefusalCode
  readonly message: string
  readonly at: number
}

const TAB = 9
const LINE_FEED = 10
const RETURN = 13
export const SPACE = 32
export const QUOTE = 34
export const PLUS = 43
export const COMMA = 44
export const MINUS = 45
export const POINT = 46
export const ZERO = 48
export const NINE = 57
export const COLON = 58
export const OPEN_BRACKET = 91
export const BACKSLASH = 92
export const CLOSE_BRACKET = 93
export const OPEN_BRACE = 123
export const CLOSE_BRACE = 125
const END = -1

export function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code > SPACE || (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB)) break
    at++
  }
  return at
}

/** Reading past the end would give NaN and cost the optimizer its integers. */
export function peek(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : END
}
