// Texts that look like secrets, also those that were never handed out here: keys of well-known providers, tokens, private keys, passwords in
// URLs. One scan over the text finds where one may begin; from there every shape is read once, forwards, so that the time is linear.

/** A shorter text holds no secret of these shapes. */
const leastShape = 12

const beginnings =
  /A(?:KIA|SIA|Iza)|gh[pousr]_|github_pat_|glpat-|npm_|xox[abeprs]-|sk-|[rs]k_(?:live|test)_|whsec_|eyJ|-----BEGIN |[Bb]earer |:\/\//g

/** None of them begins in a text without one of these; most prose has none, and this is eight times as fast to see. */
const hint = /[_-]|:\/|eyJ|A(?:KIA|SIA|Iza)|earer /

const noPlaces: readonly SecretPlace[] = Object.freeze([])

export function findShapes(text: string): readonly SecretPlace[] {
  if (text.length < leastShape || !hint.test(text)) return noPlaces
  beginnings.lastIndex = 0
  let match = beginnings.exec(text)
  if (match === null) return noPlaces
  const found: SecretPlace[] = []
  const memory: Memory = { noToken: 0, noKey: 0 }
  for (; match !== null; match = beginnings.exec(text)) {
    const span = spanAt(text, match.index, match[0], memory)
    if (span === undefined) continue
    found.push({ start: span[0], end: span[1], name: '' })
    beginnings.lastIndex = Math.max(span[1], match.index + 1)
  }
  return found
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

function spanAt(text: string, at: number, begun: string, memory: Memory): Span | undefined {
  switch (begun) {
    case 'eyJ':
      return tokenAt(text, at, memory)
    case '-----BEGIN ':
      return privateKeyAt(text, at)
    case '://':
      return passwordAt(text, at)
    case 'Bearer ':
    case 'bearer ':
      return bearerAt(text, at)
    default: {
      const shape = keys.get(begun)
      return shape === undefined || isWordAt(text, at - 1) ? undefined : keyAt(text, at, shape, memory)
    }
  }
}

interface KeyShape {
  /** What the key is made of, its beginning included. */
  readonly syntax: RegExp
  /** Words of prose have no digits, keys have. */
  readonly mixed?: boolean
}

const letters = (least: number): KeyShape => ({ syntax: new RegExp(`[A-Za-z0-9_-]{${least},}`, 'y') })
const aws: KeyShape = { syntax: /A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])/y }

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

function keyAt(text: string, at: number, { syntax, mixed }: KeyShape, memory: Memory): Span | undefined {
  if (mixed === true && at < memory.noKey) return undefined
  syntax.lastIndex = at
  const key = syntax.exec(text)?.[0]
  if (key === undefined) return undefined
  if (mixed !== true || (/[0-9]/.test(key) && /[A-Z]/.test(key))) return [at, at + key.length]
  // What begins later in the same word has no more digits than the whole of it.
  memory.noKey = at + key.length
  return undefined
}

const isWordAt = (text: string, at: number): boolean => at >= 0 && /[A-Za-z0-9]/.test(text.charAt(at))

const part = /[A-Za-z0-9_-]*/y
const leastPart = 8

/** A JSON Web Token, or one that is encrypted: three or five parts. */
function tokenAt(text: string, at: number, memory: Memory): Span | undefined {
  if (at < memory.noToken) return undefined
  const head = runAt(part, text, at)
  const body = text.charAt(head) === '.' ? runAt(part, text, head + 1) : head
  if (head - at < leastPart || body - head <= leastPart || text.charAt(body) !== '.') {
    // A token that begins within this part ends where the part ends, and fails as it does.
    memory.noToken = head
    return undefined
  }
  let end = runAt(part, text, body + 1)
  while (text.charAt(end) === '.' && /[A-Za-z0-9_-]/.test(text.charAt(end + 1))) end = runAt(part, text, end + 1)
  return [at, end]
}

function runAt(syntax: RegExp, text: string, at: number): number {
  syntax.lastIndex = at
  return at + (syntax.exec(text)?.[0].length ?? 0)
}

const keyHead = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const keyFoot = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g

/** A key whose end is cut off is a key up to the end of the text. */
function privateKeyAt(text: string, at: number): Span | undefined {
  keyHead.lastIndex = at
  if (!keyHead.test(text)) return undefined
  keyFoot.lastIndex = at
  const foot = keyFoot.exec(text)
  return [at, foot === null ? text.length : foot.index + foot[0].length]
}

const userInfo = /:\/\/[^\s/?#@:"'<>]*:([^\s/?#@"'<>]{1,512})@/y

/** The password alone: whose it is may be said. */
function passwordAt(text: string, at: number): Span | undefined {
  userInfo.lastIndex = at
  const match = userInfo.exec(text)
  if (match === null) return undefined
  const end = at + match[0].length - 1
  return [end - (match[1]?.length ?? 0), end]
}

const bearer = /bearer +([A-Za-z0-9._~+/=-]{20,})/iy

function bearerAt(text: string, at: number): Span | undefined {
  bearer.lastIndex = at
  const match = bearer.exec(text)
  const token = match?.[1]
  if (match === null || token === undefined || !/[0-9]/.test(token)) return undefined
  const end = at + match[0].length
  return [end - token.length, end]
}

export interface SecretPlace {
  readonly start: number
  readonly end: number
  /** The name under which the secret was handed out; empty for one that only looks like a secret. */
  readonly name: string
}
