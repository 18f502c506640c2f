// How text of a model or a tool is shown to a person who decides: plain characters on one line, for any input.
// Invariant: different inputs have different outputs, and nothing unseen, reordering or steering gets out unescaped.
import { canonicalize } from '../json/canonical.ts'
import { hashJson } from '../json/hash.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'

const defaultLimit = 1_000

// Controls, marks of direction, joiners, tags, fillers, variation selectors, private and unassigned characters, halves
// of pairs, separators of lines, every space but the plain one between two words, the Braille blank; then marks that
// stand on no letter, or on a pile of three: they would be drawn over what stands before them.
const misleading =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[\p{Zs}--[ ]]|^ | $| (?<= {2})|\p{M}(?<![[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}][\p{M}--\p{Default_Ignorable_Code_Point}]{0,2}\p{M})/gv
const unplain = /[^ !-[\]-~]|^ | $| {2}/
/** Letters of scripts that run from right to left: even without marks they change the order in which neighbours are read. */
const rightToLeft = /[\p{L}&&[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]]/v
// Scripts whose letters can be taken for those of another, and the others in wide use. The first that fits names a letter.
const scripts = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Cherokee', 'Coptic', 'Lisu', 'Hebrew', 'Arabic'],
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya'],
  ...['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Tibetan', 'Myanmar', 'Ethiopic', 'Khmer'],
].map((name) => ({ name, letter: new RegExp(`\\p{Script=${name}}`, 'u') }))
const otherScripts = new RegExp(
  `[\\p{L}--[\\p{Script=Common}\\p{Script=Inherited}${scripts.map(({ name }) => `\\p{Script=${name}}`).join('')}]]`,
  'v',
)
/** Scripts that are written together: what Unicode's security report (UTS #39) calls highly restrictive. */
const written = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
]
const maxNoted = 3

const atom = /\\u\{[0-9a-f]+\}|\\.|[^\\]/gsu

/** Text in the open, such as a title: escaped, cut visibly where it is longer than the limit, look-alikes noted. */
export function shownText(text: string, limit: number = defaultLimit): string {
  const printer: Printer = { limit, text: '', parts: [] }
  printText(text, printer)
  return finish(text, printer)
}

/**
 * A JSON value as its canonical text, strings in quotes. What is longer than the limit is cut, and then says so, with
 * its whole length and the SHA-256 of its canonical form: two long values never look the same.
 */
export function shownValue(value: JsonValue, limit: number = defaultLimit): string {
  const printer: Printer = { limit, text: '', parts: [] }
  print(value, printer)
  return finish(value, printer)
}

/**
 * For text that was made of shown text and of our own words: all that could still mislead is escaped, and the escapes that
 * are there stay as they are.
 */
export function sealText(text: string): string {
  return unplain.test(text) ? text.replace(misleading, escapeCode) : text
}

/** A shown text of any length, cut between two of its characters, and then visibly. */
export function cutShown(shown: string, limit: number): string {
  return shown.length <= limit ? shown : cut(shown, limit, shown)
}

/** The pieces of a shown text that must not be torn apart where lines are broken. */
export function atomsOf(shown: string): readonly string[] {
  return shown.match(atom) ?? []
}

function escapeText(text: string): string {
  return unplain.test(text) ? text.replaceAll('\\', '\\\\').replace(misleading, escapeCode) : text
}

