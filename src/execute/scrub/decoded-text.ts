// Readings of a text: with one layer of percent signs, escapes and entities undone, or without its white space, and where each character
// came from. What is found in a reading is cut out of the original. Every reading is made in one walk over the characters: ten megabytes of
// escapes took seconds when each was a match of its own.

import { inOneGo, type Steps } from '../../json/slices.ts'
import { isSpace, readSpelling } from './read-spelling.ts'
import type { SecretPlace } from './secret-shapes.ts'

export interface View {
  readonly text: string
  /** What it is a reading of; undefined where it is the original. */
  readonly of?: Source
  /** Its white space was taken out: what stands side by side in it need not in the original. */
  readonly dense?: boolean
}

interface Source {
  readonly view: View
  readonly walk: Walk
}

/** Twice encoded is met in the wild, three times in tests of scrubbers. */
const layers = 3
const mayDecode = /%[0-9a-f]{2}|\\[ux"'/\\bfnrt]|&[#a-z]/i

/** Stays in a clean text, and is drawn as nothing or over a letter: two variation selectors, the keycap, the Braille blank. */
const isUnseen = (code: number): boolean => code === 0xfe0e || code === 0xfe0f || code === 0x20e3 || code === 0x2800
/** White space, and what is not seen. */
const gap = /\s|\ufe0e|\ufe0f|\u20e3|\u2800/
export const gaps = /\s|\ufe0e|\ufe0f|\u20e3|\u2800/g

/** Whether the expression, which finds no more than three characters, finds something. */
function* finds(text: string, expression: RegExp, window: number): Steps<boolean> {
  if (window >= text.length) return expression.test(text)
  for (let from = 0; from < text.length; from += window) {
    if (expression.test(text.slice(from, from + window + 2))) return true
    yield
  }
  return false
}

/**
 * The text itself, and every reading of it in which a secret may come to light. `ended` takes off what may be a spelling that goes on
 * beyond the text. Each reading may end with one, and is looked at with it and without.
 */
export function viewsOf(text: string, ended?: (reading: string) => string): readonly View[] {
  return inOneGo(viewsInSteps(text, text.length, ended))
}

export function* viewsInSteps(
  text: string,
  window: number,
  ended?: (reading: string) => string,
): Steps<readonly View[]> {
  const views: View[] = []
  function* reading(view: View, walk: Walk): Steps<View> {
    return { text: yield* textBy(walk, view.text, window), of: { view, walk } }
  }
  function* add(view: View): Steps<void> {
    views.push(view)
    if (yield* finds(view.text, gap, window)) views.push({ ...(yield* reading(view, walkWithoutSpace)), dense: true })
  }
  let view: View = { text }
  for (let layer = 0; ; layer++) {
    yield* add(view)
    const said = ended?.(view.text) ?? view.text
    if (said.length < view.text.length) {
      view = { text: said, of: { view, walk: walkAsItIs } }
      yield* add(view)
    }
    if (layer === layers || !(yield* finds(view.text, mayDecode, window))) return views
    const next = yield* reading(view, walkDecoded)
    // Every spelling is longer than what it stands for.
    if (next.text.length === view.text.length) return views
    view = next
  }
}

/** Gets the parts of a reading, in their order. */
interface Sink {
  /** Characters that stand for themselves, from here to there. */
  plain(from: number, to: number): void
  /** A character by its code, and where its spelling begins and ends. */
  spelled(code: number, from: number, to: number): void
}
/** From here to there, or to the end of what is spelled there: gives where it came to. */
type Walk = (text: string, sink: Sink, from: number, to: number) => number

const walkAsItIs: Walk = (_, sink, from, to) => {
  sink.plain(from, to)
  return to
}

const walkDecoded: Walk = (text, sink, first, to) => {
  const spelled = { code: 0, end: 0 }
  let from = first
  let at = first
  while (at < to) {
    const code = text.charCodeAt(at)
    if ((code === 0x5c || code === 0x25 || code === 0x26) && readSpelling(text, at, code, spelled)) {
      if (from < at) sink.plain(from, at)
      sink.spelled(spelled.code, at, spelled.end)
      from = spelled.end
      at = from
    } else at++
  }
  if (from < at) sink.plain(from, at)
  return at
}

const walkWithoutSpace: Walk = (text, sink, first, to) => {
  let from = first
  for (let at = first; at < to; at++) {
    const code = text.charCodeAt(at)
    if (!isSpace(code) && !isUnseen(code)) continue
    if (from < at) sink.plain(from, at)
    from = at + 1
  }
  if (from < to) sink.plain(from, to)
  return to
}

/** Below this a text is put together faster than an array is made: half the time for a line. */
const fewCharacters = 2_048

function shortTextBy(walk: Walk, text: string): string {
  let made = ''
  const sink: Sink = {
    plain(from, to) {
      made += text.slice(from, to)
    },
    spelled(code) {
      made += String.fromCodePoint(code)
    },
  }
  walk(text, sink, 0, text.length)
  return made
}

/** No reading is longer than what it was made of, nor is a part of it. */
function* textBy(walk: Walk, text: string, window: number): Steps<string> {
  if (text.length < fewCharacters && window >= text.length) return shortTextBy(walk, text)
  // What is spelled at the end of a step reaches over it, and is shorter when it is read.
  const units = new Uint16Array(Math.min(text.length, window) + 2)
  let length = 0
  let seen = 0
  const sink: Sink = {
    plain(from, to) {
      for (let at = from; at < to; at++) {
        const code = text.charCodeAt(at)
        seen |= code
        units[length++] = code
      }
    },
    spelled(code) {
      seen |= code
      if (code <= 0xffff) units[length++] = code
      else {
        units[length++] = 0xd7c0 + (code >> 10)
        units[length++] = 0xdc00 + (code & 0x3ff)
      }
    },
  }
  let made = ''
  for (let at = 0; at < text.length; ) {
    at = walk(text, sink, at, Math.min(text.length, at + window))
    made += textOf(units.subarray(0, length), seen < 0x100)
    length = 0
    seen = 0
    yield
  }
  return made
}

/** One of narrow characters is kept as such: it is looked through in half the time. */
export const textOf = (units: Uint16Array, isNarrow: boolean): string =>
  isNarrow ? Buffer.from(units).toString('latin1') : wideText(units)

function wideText(units: Uint16Array): string {
  const bytes = Buffer.allocUnsafe(2 * units.length)
  for (let at = 0; at < units.length; at++) bytes.writeUInt16LE(units[at] ?? 0, 2 * at)
  return bytes.toString('utf16le')
}

/** What was found in one view of a text. */
export interface PlacesInView {
  readonly view: View
  readonly found: readonly SecretPlace[]
}

/**
 * What was found in the views of one text, in the order in which they were made, by its places in the original. Where a character came
 * from is found out by walking once more to where something was found: most texts hold nothing, and need not be walked twice.
 */
export function inOriginal(views: readonly PlacesInView[]): readonly SecretPlace[] {
  return views.every(isEmpty) ? [] : inOneGo(inOriginalInSteps(views, Number.POSITIVE_INFINITY))
}

const isEmpty = ({ found }: PlacesInView) => found.length === 0

export function* inOriginalInSteps(views: readonly PlacesInView[], window: number): Steps<readonly SecretPlace[]> {
  if (views.every(isEmpty)) return []
  const byView = new Map<View, readonly SecretPlace[]>(views.map(({ view, found }) => [view, found]))
  let inView: readonly SecretPlace[] = []
  // A reading is made after what it is a reading of: all that was found in a view is there when its turn comes.
  for (const { view } of views.toReversed()) {
    inView = byView.get(view) ?? []
    if (inView.length === 0 || view.of === undefined) continue
    const { view: earlier } = view.of
    byView.set(earlier, (byView.get(earlier) ?? []).concat(yield* walkedBack(view.of, inView, window)))
  }
  // The original is the first view.
  return inView
}

function* walkedBack(
  { view, walk }: Source,
  found: readonly SecretPlace[],
  window: number,
): Steps<readonly SecretPlace[]> {
  const starts = new Map<number, number>()
  const ends = new Map<number, number>()
  const byStart = yield* inOrder(
    found.map(({ start }) => start),
    (start) => start,
    ascending,
  )
  const byEnd = yield* inOrder(
    found.map(({ end }) => end),
    (end) => end,
    ascending,
  )
  let [startAt, endAt, length] = [0, 0, 0]
  let nextStart = byStart[0] ?? Number.POSITIVE_INFINITY
  let nextEnd = byEnd[0] ?? Number.POSITIVE_INFINITY
  /** So many more characters came from `from` to `to`: each from a place of its own, or all from the whole of it. */
  const take = (count: number, from: number, to: number, isPlain: boolean) => {
    const before = length
    length += count
    for (; nextStart < length; nextStart = byStart[++startAt] ?? Number.POSITIVE_INFINITY)
      starts.set(nextStart, isPlain ? from + nextStart - before : from)
    for (; nextEnd <= length; nextEnd = byEnd[++endAt] ?? Number.POSITIVE_INFINITY)
      ends.set(nextEnd, isPlain ? from + nextEnd - before : to)
  }
  const sink: Sink = {
    plain: (from, to) => take(to - from, from, to, true),
    spelled: (code, from, to) => take(code > 0xffff ? 2 : 1, from, to, false),
  }
  for (let at = 0; at < view.text.length; ) {
    at = walk(view.text, sink, at, Math.min(view.text.length, at + window))
    yield
  }
  const places: SecretPlace[] = []
  for (const { start, end, name } of found) {
    places.push({ start: starts.get(start) ?? 0, end: ends.get(end) ?? 0, name })
    if (places.length % placesInStep === 0) yield
  }
  return places
}

const ascending = (a: number, b: number): number => a - b

/** So many places are looked at in a step. */
const placesInStep = 4_096
/** A stretch of a text this long holds not many places more. */
const stretch = 4_096

/** Sorted, equal ones in the order in which they came. `at` never falls where the order rises, and is the place in the text. */
export function* inOrder<T>(all: readonly T[], at: (one: T) => number, compare: (a: T, b: T) => number): Steps<T[]> {
  if (all.length <= placesInStep) return all.toSorted(compare)
  const stretches: (T[] | undefined)[] = []
  let count = 0
  for (const one of all) {
    const index = Math.floor(at(one) / stretch)
    const own = stretches[index]
    if (own === undefined) stretches[index] = [one]
    else own.push(one)
    if (++count % placesInStep === 0) yield
  }
  const sorted: T[] = []
  for (const own of stretches) {
    if (own === undefined) continue
    for (const one of own.sort(compare)) sorted.push(one)
    yield
  }
  return sorted
}
