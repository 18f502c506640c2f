// Looks through the strings of a result for content that speaks to a model. Deterministic and linear; a hint for people and policies, never
// a gate: how far the source of a result is trusted is decided by its label, and not by what is found here.
import { appendPointer } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import { type InjectionRule, injectionRules, openings, roleMarks, unscanned } from './injection-rules.ts'

export interface Suspicion {
  readonly rule: string
  /** Where in the result it was found first. */
  readonly pointer: string
}

interface Scan {
  /** Keys and indexes from the root to the text that is looked at. */
  readonly path: (string | number)[]
  /** By rule, in the order in which they were found. */
  readonly found: Map<string, string>
  /** Words left to look at. */
  patience: number
}

const rulesByWord: ReadonlyMap<string, readonly InjectionRule[]> = new Map(
  [...new Set(injectionRules.flatMap(({ words }) => words))].map((word) => [
    word,
    injectionRules.filter(({ words }) => words.includes(word)),
  ]),
)
/** By a hash of their letters: a word of a text is cut out only where it may be one of these. */
const hashes: ReadonlySet<number> = new Set([...rulesByWord.keys()].map((word) => wordHash(word)))

function wordHash(word: string): number {
  let hash = 0
  for (let index = 0; index < word.length; index++) hash = (Math.imul(hash, 31) + word.charCodeAt(index)) | 0
  return hash
}

/** Each takes up to a microsecond or two. */
const patience = 50_000
/** More suspicions than this are not collected: a person has to look at the text anyway. */
const enough = 8
const shortestText = 6
const shortestBlob = 48
const longestBlob = 8_192

export function detectInjection(json: JsonValue): readonly Suspicion[] {
  const scan: Scan = { path: [], found: new Map(), patience }
  scanValue(scan, json)
  return scan.found.size === 0 ? none : [...scan.found].map(([rule, pointer]) => ({ rule, pointer }))
}

const none: readonly Suspicion[] = Object.freeze([])

function scanValue(scan: Scan, value: JsonValue): void {
  if (typeof value === 'string') scanText(scan, value)
  if (typeof value !== 'object' || value === null || scan.found.size >= enough) return
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) scanMember(scan, index, value[index] as JsonValue)
    return
  }
  const object = value as Readonly<Record<string, JsonValue>>
  for (const key in object) {
    scanText(scan, key)
    scanMember(scan, key, object[key] as JsonValue)
  }
}

function scanMember(scan: Scan, key: string | number, value: JsonValue): void {
  // Numbers and the like are most of most results.
  if (typeof value !== 'string' && typeof value !== 'object') return
  scan.path.push(key)
  scanValue(scan, value)
  scan.path.pop()
}

function scanText(scan: Scan, text: string): void {
  if (text.length < shortestText) return
  if (text.includes(' ')) scanWords(scan, beyondAscii.test(text) ? folded(text) : text)
  else if (markBegins.test(text)) scanMarks(scan, text)
  if (text.length >= shortestBlob) scanBlobs(scan, text)
}

/** The characters at which marks begin, so that most texts are not searched for any. */
const markBegins = /[<[#(]|\n\n|[\u0080-\uffff]|system/i

function scanMarks(scan: Scan, text: string): void {
  if (roleMarks.pattern.test(text.toLowerCase())) note(scan, roleMarks.id)
}

/** One pass over the letters. Any character that is no letter ends a word, so that neither digits nor underscores hide one. */
function scanWords(scan: Scan, text: string): void {
  if (markBegins.test(text)) scanMarks(scan, text)
  let lower: string | undefined
  let hash = 0
  let begin = 0
  for (let index = 0; index <= text.length; index++) {
    const letter = text.charCodeAt(index) | 0x20
    if (letter >= 0x61 && letter <= 0x7a) {
      hash = (Math.imul(hash, 31) + letter) | 0
      continue
    }
    if (hash !== 0 && hashes.has(hash)) {
      if (--scan.patience < 0) {
        note(scan, unscanned.id)
        return
      }
      lower ??= text.toLowerCase()
      tryRules(scan, lower, begin, lower.slice(begin, index))
    }
    hash = 0
    begin = index + 1
  }
}

function tryRules(scan: Scan, text: string, begin: number, word: string): void {
  let request: boolean | undefined
  let command: boolean | undefined
  for (const { id, pattern, after } of rulesByWord.get(word) ?? []) {
    if (scan.found.has(id)) continue
    if (after === 'request' || after === 'either') request ??= matches(openings.request, text, begin)
    if (after === 'command' || after === 'either')
      command ??= beginsSentence(text, begin) && matches(openings.command, text, begin)
    if (after === 'request' && request !== true) continue
    if (after === 'command' && command !== true) continue
    if (after === 'either' && request !== true && command !== true) continue
    if (matches(pattern, text, begin)) note(scan, id)
  }
}

const lettersAndDigits = /[\p{L}\p{N},]/u
const joinsClauses = /\b(?:and|then|also|please),?$/

/** Whether what stands here begins a sentence, a field, a line or another clause of a command. */
function beginsSentence(text: string, begin: number): boolean {
  let before = begin - 1
  while (before >= 0 && text.charCodeAt(before) === 0x20) before--
  if (before < 0 || !lettersAndDigits.test(text.charAt(before))) return true
  // Written out: a line break inside a text that was quoted.
  if (before === begin - 1) return text.charAt(before) === 'n' && text.charAt(before - 1) === '\\'
  return joinsClauses.test(text.slice(Math.max(0, before - 8), before + 1))
}

function matches(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at
  return sticky.test(text)
}

function note({ found, path }: Scan, rule: string): void {
  if (!found.has(rule)) found.set(rule, path.reduce<string>(appendPointer, ''))
}

const beyondAscii = /[\u0080-\uffff]/
/** Letters of other scripts that are drawn like Latin ones: what is hidden from a filter is still read by a model. */
const drawn = 'аеорсухіјѕԁոαοινρυκτɡʏıſ'
const read = 'aeopcyxijsdnaoivpuktgyis'
/** Only in a word that has Latin letters too: a word all of another script is just a word. */
const mixedWord = new RegExp(`[a-z]+[${drawn}]+[a-z${drawn}]*|[${drawn}]+[a-z][a-z${drawn}]*`, 'g')

function folded(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(mixedWord, (word) => Array.from(word, (letter) => read[drawn.indexOf(letter)] ?? letter).join(''))
}

const blob = /^[^A-Za-z0-9+/]{0,8}([A-Za-z0-9+/_-]{48,}={0,2})[^A-Za-z0-9+/]{0,8}$/
const printable = /^[\t\n\r -~]+$/

/** What is written in base64 is read as well, where it stands between spaces and is plain text. */
function scanBlobs(scan: Scan, text: string): void {
  // Hopping from space to space costs a tenth of what a search for such a run does: 25 µs a KB.
  for (let begin = 0; begin + shortestBlob <= text.length; ) {
    const space = text.indexOf(' ', begin)
    const end = space === -1 ? text.length : space
    if (end - begin >= shortestBlob) scanBlob(scan, text.slice(begin, Math.min(end, begin + longestBlob)))
    begin = end + 1
  }
}

function scanBlob(scan: Scan, token: string): void {
  const written = blob.exec(token)?.[1]
  if (written === undefined) return
  const decoded = Buffer.from(written, 'base64').toString('latin1')
  if (printable.test(decoded) && decoded.includes(' ')) scanWords(scan, decoded)
}
