// Texts that look like secrets, also those that were never handed out here: keys of well-known providers, tokens, private keys, passwords in
// URLs. One scan over the text finds where one may begin; from there every shape is read once, forwards, so that the time is linear. What may
// be of any length is read character by character, in steps: an expression overflows its stack on a run of megabytes, and no secret was found.
import { inOneGo, type Steps } from '../../json/slices.ts'
import { isSpace } from './read-spelling.ts'

/** A shorter text holds no secret of these shapes. */
const leastShape = 12

const beginnings =
  /A(?:KIA|SIA|Iza)|gh[pousr]_|github_pat_|glpat-|npm_|xox[abeprs]-|sk-|[rs]k_(?:live|test)_|whsec_|eyJ|-----BEGIN |[Bb]earer |:\/\//g

/** None of them begins in a text without one of these; most prose has none, and this is eight times as fast to see. */
const hint = /[_-]|:\/|eyJ|A(?:KIA|SIA|Iza)|earer /

const noPlaces: readonly SecretPlace[] = Object.freeze([])

export function findShapes(text: string): readonly SecretPlace[] {
  if (text.length < leastShape || !hint.test(text)) return noPlaces
  return inOneGo(shapesInSteps(text, text.length))
}

/** No beginning is longer. */
const longestBeginning = 11

/** The same, looking at `window` characters in a step. What a step finds does not depend on where it ends. */
export function* shapesInSteps(text: string, window: number): Steps<readonly SecretPlace[]> {
  const found: SecretPlace[] = []
  const memory: Memory = { noToken: 0, noKey: 0 }
  for (let from = 0; from < text.length; ) {
    const to = Math.min(text.length, from + window)
    // With what a beginning reaches over the end of the step.
    const part = from === 0 && to === text.length ? text : text.slice(from, to + longestBeginning - 1)
    let next = hint.test(part) ? from : to
    while (next < to) {
      beginnings.lastIndex = next - from
      const match = beginnings.exec(part)
      const at = match === null ? to : from + match.index
      if (match === null || at >= to) break
      const span = yield* spanAt({ text, at, window }, match[0], memory)
      if (span !== undefined) found.push({ start: span[0], end: span[1], name: '' })
      next = Math.max(span?.[1] ?? 0, at + match[0].length)
    }
    from = Math.max(to, next)
    yield
  }
  return found.length === 0 ? noPlaces : found
}

/** From where on a shape may go on beyond the end of the text; undefined where none does. */
export function openShape(text: string): number | undefined {
  const key = text.lastIndexOf('-----BEGIN ')
  if (key >= 0 && /^-----BEGIN [A-Z0-9 ]*(?:PRIVATE KEY|$)/.test(text.slice(key)) && !text.includes('-----END ', key))
    return key
  let run = text.length
  while (run > 0 && text.length - run < longestOpen && inRun.test(text.charAt(run - 1))) run--
  const before = /bearer +$/i.exec(text.slice(Math.max(0, run - 16), run))
  if (before !== null) return run - before[0].length
  const address = openAddress(text)
  beginnings.lastIndex = run
  for (let match = beginnings.exec(text); match !== null; match = beginnings.exec(text))
    if (mayGoOn(text, match.index, match[0])) return Math.min(match.index, address ?? match.index)
  return address
}

/** A password may hold what no other shape does. */
function openAddress(text: string): number | undefined {
  const at = text.lastIndexOf('://')
  if (at < 0 || text.length - at > longestOpen) return undefined
  return /^[^\s/?#@"'<>]*$/.test(text.slice(at + 3)) ? at : undefined
}

function mayGoOn(text: string, at: number, begun: string): boolean {
  // Behind the host of a URL no password follows.
  if (begun === '://') return !text.includes('/', at + begun.length)
  return !keys.has(begun) || !isWordAt(text, at - 1)
}

/** A shape that is still open after this many characters is not a secret. */
const longestOpen = 8_192
const inRun = /[\w.~+/=:-]/

/** What earlier beginnings have shown of the text: up to where no token and no key begins. */
interface Memory {
  noToken: number
  noKey: number
}

type Span = readonly [start: number, end: number]

interface Place {
  readonly text: string
  readonly at: number
  readonly window: number
}

function spanAt(place: Place, begun: string, memory: Memory): Steps<Span | undefined> {
  switch (begun) {
    case 'eyJ':
      return tokenAt(place, memory)
    case '-----BEGIN ':
      return privateKeyAt(place)
    case '://':
      return passwordAt(place)
    case 'Bearer ':
    case 'bearer ':
      return bearerAt(place)
    default:
      return keyAt(place, keys.get(begun), memory)
  }
}

/** By the code of a character: what it is, as bits. */
const kinds = new Uint8Array(128)
const [word, digit, capital, ofToken] = [1, 2, 4, 8]
for (let code = 0x21; code < 0x7f; code++) {
  const character = String.fromCharCode(code)
  if (/[A-Za-z0-9_-]/.test(character)) kinds[code] = (kinds[code] ?? 0) | word | ofToken
  if (/[0-9]/.test(character)) kinds[code] = (kinds[code] ?? 0) | digit
  if (/[A-Z]/.test(character)) kinds[code] = (kinds[code] ?? 0) | capital
  if (/[._~+/=-]/.test(character)) kinds[code] = (kinds[code] ?? 0) | ofToken
}

interface Run {
  readonly end: number
  /** What its characters are, all together. */
  readonly kinds: number
}

/** From here as far as every character is of the kind. */
function* runAt({ text, at, window }: Place, kind: number): Steps<Run> {
  let seen = 0
  let end = at
  for (let left = window; end < text.length; end++) {
    const found = kinds[text.charCodeAt(end)] ?? 0
    if ((found & kind) === 0) break
    seen |= found
    if (--left > 0) continue
    left = window
    yield
  }
  return { end, kinds: seen }
}

interface KeyShape {
  /** How long it is at least, with its beginning. */
  readonly least: number
  /** Where it has one length. */
  readonly syntax?: RegExp
  /** Words of prose have no digits, keys have. */
  readonly mixed?: boolean
}

const letters = (least: number): KeyShape => ({ least })
const aws: KeyShape = { least: 20, syntax: /A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])/y }

