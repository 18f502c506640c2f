// Reads JSON that is too large to be read in one go: the value that JSON.parse gives, in steps. A short text is read by JSON.parse itself,
// which is many times as fast.
import type { Steps } from './slices.ts'
import type { JsonObject, JsonValue } from './value.ts'

export interface ParseOptions {
  /** Integers that JavaScript cannot hold become texts, digit by digit. */
  readonly exact?: boolean
  /** More members in one object are refused. */
  readonly mostMembers?: number
}

/** A text is no JSON, or goes beyond a bound. */
export class Unparsed extends Error {
  readonly reason: 'syntax' | 'too_many_members'
  constructor(reason: Unparsed['reason']) {
    super(reason)
    this.reason = reason
  }
}

interface OpenValue {
  readonly value: JsonObject | JsonValue[]
  /** Of the member that is being read; undefined in a list. */
  key: string | undefined
  count: number
}

/** JSON.parse takes 4 ms for the worst text of this length. */
const shortText = 131_072
const valuesInStep = 1_024

/** Throws `Unparsed`. */
export function* parseInSteps(text: string, options: ParseOptions = {}, least = shortText): Steps<JsonValue> {
  const { exact = false, mostMembers = Number.POSITIVE_INFINITY } = options
  // Only long runs of digits can be inexact, and where each value is asked about it takes 20 times as long.
  if (text.length <= least && !(exact && longDigits.test(text))) return parsedAtOnce(text)
  const open: OpenValue[] = []
  let at = 0
  let left = valuesInStep
  const space = () => {
    for (let code = text.charCodeAt(at); isJsonSpace(code); code = text.charCodeAt(at)) at++
  }
  const match = (token: RegExp): string => {
    token.lastIndex = at
    const found = token.exec(text)?.[0]
    if (found === undefined) throw new Unparsed('syntax')
    at += found.length
    return found
  }
  const begin = (value: JsonObject | JsonValue[]): JsonValue => {
    at++
    open.push({ value, key: undefined, count: 0 })
    return value
  }
  const readText = (): string => {
    const end = endOfText(text, at)
    const whole = text.slice(at, end)
    at = end
    return parsedAtOnce(whole) as string
  }
  const readKey = (into: OpenValue): void => {
    space()
    if (text[at] !== '"') throw new Unparsed('syntax')
    into.key = readText()
    space()
    if (text[at++] !== ':') throw new Unparsed('syntax')
  }
  const readValue = (): JsonValue => {
    space()
    switch (text[at]) {
      case '{':
        return begin({})
      case '[':
        return begin([])
      case '"':
        return readText()
      case 't':
      case 'f':
      case 'n':
        return wordValues.get(match(word)) ?? null
      default: {
        const digits = match(number)
        return exact && integer.test(digits) && !Number.isSafeInteger(Number(digits)) ? digits : Number(digits)
      }
    }
  }
  const root = readValue()
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    if (--left <= 0) {
      left = valuesInStep
      yield
    }
    const { value } = top
    const end = Array.isArray(value) ? ']' : '}'
    space()
    if (text[at] === end) {
      at++
      open.pop()
      continue
    }
    if (top.count > 0 && text[at++] !== ',') throw new Unparsed('syntax')
    if (++top.count > mostMembers && !Array.isArray(value)) throw new Unparsed('too_many_members')
    if (!Array.isArray(value)) readKey(top)
    const before = at
    const member = readValue()
    // A long text is as much work as many values.
    left -= (at - before) >> 6
    if (Array.isArray(value)) value.push(member)
    else put(value, top.key ?? '', member)
  }
  space()
  if (at < text.length) throw new Unparsed('syntax')
  return root
}

function parsedAtOnce(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw new Unparsed('syntax')
  }
}

/** An own member of any name, __proto__ too. */
function put(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else (object as Record<string, JsonValue>)[key] = value
}

/** Behind the quotation mark that ends the text which begins here. */
function endOfText(text: string, from: number): number {
  const first = text.indexOf('"', from + 1)
  if (first >= 0 && text.charCodeAt(first - 1) !== backslash) return first + 1
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quotationMark) return at + 1
  }
  throw new Unparsed('syntax')
}

const backslash = 0x5c
const quotationMark = 0x22
const isJsonSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
const longDigits = /[0-9]{16}/
const word = /true|false|null/y
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const integer = /^-?[0-9]+$/
const wordValues: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
  ['null', null],
])
