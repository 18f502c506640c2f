// Secrets that were spelled character by character and then wrapped in base64 or hex: there are too many such spellings to look for each.
// What looks wrapped is unwrapped, and looked through only around what may spell a character of a secret: in an image there is none.
import type { Steps } from '../../json/slices.ts'
import { textOf } from './decoded-text.ts'
import { readSpelling } from './read-spelling.ts'
import type { SecretPlace } from './secret-shapes.ts'

/** What is known of the secrets of one call, for the look into what is wrapped. */
export interface Wrapping {
  /** The characters that they consist of, and those that a spelling may be spelled with once more. */
  readonly characters: ReadonlySet<number>
  /** How far a spelled secret reaches around one of its characters, in bytes. */
  readonly reach: number
}

/** `&#x000061;` twice over, and more. */
const longestSpelling = 16
const signs = '%&\\'

export function wrappingOf(secrets: readonly string[]): Wrapping {
  const characters = new Set<number>()
  const all = secrets.join('') + signs
  for (const character of all) characters.add(character.codePointAt(0) ?? 0)
  // A character may be spelled by halves, or by its bytes.
  for (let at = 0; at < all.length; at++) characters.add(all.charCodeAt(at))
  for (const byte of Buffer.from(secrets.join(''))) characters.add(byte)
  return { characters, reach: longestSpelling * Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret))) }
}

/** Shorter runs hold no spelled secret. */
const leastRun = 12
/** So many runs are read in a step, where they are short. */
const readingsInStep = 512

