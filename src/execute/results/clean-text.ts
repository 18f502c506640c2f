// Takes out of a text what steers a terminal, cannot be seen, or reorders what is read. Output is data: its author must not be able to
// speak past the people who look at it. A text with nothing of the kind is returned as it is, after one scan and without a copy.

import type { TextCleaner } from '../../json/copy.ts'
import { inOneGo, type Steps } from '../../json/slices.ts'

type Range = readonly [from: number, to: number]

/** The characters that have no business in a text that a model or a person reads, by kind, as ranges of code points. */
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

type UnwantedKind = keyof typeof kinds

/** As a character class of a regular expression with the flag `u`. */
const characterClass = (kind: UnwantedKind): string => `[${rangesOf(kind)}]`

/** All of them, one or more at once. */
const unwantedRuns = new RegExp(
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

/** How many sequences and characters were taken out of a result, by kind. */
export interface Cleaned {
  controls: number
  invisible: number
  direction: number
  /** Of the invisible ones, those that can carry a text of their own: tag characters, and variation selectors that vary nothing. */
  smuggled: number
  /** Places that were looked at, kept or not. */
  looked: number
}

export const nothingCleaned = (): Cleaned => ({ controls: 0, invisible: 0, direction: 0, smuggled: 0, looked: 0 })

// Sequences of ECMA-48 first, whole: those that set something, those that carry a text up to their end, and any other escape. Then the flags
// that are written with tag characters, which stay. Then single characters. A text that a sequence carries holds no beginning of another:
// each of many beginnings without an end would read on to the same place.
const csi = String.raw`(?:\x1b\[|\x9b)[0-?]{0,64}[ -\/]{0,8}[@-~]?`
const carrying = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x90\x98\x9c-\x9f]{0,4096}(?:\x07|\x1b\\|\x9c))?`
const escaped = String.raw`\x1b[ -\/]{0,8}[0-~]?`
const flag = String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`
const single = (['line', 'control', 'direction', 'selector', 'joiner', 'invisible'] as const)
  .map((kind) => `(?<${kind}>${characterClass(kind)})`)
  .join('|')
const parts = new RegExp(`(?<sequence>${csi}|${carrying}|${escaped})|(?<flag>${flag})|${single}`, 'gu')

/** With more hidden characters than this in one result, they are not looked at one by one: all of them go, at a tenth of the cost. */
const patience = 100_000
/** A longer text is cleaned in parts of this length. */
const partLength = 8_192
/** No sequence is longer. */
const longestSequence = 4_200
/** A shorter text is not counted first: it cannot hold many. */
const longText = 10_000

/** Counts into `cleaned` what it takes out. */
export function cleanText(text: string, cleaned: Cleaned): string {
  if (!mayHoldUnwanted(text)) return text
  return text.length > longText ? inOneGo(cleanLongText(text, cleaned)) : cleanPart(text, 0, text.length, cleaned).clean
}

/** For a result: what a long text holds is looked at in steps. */
export const textCleaner = (cleaned: Cleaned): TextCleaner => ({
  inOneGo: (text) => cleanText(text, cleaned),
  inSteps: (text) => cleanLongText(text, cleaned),
})

/** A part ends between two sequences, so that all parts together come to what the whole would. */
function* cleanLongText(text: string, cleaned: Cleaned): Steps<string> {
  let clean = ''
  /** Up to here it is in `clean`. */
  let taken = 0
  for (let from = 0; from < text.length; ) {
    const to = wholePair(text, Math.min(from + partLength, text.length))
    const part = text.slice(from, to)
    if (mayHoldUnwanted(part)) {
      const isTooMuch = cleaned.looked + countUnwanted(part) > patience
      const { clean: own, end } = isTooMuch ? stripped(part, to, cleaned) : cleanPart(text, from, to, cleaned)
      clean += text.slice(taken, from) + own
      taken = end
      from = end
    } else from = to
    yield
  }
  return taken === 0 ? text : clean + text.slice(taken)
}

