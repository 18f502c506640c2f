// What an executor says while it runs, passed on without the secrets of its call. A message that ends with the beginning of a secret waits
// for the next one or for the end, so that a secret cut in two is found as well; messages come out whole and in their order.
import { copyResult } from '../../json/copy.ts'
import type { JsonValue } from '../../json/value.ts'
import { cleanedText, nothingCleaned, textCleaner } from '../results/clean-text.ts'
import { isSpace } from './read-spelling.ts'
import { scrubValue } from './scrub-value.ts'
import { marked, type Scrubber } from './scrubber.ts'
import type { SecretPlace } from './secret-shapes.ts'

export type StreamedMessage =
  | { readonly event: 'progress'; readonly text: string }
  | { readonly event: 'partial_result'; readonly value: JsonValue }

export interface ScrubbedStream {
  progress(text: unknown): void
  partial(value: unknown): void
  /** Passes on what is still held back. Later messages are dropped. */
  end(): void
}

/** A text within a message, and where it begins in what was said at the same place before. */
interface Piece {
  readonly channel: Channel
  readonly start: number
  readonly text: string
}

/** Texts that may continue one another: those of progress, and those at one place of partial results. */
interface Channel {
  /** What still matters of the texts so far, and how many characters came before it. */
  text: string
  before: number
  /** From where on a secret may go on beyond the text; undefined where text was added since the last look. */
  openAt: number | undefined
}

interface Message {
  readonly pieces: readonly Piece[]
  readonly make: (texts: readonly string[]) => StreamedMessage
}

/** When more messages wait than this, all are passed on: no secret is so long. */
const maxHeld = 64
/** Texts at more places than this share one channel. */
const maxChannels = 100
const partialLimits = { maxBytes: 1_048_576, maxDepth: 64, maxValues: 10_000 } as const

export function createScrubbedStream(scrubber: Scrubber, pass: (message: StreamedMessage) => void): ScrubbedStream {
  const channels = new Map<string, Channel>()
  let held: Message[] = []
  let ended = false

  const pieceAt = (at: string, text: string): Piece => {
    const place = channels.has(at) || channels.size < maxChannels ? at : 'others'
    const channel = channels.get(place) ?? { text: '', before: 0, openAt: undefined }
    channels.set(place, channel)
    const start = channel.before + channel.text.length
    channel.text += text
    channel.openAt = undefined
    return { channel, start, text }
  }

  const release = (all: boolean) => {
    const ready = all || held.length > maxHeld ? held.length : firstOpen(held, scrubber)
    const out = held.slice(0, ready)
    // A secret is found in the whole text of a channel, so it is looked for before any of that text is dropped, and once for a channel: a
    // list of 2,000 texts is 2,000 pieces of one channel, and took 70 s when each looked for itself.
    const found = new Map<Channel, readonly SecretPlace[]>()
    const foundIn = (channel: Channel): readonly SecretPlace[] => {
      const known = found.get(channel) ?? scrubber.find(channel.text)
      found.set(channel, known)
      return known
    }
    const messages = out.map(({ pieces, make }) =>
      make(pieces.map((piece) => scrubbedPiece(piece, foundIn(piece.channel)))),
    )
    held = held.slice(ready)
    for (const channel of channels.values()) forget(channel, held, scrubber)
    for (const message of messages) pass(message)
  }

  const say = (message: Message) => {
    if (ended) return
    held.push(message)
    release(false)
  }

  return {
    progress(value) {
      const text = cleanedText(progressText(value))
      say({
        pieces: [pieceAt('progress', text)],
        make: ([scrubbedPiece = '']) => ({ event: 'progress', text: scrubbedPiece }),
      })
    },
    partial(value) {
      const copy = copyResult(value ?? null, partialLimits, textCleaner(nothingCleaned()))
      // What cannot be written as JSON cannot be looked through either; the result itself is still to come.
      if (!copy.ok) return
      const pieces: Piece[] = []
      mapTexts(copy.value, '', (text, place) => {
        pieces.push(pieceAt(place, text))
        return text
      })
      const make = (texts: readonly string[]): StreamedMessage => {
        let next = 0
        const scrubbed = mapTexts(copy.value, '', () => texts[next++] ?? '')
        // Once more as a whole: a secret of digits may stand in it as a number.
        return { event: 'partial_result', value: scrubValue(scrubbed, scrubber).value as JsonValue }
      }
      say({ pieces, make })
    },
    end() {
      if (ended) return
      release(true)
      ended = true
    },
  }
}

function progressText(value: unknown): string {
  try {
    return String(value)
  } catch {
    return ''
  }
}

/** How many messages may be passed on: those before the first that ends with the beginning of a secret. */
function firstOpen(held: readonly Message[], scrubber: Scrubber): number {
  const index = held.findIndex(({ pieces }) =>
    pieces.some(({ channel, start, text }) => start + text.length > openOf(channel, scrubber)),
  )
  return index < 0 ? held.length : index
}

function openOf(channel: Channel, scrubber: Scrubber): number {
  channel.openAt ??= channel.before + (scrubber.open(channel.text) ?? channel.text.length)
  return channel.openAt
}

/** The part of what was found that lies in this piece; a mark stands where its secret begins, or where it goes on from an earlier piece. */
function scrubbedPiece({ channel, start, text }: Piece, found: readonly SecretPlace[]): string {
  if (found.length === 0) return text
  const offset = start - channel.before
  const own = found.flatMap((place): SecretPlace[] => {
    const from = Math.max(0, place.start - offset)
    const to = Math.min(text.length, place.end - offset)
    return from < to ? [{ start: from, end: to, name: place.name }] : []
  })
  return marked(text, own)
}

/** The beginning of a secret that is too short to be noticed fits into this, in every spelling; white space is not counted. */
const tail = 1_024

/**
 * Drops the text of a channel that matters no more. Kept are the messages that wait, and before them what a secret may reach over. Where no
 * secret is open a tail is enough: with the whole reach of a long secret, each message would be searched with tens of thousands of
 * characters.
 */
function forget(channel: Channel, held: readonly Message[], scrubber: Scrubber): void {
  if (channel.text.length <= tail) return
  let first = channel.before + channel.text.length
  for (const { pieces } of held) {
    for (const piece of pieces) if (piece.channel === channel) first = Math.min(first, piece.start)
  }
  const begun = Math.min(first, openOf(channel, scrubber)) - channel.before
  const needed = Math.max(tailOf(channel.text, begun), first - scrubber.reach - channel.before)
  if (needed <= 0) return
  channel.text = channel.text.slice(needed)
  channel.before += needed
}

function tailOf(text: string, end: number): number {
  let at = end
  for (let left = tail; at > 0 && left > 0; at--) if (!isSpace(text.charCodeAt(at - 1))) left--
  return at
}

/** The value with every text in it exchanged, keys included; texts at one place continue each other. */
function mapTexts(value: JsonValue, place: string, map: (text: string, place: string) => string): JsonValue {
  if (typeof value === 'string') return map(value, place)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((member) => mapTexts(member as JsonValue, `${place}/*`, map))
  const copy: Record<string, JsonValue> = Object.create(null)
  for (const [key, member] of Object.entries(value)) {
    const name = map(key, `${place}/${key}/key`)
    copy[name] = mapTexts(member, `${place}/${key}`, map)
  }
  return copy
}