/** By the code of a character: whether it is one of these. */
function tableOf(alphabet: string): Uint8Array {
  const table = new Uint8Array(128)
  for (const character of alphabet) table[character.charCodeAt(0)] = 1
  return table
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const decimals = '0123456789'
const wraps = [
  {
    encoding: 'base64',
    alphabet: tableOf(`${letters}${letters.toLowerCase()}${decimals}+/-_`),
    digits: 4,
    bytes: 3,
    least: 1,
  },
  { encoding: 'hex', alphabet: tableOf(`${decimals}abcdefABCDEF`), digits: 2, bytes: 1, least: 2 },
] as const

/** Stretches of characters of an alphabet. By hand: a regular expression overflows its stack on a run of megabytes. */
function* runsOf(text: string, alphabet: Uint8Array, window: number): Steps<readonly Run[]> {
  const { length } = text
  const runs: Run[] = []
  let from = 0
  for (let at = 0, left = window; at <= length; at++) {
    if (--left === 0) {
      left = window
      yield
    }
    if (at < length && alphabet[text.charCodeAt(at)] === 1) continue
    if (at - from >= leastRun) runs.push([from, at])
    from = at + 1
  }
  return runs
}

type Run = readonly [from: number, to: number]

/** By its places in the text. `look` finds secrets in what was unwrapped. */
export function* findWrapped(
  text: string,
  wrapping: Wrapping,
  look: (unwrapped: string) => Steps<readonly SecretPlace[]>,
  window: number,
): Steps<readonly SecretPlace[]> {
  const found: SecretPlace[] = []
  let read = 0
  // Where the wrapped text begins within the run is not known.
  for (const wrap of wraps) {
    const { digits, bytes, least } = wrap
    for (const [first, last] of yield* runsOf(text, wrap.alphabet, window))
      for (let skipped = 0; skipped < digits; skipped++) {
        const begin = first + skipped
        if (++read % readingsInStep === 0) yield
        const run = text.slice(begin, last - ((last - begin) % least))
        const raw = yield* unwrapped(run, wrap, window)
        const at = (offset: number, round: (value: number) => number) => begin + round((offset * digits) / bytes)
        for (const [from, to] of yield* windowsOf(raw, wrapping, window)) {
          const { text: inside, places } = yield* readBytes(raw.subarray(from, to), window)
          const placeOf = (character: number) =>
            from + (character < inside.length ? (places[character] ?? 0) : to - from)
          for (const { start, end, name } of yield* look(inside))
            found.push({
              start: at(placeOf(start), Math.floor),
              end: Math.min(at(placeOf(end), Math.ceil), text.length),
              name,
            })
        }
      }
    yield
  }
  return found
}

function* unwrapped(run: string, { encoding, digits, bytes }: (typeof wraps)[number], window: number): Steps<Buffer> {
  if (run.length <= window) return Buffer.from(run, encoding)
  const raw = Buffer.allocUnsafe(Math.ceil(run.length / digits) * bytes)
  // Each step has whole groups of digits.
  const step = Math.max(1, Math.floor(window / digits)) * digits
  let length = 0
  for (let from = 0; from < run.length; from += step) {
    length += raw.write(run.slice(from, from + step), length, encoding)
    yield
  }
  return raw.subarray(0, length)
}

/** By the byte: 1 begins a spelling, 2 is a digit of hex. */
const kinds = new Uint8Array(256)
for (const sign of signs) kinds[sign.charCodeAt(0)] = 1
for (const digit of `${decimals}abcdefABCDEF`) kinds[digit.charCodeAt(0)] = 2
/** What may follow on such a beginning: digits of hex, the number sign, and the letters of names and escapes. */
const followers = tableOf(`#${decimals}${letters}${letters.toLowerCase()}"'/\\`)
/** So many digits of hex may be a secret in letters of both sizes. */
const leastDigits = 12

/** Stretches around what may spell a character of a secret, none overlapping another. */
function* windowsOf(raw: Buffer, { characters, reach }: Wrapping, window: number): Steps<readonly Run[]> {
  const windows: [number, number][] = []
  const spelled = { code: 0, end: 0 }
  const { length } = raw
  let digits = 0
  for (let at = 0, left = window; at < length; at++) {
    if (--left === 0) {
      left = window
      yield
    }
    const kind = kinds[raw[at] ?? 0]
    digits = kind === 2 ? digits + 1 : 0
    if (kind === 1) {
      // Most signs of noise are sorted out by what follows, without a text being made.
      if (followers[raw[at + 1] ?? 0] !== 1) continue
      const word = raw.toString('latin1', at, at + longestSpelling)
      if (!readSpelling(word, 0, word.charCodeAt(0), spelled) || !characters.has(spelled.code)) continue
    } else if (digits !== leastDigits) continue
    const [from, to] = [Math.max(0, at - reach), Math.min(length, at + reach)]
    const last = windows.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = to
    else windows.push([from, to])
  }
  return windows
}

interface ReadBytes {
  readonly text: string
  /** By the character: the place of the byte that it begins at. */
  readonly places: Uint32Array
}

/** UTF-8, and each byte that is none as a character of its own. No character has more units than bytes. */
function* readBytes(raw: Buffer, window: number): Steps<ReadBytes> {
  const places = new Uint32Array(raw.length)
  const units = new Uint16Array(Math.min(raw.length, window) + 2)
  let text = ''
  let before = 0
  let length = 0
  let seen = 0
  for (let at = 0; at < raw.length; ) {
    const first = raw[at] ?? 0
    const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
    const whole = size === 1 ? '' : raw.subarray(at, at + size).toString('utf8')
    const isCharacter = size > 1 && !whole.includes('\ufffd') && Buffer.byteLength(whole) === size
    for (let unit = 0; unit < (isCharacter ? whole.length : 1); unit++) {
      const code = isCharacter ? whole.charCodeAt(unit) : first
      places[before + length] = at
      units[length++] = code
      seen |= code
    }
    at += isCharacter ? size : 1
    if (length < window) continue
    text += textOf(units.subarray(0, length), seen < 0x100)
    before += length
    length = 0
    seen = 0
    yield
  }
  return { text: text + textOf(units.subarray(0, length), seen < 0x100), places }
}
