// The characters that have no business in a text that a model or a person reads, by kind, as ranges of code points. Everything that looks for
// them is made from this one table.

type Range = readonly [from: number, to: number]

const kinds = {
  /** C0 but for tab and the two line ends, DEL, C1. */
  control: [
    [0x00, 0x08],
    [0x0b, 0x0c],
    [0x0e, 0x1f],
    [0x7f, 0x9f],
  ],
  /** Separators of lines and paragraphs, which become plain line ends. */
  line: [[0x2028, 0x2029]],
  /** Marks, embeddings, overrides and isolates of direction. */
  direction: [
    [0x061c, 0x061c],
    [0x200e, 0x200f],
    [0x202a, 0x202e],
    [0x2066, 0x2069],
  ],
  /** Variation selectors: Mongolian, common, ideographic. */
  selector: [
    [0x180b, 0x180d],
    [0x180f, 0x180f],
    [0xfe00, 0xfe0f],
    [0xe0100, 0xe01ef],
  ],
  joiner: [[0x200c, 0x200d]],
  /** Soft hyphen, grapheme joiner, fillers, separators without width, invisible operators, annotations, shorthand, notation, tags. */
  invisible: [
    [0xad, 0xad],
    [0x034f, 0x034f],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180e, 0x180e],
    [0x200b, 0x200b],
    [0x2060, 0x2065],
    [0x206a, 0x206f],
    [0x3164, 0x3164],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff9, 0xfffb],
    [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe0fff],
  ],
} as const satisfies Readonly<Record<string, readonly Range[]>>

export type UnwantedKind = keyof typeof kinds

/** As a character class of a regular expression with the flag `u`. */
export const characterClass = (kind: UnwantedKind): string => `[${rangesOf(kind)}]`

/** All of them, one or more at once. */
export const unwantedRuns = new RegExp(
  `[${Object.keys(kinds)
    .map((kind) => rangesOf(kind as UnwantedKind))
    .join('')}]+`,
  'gu',
)

function rangesOf(kind: UnwantedKind): string {
  return kinds[kind].map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join('')
}

/**
 * By unit of UTF-16, whether it may belong to one of them; the first half of a pair stands for what lies beyond the basic plane. A table,
 * because a class of so many ranges takes a regular expression 10 µs a KB on text that is not Latin-1, and the table 3 to 4.
 */
const suspects = new Uint8Array(0x10000)
for (const ranges of Object.values(kinds)) {
  for (const [from, to] of ranges) {
    const isBasic = to <= 0xffff
    suspects.fill(1, isBasic ? from : halfOf(from), (isBasic ? to : halfOf(to)) + 1)
  }
}

function halfOf(code: number): number {
  return String.fromCodePoint(code).charCodeAt(0)
}

const beyondLatin = /[\u0100-\uffff]/
/** On Latin-1, as most strings are stored, the few ranges there are take 1.2 µs a KB. */
const latin = new RegExp(`[${rangesOf('control')}\\u{ad}]`, 'u')

export function mayHoldUnwanted(text: string): boolean {
  if (!beyondLatin.test(text)) return latin.test(text)
  const { length } = text
  for (let index = 0; index < length; index++) if (suspects[text.charCodeAt(index)] === 1) return true
  return false
}

/** At most how many it holds. */
export function countUnwanted(text: string): number {
  const { length } = text
  let count = 0
  for (let index = 0; index < length; index++) count += suspects[text.charCodeAt(index)] ?? 0
  return count
}
