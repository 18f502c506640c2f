// Secrets that were spelled character by character and then wrapped in base64 or hex: there are too many such spellings to look for each.
// What looks wrapped is unwrapped, and looked through only around what may spell a character of a secret: in an image there is none.
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
function* runsOf(text: string, alphabet: Uint8Array): Generator<readonly [from: number, to: number]> {
  const { length } = text
  let from = 0
  for (let at = 0; at <= length; at++) {
    if (at < length && alphabet[text.charCodeAt(at)] === 1) continue
    if (at - from >= leastRun) yield [from, at]
    from = at + 1
  }
}

/** By its places in the text. `look` finds secrets in what was unwrapped. */
export function findWrapped(
  text: string,
  wrapping: Wrapping,
  look: (unwrapped: string) => readonly SecretPlace[],
): readonly SecretPlace[] {
  const found: SecretPlace[] = []
  // Where the wrapped text begins within the run is not known.
  // Where the wrapped text begins within the run is not known.
  for (const { encoding, alphabet, digits, bytes, least } of wraps)
    for (const [first, last] of runsOf(text, alphabet))
      for (let skipped = 0; skipped < digits; skipped++) {
        const begin = first + skipped
        const raw = Buffer.from(text.slice(begin, last - ((last - begin) % least)), encoding)
        const at = (offset: number, round: (value: number) => number) => begin + round((offset * digits) / bytes)
        for (const [from, to] of windowsOf(raw, wrapping)) {
          const { text: unwrapped, places } = readBytes(raw.subarray(from, to))
          const placeOf = (character: number) => from + (places[character] ?? to - from)
          for (const { start, end, name } of look(unwrapped))
            found.push({ start: at(placeOf(start), Math.floor), end: at(placeOf(end), Math.ceil), name })
        }
      }
  return found.map(({ start, end, name }) => ({ start, end: Math.min(end, text.length), name }))
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
function windowsOf(raw: Buffer, { characters, reach }: Wrapping): readonly (readonly [from: number, to: number])[] {
  const windows: [number, number][] = []
  const spelled = { code: 0, end: 0 }
  const { length } = raw
  let digits = 0
  for (let at = 0; at < length; at++) {
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

/** UTF-8, and each byte that is none as a character of its own; with the place of the byte that each character begins at. */
function readBytes(raw: Buffer): { readonly text: string; readonly places: readonly number[] } {
  let text = ''
  const places: number[] = []
  for (let at = 0; at < raw.length; ) {
    const first = raw[at] ?? 0
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
    const whole = raw.subarray(at, at + length).toString('utf8')
    const isCharacter = length > 1 && !whole.includes('\ufffd') && Buffer.byteLength(whole) === length
    const character = isCharacter ? whole : String.fromCharCode(first)
    for (let unit = 0; unit < character.length; unit++) places.push(at)
    text += character
    at += isCharacter ? length : 1
  }
  return { text, places }
}
