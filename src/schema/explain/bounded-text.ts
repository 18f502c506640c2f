// Text from outside made safe to print: cut to a length, control and invisible characters written as escapes.
// Invariant: nothing returned here is longer than its bound by more than the escapes of what it kept.
import type { JsonValue } from '../../json/value.ts'
import { isList } from '../json-type.ts'

export const nameBound = 64
const valueBound = 40

/** Control, format, private and surrogate characters, line and paragraph separators: unseen, and able to mislead. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

export function cut(text: string, bound: number): string {
  if (text.length <= bound) return text
  const last = text.charCodeAt(bound - 2)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return `${text.slice(0, splitsPair ? bound - 2 : bound - 1)}…`
}

export function escapeUnseen(text: string): string {
  return text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

/** A property name in backticks. */
export function quoteName(name: string): string {
  return `\`${escapeUnseen(cut(name, nameBound))}\``
}

/** A value as JSON where it is short and scalar, otherwise undefined: the type has to do then. */
export function quoteShort(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value.length <= valueBound ? escapeUnseen(JSON.stringify(value)) : undefined
  return typeof value === 'object' && value !== null ? undefined : String(value)
}

/** A value that the schema names, as JSON, cut where it is long. */
export function quoteDeclared(value: JsonValue): string {
  if (typeof value === 'string') return escapeUnseen(JSON.stringify(cut(value, 80)))
  if (isList(value) && value.length > 40) return `an array of ${value.length} items`
  return escapeUnseen(cut(JSON.stringify(value), 80))
}

/** `a, b and c`, at most `bound` of them, then `and 7 more`. */
export function listWords(words: readonly string[], bound: number, last: 'and' | 'or'): string {
  if (words.length > bound) return `${words.slice(0, bound).join(', ')} ${last} ${words.length - bound} more`
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}

/** `1 item`, `3 items`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}
