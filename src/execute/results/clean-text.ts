// Takes out of a text what steers a terminal, cannot be seen, or reorders what is read. Output is data: its author must not be able to
// speak past the people who look at it. A text with nothing of the kind is returned as it is, after one scan and without a copy.

import { characterClass, countUnwanted, mayHoldUnwanted, unwantedRuns } from './unwanted-characters.ts'

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
// that are written with tag characters, which stay. Then single characters.
const csi = String.raw`(?:\x1b\[|\x9b)[0-?]{0,64}[ -\/]{0,8}[@-~]?`
const carrying = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c))?`
const escaped = String.raw`\x1b[ -\/]{0,8}[0-~]?`
const flag = String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`
const single = (['line', 'control', 'direction', 'selector', 'joiner', 'invisible'] as const)
  .map((kind) => `(?<${kind}>${characterClass(kind)})`)
  .join('|')
const parts = new RegExp(`(?<sequence>${csi}|${carrying}|${escaped})|(?<flag>${flag})|${single}`, 'gu')

/** With more hidden characters than this in one result, they are not looked at one by one: all of them go, at a tenth of the cost. */
const patience = 100_000
/** A shorter text is not counted first: it cannot hold many. */
const longText = 10_000

/** Counts into `cleaned` what it takes out. */
export function cleanText(text: string, cleaned: Cleaned): string {
  if (!mayHoldUnwanted(text)) return text
  if (cleaned.looked + (text.length < longText ? 0 : countUnwanted(text)) > patience) {
    cleaned.looked = patience + 1
    const rest = text.replace(unwantedRuns, '')
    cleaned.invisible += text.length - rest.length
    return rest
  }
  return text.replace(parts, (part: string, ...rest: readonly unknown[]) => {
    cleaned.looked++
    const groups = rest.at(-1) as Readonly<Partial<Record<string, string>>>
    const whole = rest.at(-2) as string
    const at = rest.at(-3) as number
    if (groups.flag !== undefined) return part
    if (groups.joiner !== undefined && joins(whole, at, part)) return part
    if (groups.selector !== undefined && varies(whole, at, part)) return part
    if (groups.line !== undefined || groups.sequence !== undefined || groups.control !== undefined) cleaned.controls++
    else if (groups.direction !== undefined) cleaned.direction++
    else {
      cleaned.invisible++
      if (groups.selector !== undefined || isTag(part)) cleaned.smuggled++
    }
    return groups.line === undefined ? '' : '\n'
  })
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
