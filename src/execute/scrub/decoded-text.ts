// A text with one layer of percent signs, escapes and entities undone, or without its white space, and where each character of it came
// from. What is found in it is then cut out of the original.

export interface View {
  readonly text: string
  /** Undefined where the view is the original. Made when something was found: most texts hold nothing, and it takes most of the time. */
  readonly places?: () => Places
  /** Its white space was taken out: what stands side by side in it need not in the original. */
  readonly dense?: boolean
}

/** Where each character of a view begins and ends in the original. */
interface Places {
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

export const startOf = ({ places }: View, index: number): number =>
  places === undefined ? index : (places().starts[index] ?? 0)
export const endOf = ({ places }: View, index: number): number =>
  places === undefined ? index : (places().ends[index - 1] ?? 0)

/** Twice encoded is met in the wild, three times in tests of scrubbers. */
const layers = 3
const mayDecode = /%[0-9a-f]{2}|\\[ux"'/\\bfnrt]|&[#a-z]/i

/** The text itself, and every reading of it in which a secret may come to light. */
export function viewsOf(text: string): readonly View[] {
  const views: View[] = []
  let view: View = { text }
  for (let layer = 0; ; layer++) {
    views.push(view)
    const dense = withoutSpace(view)
    if (dense !== undefined) views.push(dense)
    if (layer === layers || !mayDecode.test(view.text)) return views
    view = decoded(view)
  }
}

function withoutSpace(view: View): View | undefined {
  const { text } = view
  if (!/\s/.test(text)) return undefined
  const places = (): Places => {
    const made = createPlaces(view)
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if ((code > 32 && code < 128) || !/\s/.test(text.charAt(index))) made.put(1, index, index + 1)
    }
    return made.places()
  }
  return { text: text.replaceAll(/\s+/g, ''), places: once(places), dense: true }
}

function decoded(view: View): View {
  const { text } = view
  const parts: string[] = []
  /** Each spelling that was undone, one after another: where it begins and ends, and how long it is now. */
  const undone: number[] = []
  let plain = 0
  spelling.lastIndex = 0
  for (let match = spelling.exec(text); match !== null; match = spelling.exec(text)) {
    const read = readAt(text, match.index)
    if (read === undefined) continue
    parts.push(text.slice(plain, match.index), read.text)
    undone.push(match.index, read.end, read.text.length)
    plain = read.end
    spelling.lastIndex = read.end
  }
  parts.push(text.slice(plain))
  const places = (): Places => {
    const made = createPlaces(view)
    let at = 0
    const asItIs = (to: number) => {
      for (; at < to; at++) made.put(1, at, at + 1)
    }
    for (let index = 0; index < undone.length; index += 3) {
      const [start = 0, end = 0, length = 0] = undone.slice(index, index + 3)
      asItIs(start)
      made.put(length, start, end)
      at = end
    }
    asItIs(text.length)
    return made.places()
  }
  return { text: parts.join(''), places: once(places) }
}

/** What a spelling begins with. */
const spelling = /[%\\&]/g

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

interface Read {
  readonly text: string
  readonly end: number
}

function readAt(text: string, index: number): Read | undefined {
  switch (text.charCodeAt(index)) {
    case 0x25:
      return percent(text, index)
    case 0x5c:
      return escaped(text, index)
    case 0x26:
      return entity(text, index)
    default:
      return undefined
  }
}

/** One character of UTF-8, of as many percent signs as it has bytes; a byte that begins none stands for itself. */
function percent(text: string, index: number): Read | undefined {
  const first = byteAt(text, index)
  if (first === undefined) return undefined
  if (first < 0x80) return { text: String.fromCharCode(first), end: index + 3 }
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  const bytes = [first]
  for (let at = index + 3; bytes.length < length; at += 3) {
    const next = byteAt(text, at)
    if (next === undefined || (next & 0xc0) !== 0x80) return { text: String.fromCharCode(first), end: index + 3 }
    bytes.push(next)
  }
  return { text: Buffer.from(bytes).toString('utf8'), end: index + 3 * length }
}

function byteAt(text: string, index: number): number | undefined {
  return text.charCodeAt(index) === 0x25 ? hexAt(text, index + 1, 2) : undefined
}

function hexAt(text: string, index: number, length: number): number | undefined {
  let value = 0
  for (let at = index; at < index + length; at++) {
    const digit = digitOf(text.charCodeAt(at))
    if (digit === undefined) return undefined
    value = value * 16 + digit
  }
  return value
}

function digitOf(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  // Letters in both cases.
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ["'", "'"],
  ['/', '/'],
  ['\\', '\\'],
])

function escaped(text: string, index: number): Read | undefined {
  const letter = text.charAt(index + 1)
  const length = letter === 'u' ? 4 : letter === 'x' ? 2 : 0
  if (length === 0) {
    const plain = escapes.get(letter)
    return plain === undefined ? undefined : { text: plain, end: index + 2 }
  }
  const code = hexAt(text, index + 2, length)
  return code === undefined ? undefined : { text: String.fromCharCode(code), end: index + 2 + length }
}

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    sol: '/',
    bsol: '\\',
    plus: '+',
    equals: '=',
    colon: ':',
    semi: ';',
    comma: ',',
    period: '.',
    num: '#',
    dollar: '$',
    percnt: '%',
    commat: '@',
    excl: '!',
    quest: '?',
    ast: '*',
    lowbar: '_',
    lpar: '(',
    rpar: ')',
    lsqb: '[',
    rsqb: ']',
    lcub: '{',
    rcub: '}',
    verbar: '|',
    grave: '`',
    Hat: '^',
  }),
)
const entitySyntax = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,8}));?/iy

function entity(text: string, index: number): Read | undefined {
  entitySyntax.lastIndex = index
  const match = entitySyntax.exec(text)
  if (match === null) return undefined
  const [whole, hex, decimal, name] = match
  const end = index + whole.length
  if (name !== undefined) {
    const plain = entities.get(name)
    return plain === undefined ? undefined : { text: plain, end }
  }
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return code > 0x10ffff ? undefined : { text: String.fromCodePoint(code), end }
}

/** Collects the places of characters of a view that is made from another. */
function createPlaces(from: View) {
  const starts = new Uint32Array(from.text.length)
  const ends = new Uint32Array(from.text.length)
  let length = 0
  return {
    /** So many characters, all from this place. */
    put(count: number, start: number, end: number): void {
      for (const last = length + count; length < last; length++) {
        starts[length] = startOf(from, start)
        ends[length] = endOf(from, end)
      }
    },
    places: (): Places => ({ starts: starts.subarray(0, length), ends: ends.subarray(0, length) }),
  }
}