/** Not between the halves of a pair. */
const wholePair = (text: string, at: number): number =>
  at < text.length && (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at

interface CleanPart {
  readonly clean: string
  /** Where the last sequence that began in it ends. */
  readonly end: number
}

function stripped(part: string, end: number, cleaned: Cleaned): CleanPart {
  cleaned.looked = patience + 1
  const clean = part.replace(unwantedRuns, '')
  cleaned.invisible += part.length - clean.length
  return { clean, end }
}

function cleanPart(text: string, from: number, to: number, cleaned: Cleaned): CleanPart {
  const whole = from === 0 && to === text.length
  const part = whole ? text : text.slice(from, to + longestSequence)
  let clean = ''
  let end = 0
  parts.lastIndex = 0
  for (let found = parts.exec(part); found !== null && from + found.index < to; found = parts.exec(part)) {
    clean += part.slice(end, found.index) + kept(text, from + found.index, found[0], found.groups ?? {}, cleaned)
    end = found.index + found[0].length
  }
  const rest = Math.max(end, to - from)
  return { clean: clean + part.slice(end, rest), end: from + rest }
}

type PartGroups = Readonly<Partial<Record<string, string>>>

/** What stays of a sequence or a character. */
function kept(text: string, at: number, part: string, groups: PartGroups, cleaned: Cleaned): string {
  cleaned.looked++
  if (groups.flag !== undefined) return part
  if (groups.joiner !== undefined && joins(text, at, part)) return part
  if (groups.selector !== undefined && varies(text, at, part)) return part
  if (groups.line !== undefined || groups.sequence !== undefined || groups.control !== undefined) cleaned.controls++
  else if (groups.direction !== undefined) cleaned.direction++
  else {
    cleaned.invisible++
    if (groups.selector !== undefined || isTag(part)) cleaned.smuggled++
  }
  return groups.line === undefined ? '' : '\n'
}

/** The same without a count. */
export const cleanedText = (text: string): string => cleanText(text, nothingCleaned())

const isTag = (part: string) => (part.codePointAt(0) ?? 0) >= 0xe0000

const pictograph = /^\p{Extended_Pictographic}$/u
const skin = /^\p{Emoji_Modifier}$/u
/** Scripts whose letters join, or form conjuncts, and say with joiners where they do not. */
const joining =
  /^[[\p{L}\p{M}]&&[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]]$/v

/** A joiner stays between two letters of such a script, and the one that makes one picture of two stays between pictures. */
function joins(text: string, at: number, joiner: string): boolean {
  const before = characterBefore(text, at)
  const after = characterAt(text, at + joiner.length)
  // At the end of a word an Indic letter may keep its form only by the joiner after it.
  if (joining.test(before))
    return joining.test(after) || (joiner === '\u200d' && isVirama(before) && !pictograph.test(after) && isEnd(after))
  if (joiner !== '\u200d' || !pictograph.test(after)) return false
  if (pictograph.test(before)) return true
  const dressed = before === '\ufe0f' || skin.test(before)
  return dressed && pictograph.test(characterBefore(text, at - before.length))
}

const isVirama = (character: string) =>
  /^[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]$/.test(character)
const isEnd = (character: string) => character === '' || /^[\s\p{P}]$/u.test(character)

/** A variation selector stays directly behind something it can vary, and only one. */
function varies(text: string, at: number, selector: string): boolean {
  const code = selector.codePointAt(0) ?? 0
  const before = characterBefore(text, at)
  if (code === 0xfe0e || code === 0xfe0f) return /^\p{Emoji}$/u.test(before)
  if (code >= 0x180b && code <= 0x180f) return /^[\p{L}&&\p{Script=Mongolian}]$/v.test(before)
  if (code >= 0xe0100) return /^\p{Script=Han}$/u.test(before)
  return code <= 0xfe02 && /^[\p{Script=Han}\p{Sm}\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f]$/u.test(before)
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

function characterBefore(text: string, at: number): string {
  const low = text.charCodeAt(at - 1)
  const isPair = (low & 0xfc00) === 0xdc00 && at > 1
  return at < 1 ? '' : text.slice(isPair ? at - 2 : at - 1, at)
}

/** In words, for a warning; undefined where nothing was taken out. */
export function cleanedNote({ controls, invisible, direction }: Cleaned): string | undefined {
  const counts = [
    count(controls, 'control sequence'),
    count(invisible, 'invisible character'),
    count(direction, 'mark of direction', 'marks of direction'),
  ].filter((text) => text !== '')
  return counts.length === 0 ? undefined : `result_cleaned: ${counts.join(', ')} taken out`
}

const count = (many: number, one: string, more = `${one}s`) => (many === 0 ? '' : `${many} ${many === 1 ? one : more}`)