function escapeCode(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** Stops soon after the limit: what is cut off is not escaped first. */
interface Printer {
  readonly limit: number
  text: string
  /** The texts of the value, as far as they were printed. */
  readonly parts: string[]
}

function print(value: JsonValue, printer: Printer): void {
  if (printer.text.length > printer.limit) return
  if (typeof value === 'string') {
    printer.text += '"'
    printText(value, printer, true)
    printer.text += '"'
  } else if (typeof value !== 'object' || value === null) printer.text += canonicalize(value)
  else if (isList(value)) {
    printer.text += '['
    for (const [index, element] of value.entries()) {
      if (index > 0) printer.text += ', '
      print(element, printer)
      if (printer.text.length > printer.limit) return
    }
    printer.text += ']'
  } else printObject(value, printer)
}

function printObject(object: JsonObject, printer: Printer): void {
  printer.text += '{'
  for (const [index, key] of Object.keys(object).sort().entries()) {
    if (index > 0) printer.text += ', '
    print(key, printer)
    printer.text += ': '
    print(object[key] as JsonValue, printer)
    if (printer.text.length > printer.limit) return
  }
  printer.text += '}'
}

function printText(text: string, printer: Printer, quoted = false): void {
  const room = Math.max(0, printer.limit - printer.text.length) + 1
  // One more than there is room for, and no half of a pair.
  const part = text.length <= room ? text : text.slice(0, isPair(text, room) ? room + 1 : room)
  const escaped = escapeText(part)
  printer.parts.push(part)
  printer.text += quoted ? escaped.replaceAll('"', '\\"') : escaped
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
}

function finish(whole: JsonValue, { text, limit, parts }: Printer): string {
  return withNotes(text.length <= limit ? text : cut(text, limit, whole), parts)
}

function cut(text: string, limit: number, whole: JsonValue): string {
  let head = ''
  for (const [piece] of text.matchAll(atom)) {
    head += piece
    // At least as long as the limit: a short text that imitates the note below is itself cut.
    if (head.length >= limit) break
  }
  const length = typeof whole === 'string' ? whole.length : canonicalize(whole).length
  return `${head} … (cut: ${length} characters in all, sha256 ${hashJson(whole)})`
}

function withNotes(shown: string, texts: readonly string[]): string {
  const foreign = texts.filter((text) => unplain.test(text))
  if (foreign.length === 0) return shown
  const notes = notesOf(foreign)
  const all = foreign.some((text) => rightToLeft.test(text)) ? [...notes, 'has right-to-left letters'] : notes
  return all.length === 0 ? shown : `${shown} [${all.join('; ')}]`
}

/** What of the texts may be taken for something else: words of two scripts, letters and digits dressed up as ASCII. */
function notesOf(texts: readonly string[]): readonly string[] {
  const found = new Set<string>()
  for (const text of texts) {
    const present = scriptsOf(text)
    const severalScripts = !areWrittenTogether(present)
    const severalDigits = /\p{Nd}/u.test(text.replaceAll(/[0-9]/g, ''))
    const dressed = text.normalize('NFKC') !== text
    if (!severalScripts && !severalDigits && !dressed) continue
    for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
      const note = noteOf(word)
      if (note !== undefined) found.add(`${spelt(word)} ${note}`)
    }
  }
  if (found.size <= maxNoted) return [...found]
  return [...[...found].slice(0, maxNoted), `and ${found.size - maxNoted} more words like that`]
}

function noteOf(word: string): string | undefined {
  if (/^[0-9A-Za-z]*$/.test(word)) return undefined
  const mixed = scriptsOf(word)
  if (!areWrittenTogether(mixed)) return `mixes ${mixed.slice(0, -1).join(', ')} and ${mixed.at(-1)} letters`
  if (isDressed(word)) return 'has characters that only look like ASCII'
  if (/[0-9A-Za-z]/.test(word) && /[\p{Nd}--[0-9]]/v.test(word)) return 'mixes digits of different scripts'
  return undefined
}

function isDressed(word: string): boolean {
  for (const [character] of word.matchAll(/[[\p{Lu}\p{Ll}\p{Nd}]--[0-9A-Za-z]]/gv)) {
    if (/^[0-9A-Za-z]+$/.test(character.normalize('NFKC'))) return true
  }
  return false
}

function scriptsOf(text: string): readonly string[] {
  const present = scripts.filter(({ letter }) => letter.test(text)).map(({ name }) => name)
  return otherScripts.test(text) ? [...present, 'other'] : present
}

function areWrittenTogether(present: readonly string[]): boolean {
  return present.length < 2 || written.some((group) => present.every((script) => group.includes(script)))
}

/** The word with everything beyond ASCII by its code, so that it can be told from its look-alike. */
function spelt(word: string): string {
  const codes = word.replaceAll(/[^ -~]/gu, escapeCode)
  return codes.length > 120 ? `${codes.slice(0, 120)}…` : codes
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
