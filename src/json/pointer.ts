// JSON Pointers (RFC 6901) and the paths people read. A pointer is the identity of a place; a path is only for eyes.
// Reading follows own properties alone, so that no pointer ever reaches a prototype.
import type { JsonValue } from './value.ts'

const pointerSyntax = /^(?:\/(?:[^~]|~[01])*)?$/u
const indexSyntax = /^(?:0|[1-9][0-9]{0,15})$/
const plainName = /^[\p{L}_$][\p{L}\p{N}_$]*$/u

/** True for the empty pointer and for tokens that each begin with a slash and use only the escapes ~0 and ~1. */
export function isPointer(text: string): boolean {
  return pointerSyntax.test(text)
}

export function escapeToken(token: string): string {
  return token.includes('~') || token.includes('/') ? token.replaceAll('~', '~0').replaceAll('/', '~1') : token
}

export function appendPointer(pointer: string, token: string | number): string {
  return `${pointer}/${typeof token === 'number' ? token : escapeToken(token)}`
}

/** The unescaped tokens of a pointer; the root has none. Throws on a text that is no pointer: check it on entry. */
export function tokensOf(pointer: string): readonly string[] {
  if (pointer === '') return []
  if (!isPointer(pointer)) throw new RangeError(`Not a JSON Pointer: ${JSON.stringify(pointer.slice(0, 64))}`)
  const tokens = pointer.slice(1).split('/')
  return pointer.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens
}

/** The value at a pointer, or undefined where there is none. */
export function readPointer(value: JsonValue, pointer: string): JsonValue | undefined {
  return readTokens(value, tokensOf(pointer))
}

/** The same for a caller that follows one pointer again and again: splitting it takes longer than following it. */
export function readTokens(value: JsonValue, tokens: readonly string[]): JsonValue | undefined {
  let here: JsonValue | undefined = value
  for (const token of tokens) {
    if (typeof here !== 'object' || here === null) return undefined
    here = isArray(here) ? elementAt(here, token) : Object.hasOwn(here, token) ? here[token] : undefined
  }
  return here
}

/**
 * The place as people write it: `topIssues[0].severity`, `["a.b"]` for awkward keys, `$` for the root.
 * In a list of tokens numbers are indexes; in a pointer each token that looks like an index is shown as one.
 */
export function fieldPath(place: string | readonly (string | number)[]): string {
  const tokens = typeof place === 'string' ? tokensOf(place).map(asIndex) : place
  if (tokens.length === 0) return '$'
  let path = ''
  for (const token of tokens) {
    if (typeof token === 'number') path += `[${token}]`
    else if (!plainName.test(token) || token === '$') path += `[${JSON.stringify(token)}]`
    else path += path === '' ? token : `.${token}`
  }
  return path
}

function asIndex(token: string): string | number {
  return indexSyntax.test(token) ? Number(token) : token
}

function elementAt(array: readonly JsonValue[], token: string): JsonValue | undefined {
  return indexSyntax.test(token) ? array[Number(token)] : undefined
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
