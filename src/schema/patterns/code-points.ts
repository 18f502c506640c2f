// Sets of Unicode code points as sorted, disjoint, non-adjacent ranges: the alphabet of patterns and of their automata.
// Invariant: what `\d \w \s .` and `\p{…}` mean here is what ECMA-262 with the `u` flag means by them.

export type CodePointRange = readonly [from: number, to: number]
export type CodePointRanges = readonly CodePointRange[]

export const lastCodePoint = 0x10ffff

export const digits: CodePointRanges = [[0x30, 0x39]]

export const wordCharacters: CodePointRanges = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]

/** WhiteSpace and LineTerminator of ECMA-262. */
export const spaces: CodePointRanges = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]

/** What `.` leaves out without the `s` flag. */
const lineTerminators: CodePointRanges = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]

export function unionOf(ranges: readonly CodePointRange[]): CodePointRanges {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0])
  const merged: [number, number][] = []
  for (const [from, to] of sorted) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

export function complementOf(ranges: CodePointRanges): CodePointRanges {
  const outside: CodePointRange[] = []
  let next = 0
  for (const [from, to] of ranges) {
    if (from > next) outside.push([next, from - 1])
    next = to + 1
  }
  if (next <= lastCodePoint) outside.push([next, lastCodePoint])
  return outside
}

export function overlap(a: CodePointRanges, b: CodePointRanges): boolean {
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const [fromA, toA] = a[i] as CodePointRange
    const [fromB, toB] = b[j] as CodePointRange
    if (toA < fromB) i++
    else if (toB < fromA) j++
    else return true
  }
  return false
}

export const anyButLineTerminators: CodePointRanges = complementOf(lineTerminators)

const properties = new Map<string, CodePointRanges>()

/** Ranges of `\p{property}`, read off the engine's own Unicode tables (about 15 ms each, once per process). */
export function propertyRanges(property: string): CodePointRanges {
  const known = properties.get(property)
  if (known !== undefined) return known
  const member = new RegExp(`\\p{${property}}`, 'u')
  const found: CodePointRange[] = []
  for (const match of everyScalar().matchAll(new RegExp(`\\p{${property}}+`, 'gu'))) {
    found.push([scalarAt(match.index), scalarAt(match.index + match[0].length) - 1])
  }
  // Surrogates are tested one by one: side by side in a text they would pair up.
  for (let code = 0xd800; code <= 0xdfff; code++) {
    if (member.test(String.fromCharCode(code))) found.push([code, code])
  }
  // A run that goes over the gap of the surrogates would otherwise claim them.
  const ranges = unionOf(found.flatMap(splitAtSurrogates))
  properties.set(property, ranges)
  return ranges
}

function splitAtSurrogates(range: CodePointRange): CodePointRange[] {
  const [from, to] = range
  if (from >= 0xd800 || to < 0xe000) return [range]
  return [
    [from, 0xd7ff],
    [0xe000, to],
  ]
}

function everyScalar(): string {
  const parts: string[] = []
  for (let block = 0; block <= lastCodePoint; block += 0x400) {
    if (block >= 0xd800 && block < 0xe000) continue
    parts.push(String.fromCodePoint(...Array.from({ length: 0x400 }, (_, offset) => block + offset)))
  }
  return parts.join('')
}

/** The code point at a UTF-16 index of that text; also right for the index one past its end. */
function scalarAt(index: number): number {
  if (index < 0xd800) return index
  if (index < 0xf800) return index + 0x800
  return 0x10000 + (index - 0xf800) / 2
}