const keys: ReadonlyMap<string, KeyShape> = new Map<string, KeyShape>([
  ['AKIA', aws],
  ['ASIA', aws],
  ['AIza', letters(39)],
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((begun) => [begun, letters(30)] as const),
  ['github_pat_', letters(33)],
  ['glpat-', letters(26)],
  ['npm_', letters(40)],
  ...['a', 'b', 'e', 'p', 'r', 's'].map((kind) => [`xox${kind}-`, letters(15)] as const),
  ['sk-', { ...letters(23), mixed: true }],
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map((begun) => [begun, letters(18)] as const),
  ['whsec_', letters(22)],
])

function* keyAt(place: Place, shape: KeyShape | undefined, memory: Memory): Steps<Span | undefined> {
  const { text, at } = place
  if (shape === undefined || isWordAt(text, at - 1)) return undefined
  const { least, syntax, mixed } = shape
  if (syntax !== undefined) {
    syntax.lastIndex = at
    return syntax.test(text) ? [at, at + least] : undefined
  }
  if (mixed === true && at < memory.noKey) return undefined
  const run = yield* runAt(place, word)
  if (run.end - at < least) return undefined
  const both = digit | capital
  if (mixed !== true || (run.kinds & both) === both) return [at, run.end]
  // What begins later in the same word has no more digits than the whole of it.
  memory.noKey = run.end
  return undefined
}

const isWordAt = (text: string, at: number): boolean => at >= 0 && /[A-Za-z0-9]/.test(text.charAt(at))

const leastPart = 8

/** A JSON Web Token, or one that is encrypted: three or five parts. */
function* tokenAt(place: Place, memory: Memory): Steps<Span | undefined> {
  const { text, at } = place
  if (at < memory.noToken) return undefined
  const head = (yield* runAt(place, word)).end
  const body = text.charAt(head) === '.' ? (yield* runAt({ ...place, at: head + 1 }, word)).end : head
  if (head - at < leastPart || body - head <= leastPart || text.charAt(body) !== '.') {
    // A token that begins within this part ends where the part ends, and fails as it does.
    memory.noToken = head
    return undefined
  }
  let { end } = yield* runAt({ ...place, at: body + 1 }, word)
  while (text.charAt(end) === '.' && /[A-Za-z0-9_-]/.test(text.charAt(end + 1)))
    end = (yield* runAt({ ...place, at: end + 1 }, word)).end
  return [at, end]
}

const keyHead = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const keyFoot = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const longestFoot = 80

/** A key whose end is cut off is a key up to the end of the text. */
function* privateKeyAt({ text, at, window }: Place): Steps<Span | undefined> {
  keyHead.lastIndex = at
  if (!keyHead.test(text)) return undefined
  for (let from = at; from < text.length; from += window) {
    const foot = keyFoot.exec(text.slice(from, from + window + longestFoot))
    if (foot !== null) return [at, from + foot.index + foot[0].length]
    yield
  }
  return [at, text.length]
}

const longestPassword = 512
const endsAddress: ReadonlySet<string> = new Set('/?#@"\'<>')

/** The password alone: whose it is may be said. */
function* passwordAt({ text, at, window }: Place): Steps<Span | undefined> {
  const isPart = (place: number) =>
    place < text.length && !endsAddress.has(text.charAt(place)) && !isSpace(text.charCodeAt(place))
  let colon = at + 3
  for (let left = window; text.charAt(colon) !== ':' && isPart(colon); colon++) {
    if (--left > 0) continue
    left = window
    yield
  }
  if (text.charAt(colon) !== ':') return undefined
  const start = colon + 1
  let end = start
  while (end - start <= longestPassword && isPart(end)) end++
  return text.charAt(end) === '@' && end > start && end - start <= longestPassword ? [start, end] : undefined
}

const leastBearer = 20

function* bearerAt(place: Place): Steps<Span | undefined> {
  const { text, at, window } = place
  let start = at + 'bearer '.length
  for (let left = window; text.charAt(start) === ' '; start++) {
    if (--left > 0) continue
    left = window
    yield
  }
  const { end, kinds: seen } = yield* runAt({ ...place, at: start }, ofToken)
  return end - start >= leastBearer && (seen & digit) !== 0 ? [start, end] : undefined
}

export interface SecretPlace {
  readonly start: number
  readonly end: number
  /** The name under which the secret was handed out; empty for one that only looks like a secret. */
  readonly name: string
}
