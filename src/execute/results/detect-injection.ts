// Looks through the strings of a result for content that speaks to a model. Deterministic and linear; a hint for people and policies, never
// a gate: how far the source of a result is trusted is decided by its label, and not by what is found here. A scan can stop between small
// parts of a text and go on later, so that a large result is looked through in slices.
import { appendPointer } from '../../json/pointer.ts'
import { inOneGo, type Steps } from '../../json/slices.ts'
import type { JsonValue } from '../../json/value.ts'
import { folded } from './folded-text.ts'
import { type InjectionRule, injectionRules, openings, roleMarks, unscanned } from './injection-rules.ts'
import { followsThrough } from './stretches.ts'

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

/** Each takes a few microseconds. */
const patience = 50_000
/** More suspicions than this are not collected: a person has to look at the text anyway. */
const enough = 8
const shortestText = 6
const shortestBlob = 48
const longestBlob = 8_192
/** A longer text is looked at in parts: so many characters take a millisecond or two at most. */
const partLength = 4_096
/** No rule looks further ahead of its first word, or further back. */
const ahead = 1_000
const behind = 64
/** Members are counted in steps of so many between two looks at the time. */
const membersAtOnce = 512

export function detectInjection(json: JsonValue): readonly Suspicion[] {
  return inOneGo(scanForInjection(json))
}

export function* scanForInjection(json: JsonValue): Steps<readonly Suspicion[]> {
  const scan: Scan = { path: [], found: new Map(), patience }
  yield* scanAll(scan, json)
  return scan.found.size === 0 ? none : [...scan.found].map(([rule, pointer]) => ({ rule, pointer }))
}

const none: readonly Suspicion[] = Object.freeze([])

interface Holder {
  readonly value: Readonly<Record<string, JsonValue>> | readonly JsonValue[]
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined
  next: number
}

const holderOf = (value: JsonValue & object): Holder => ({
  value,
  keys: Array.isArray(value) ? undefined : Object.keys(value),
  next: 0,
})

/** Yields between steps. The way down is a list and not the stack, so that a step can end anywhere in it. */
function* scanAll(scan: Scan, json: JsonValue): Steps<void> {
  if (typeof json === 'string') {
    if (json.length > partLength) yield* scanParts(scan, json)
    else scanText(scan, json)
  }
  if (typeof json !== 'object' || json === null) return
  const open = [holderOf(json)]
  let left = membersAtOnce
  for (let holder = open.at(-1); holder !== undefined; holder = open.at(-1)) {
    if (scan.found.size >= enough) return
    const { value, keys } = holder
    const index = holder.next++
    if (index >= (keys ?? (value as readonly JsonValue[])).length) {
      open.pop()
      scan.path.pop()
      continue
    }
    if (--left === 0) {
      left = membersAtOnce
      yield
    }
    const key = keys === undefined ? index : (keys[index] as string)
    const member = (value as Readonly<Record<string | number, JsonValue>>)[key] as JsonValue
    if (typeof key === 'string') {
      if (key.length > partLength) yield* scanParts(scan, key)
      else scanText(scan, key)
    }
    // Numbers and the like are most of most results.
    if (typeof member !== 'string' && (typeof member !== 'object' || member === null)) continue
    scan.path.push(key)
    if (typeof member !== 'string') open.push(holderOf(member))
    else {
      if (member.length > partLength) yield* scanParts(scan, member)
      else scanText(scan, member)
      scan.path.pop()
    }
  }
}

/** Of a short text, without a step. */
function scanText(scan: Scan, text: string): void {
  if (text.length < shortestText) return
  if (text.includes(' ')) scanWords(scan, beyondAscii.test(text) ? folded(text) : text, 0, text.length)
  else scanMarks(scan, text)
  if (text.length >= shortestBlob) scanBlobs(scan, text, 0, text.length)
}

