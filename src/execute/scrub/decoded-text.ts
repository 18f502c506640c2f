// Readings of a text: with one layer of percent signs, escapes and entities undone, or without its white space, and where each character
// came from. What is found in a reading is cut out of the original. Every reading is made in one walk over the characters: ten megabytes of
// escapes took seconds when each was a match of its own.

import { readSpelling } from './read-spelling.ts'
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

/**
 * The text itself, and every reading of it in which a secret may come to light. `ended` takes off what may be a spelling that goes on
 * beyond the text. Each reading may end with one, and is looked at with it and without.
 */
export function viewsOf(text: string, ended?: (reading: string) => string): readonly View[] {
  const views: View[] = []
  const add = (view: View) => {
    views.push(view)
    if (/\s/.test(view.text)) views.push({ ...reading(view, walkWithoutSpace), dense: true })
  }
  let view: View = { text }
  for (let layer = 0; ; layer++) {
    add(view)
    const said = ended?.(view.text) ?? view.text
    if (said.length < view.text.length) {
      view = { text: said, of: { view, walk: walkAsItIs } }
      add(view)
    }
    if (layer === layers || !mayDecode.test(view.text)) return views
    const next = reading(view, walkDecoded)
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
type Walk = (text: string, sink: Sink) => void

const walkAsItIs: Walk = (text, sink) => sink.plain(0, text.length)

const walkDecoded: Walk = (text, sink) => {
  const spelled = { code: 0, end: 0 }
  const { length } = text
  let from = 0
  for (let at = 0; at < length; ) {
    const code = text.charCodeAt(at)
    if ((code === 0x5c || code === 0x25 || code === 0x26) && readSpelling(text, at, code, spelled)) {
      if (from < at) sink.plain(from, at)
      sink.spelled(spelled.code, at, spelled.end)
      from = spelled.end
      at = from
    } else at++
  }
  if (from < length) sink.plain(from, length)
}

const walkWithoutSpace: Walk = (text, sink) => {
  const { length } = text
  let from = 0
  for (let at = 0; at < length; at++) {
    if (!isSpace(text.charCodeAt(at))) continue
    if (from < at) sink.plain(from, at)
    from = at + 1
  }
  if (from < length) sink.plain(from, length)
}

export const isSpace = (code: number): boolean =>
  code <= 0x20 ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : code >= 0xa0 && /\s/.test(String.fromCharCode(code))

const reading = (view: View, walk: Walk): View => ({ text: textBy(walk, view.text), of: { view, walk } })

/** Below this a text is put together faster than an array is made: half the time for a line. */
const fewCharacters = 2_048

function shortTextBy(walk: Walk, text: string): string {
  let made = ''
  walk(text, {
    plain(from, to) {
      made += text.slice(from, to)
    },
    spelled(code) {
      made += String.fromCodePoint(code)
    },
  })
  return made
}

/** No reading is longer than what it was made of. One of narrow characters is kept as such: it is looked through in half the time. */
function textBy(walk: Walk, text: string): string {
  if (text.length < fewCharacters) return shortTextBy(walk, text)
  const units = new Uint16Array(text.length)
  let length = 0
  let seen = 0
  walk(text, {
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
  })
  const read = units.subarray(0, length)
  return seen < 0x100 ? Buffer.from(read).toString('latin1') : wideText(read)
}

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
  if (views.every(({ found }) => found.length === 0)) return []
  const byView = new Map<View, readonly SecretPlace[]>(views.map(({ view, found }) => [view, found]))
  let inView: readonly SecretPlace[] = []
  // A reading is made after what it is a reading of: all that was found in a view is there when its turn comes.
  for (const { view } of views.toReversed()) {
    inView = byView.get(view) ?? []
    if (inView.length === 0 || view.of === undefined) continue
    const { view: earlier } = view.of
    byView.set(earlier, (byView.get(earlier) ?? []).concat(walkedBack(view.of, inView)))
  }
  // The original is the first view.
  return inView
}

function walkedBack({ view, walk }: Source, found: readonly SecretPlace[]): readonly SecretPlace[] {
  const starts = new Map<number, number>()
  const ends = new Map<number, number>()
  const byStart = found.map(({ start }) => start).sort((a, b) => a - b)
  const byEnd = found.map(({ end }) => end).sort((a, b) => a - b)
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
  walk(view.text, {
    plain: (from, to) => take(to - from, from, to, true),
    spelled: (code, from, to) => take(code > 0xffff ? 2 : 1, from, to, false),
  })
  return found.map(({ start, end, name }) => ({ start: starts.get(start) ?? 0, end: ends.get(end) ?? 0, name }))
}