function* scanParts(scan: Scan, text: string): Steps<void> {
  const hasWords = text.includes(' ')
  /** Where the next run between two spaces begins: each space is looked for once. */
  let blob = 0
  for (let from = 0; from < text.length && scan.found.size < enough; ) {
    const to = endOfPart(text, from + partLength)
    const begin = Math.max(0, from - behind)
    const part = text.slice(begin, to + ahead)
    if (!hasWords) scanMarks(scan, part)
    else if (beyondAscii.test(part)) {
      // What comes before and after is folded on its own, so that it is known where the part begins and ends.
      const [before, own] = [folded(text.slice(begin, from)), folded(text.slice(from, to))]
      scanWords(scan, before + own + folded(text.slice(to, to + ahead)), before.length, before.length + own.length)
    } else scanWords(scan, part, from - begin, to - begin)
    blob = scanBlobs(scan, text, blob, to)
    from = to
    yield
  }
}

/** Between two words, where there is such a place near. */
function endOfPart(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length
  const space = text.slice(wanted, wanted + behind).indexOf(' ')
  return space === -1 ? wanted : wanted + space
}

/** The characters at which marks begin, so that most texts are not searched for any. */
const markBegins = /[<[#(]|\n\n|[\u0080-\uffff]|system/i

function scanMarks(scan: Scan, text: string): void {
  if (markBegins.test(text) && roleMarks.pattern.test(text.toLowerCase())) note(scan, roleMarks.id)
}

/** One pass over the letters between two places. Any character that is no letter ends a word, so that neither digits nor underscores hide one. */
function scanWords(scan: Scan, text: string, from: number, to: number): void {
  scanMarks(scan, text)
  let lower: string | undefined
  let hash = 0
  let begin = from
  for (let index = from; index <= to; index++) {
    const letter = text.charCodeAt(index) | 0x20
    if (index < to && letter >= 0x61 && letter <= 0x7a) {
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
  for (const { id, pattern, after, followed } of rulesByWord.get(word) ?? []) {
    if (scan.found.has(id)) continue
    if (after === 'request' || after === 'either') request ??= matches(openings.request, text, begin)
    if (after === 'command' || after === 'either')
      command ??= beginsSentence(text, begin) && matches(openings.command, text, begin)
    if (after === 'request' && request !== true) continue
    if (after === 'command' && command !== true) continue
    if (after === 'either' && request !== true && command !== true) continue
    if (!matches(pattern, text, begin)) continue
    const { lastIndex } = pattern
    if (followed === undefined || followed.some((stretches) => followsThrough(text, lastIndex, stretches)))
      note(scan, id)
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

const written = /^[A-Za-z0-9+/_-]{48,8192}={0,2}$/
const beginsWritten = /[A-Za-z0-9+/]/
const printable = /^[\t\n\r -~]+$/
/** A mark or a bracket may stand on either side of it. */
const mostAround = 8

/** What is written in base64 is read as well, where it stands between spaces and is plain text. */
function scanBlobs(scan: Scan, text: string, from: number, to: number): number {
  let begin = from
  while (begin < to && begin + shortestBlob <= text.length) {
    // Hopping from space to space costs a tenth of what a search for such a run does: 25 µs a KB.
    const space = text.indexOf(' ', begin)
    const end = space === -1 ? text.length : space
    if (end - begin >= shortestBlob) scanBlob(scan, text.slice(begin, Math.min(end, begin + longestBlob)))
    begin = end + 1
  }
  return begin
}

function scanBlob(scan: Scan, token: string): void {
  let begin = 0
  while (begin < mostAround && !beginsWritten.test(token.charAt(begin))) begin++
  let end = token.length
  while (token.length - end < mostAround && !/[A-Za-z0-9+/=]/.test(token.charAt(end - 1))) end--
  const blob = token.slice(begin, end)
  if (!written.test(blob)) return
  const decoded = Buffer.from(blob, 'base64').toString('latin1')
  if (printable.test(decoded) && decoded.includes(' ')) scanWords(scan, decoded, 0, decoded.length)
}
