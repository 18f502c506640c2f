// Finds the secrets of one call in what its executor lets out: those it was handed, in every spelling, and texts that look like secrets.
// Where nothing is found, the text itself comes back.
import { inOneGo, type Steps } from '../../json/slices.ts'
import {
  gaps,
  inOrder,
  inOriginal,
  inOriginalInSteps,
  type PlacesInView,
  type View,
  viewsInSteps,
  viewsOf,
} from './decoded-text.ts'
import { encodedForms, type Form } from './encoded-forms.ts'
import { findShapes, openShape, type SecretPlace, shapesInSteps } from './secret-shapes.ts'
import { findWrapped, wrappingOf } from './wrapped-text.ts'

export interface Scrubber {
  /** In the order of the text, none overlapping another. */
  find(text: string): readonly SecretPlace[]
  /**
   * The same for a long text. Each step looks at `window` characters, and knows what came before it and what follows: where a step ends
   * decides nothing of what is found.
   */
  findInSteps(text: string, window?: number): Steps<readonly SecretPlace[]>
  /** From where on a secret may have begun that the text does not hold to its end; undefined where none has. */
  open(text: string): number | undefined
  /** How much of a text matters for what comes after it. */
  readonly reach: number
  /** Whether a number may be a secret. */
  readonly numbers: boolean
  /** Whether a secret may stand in UTF-16 without a single zero byte: it has no narrow character. */
  readonly wide: boolean
}

interface Pattern {
  readonly name: string
  readonly form: string
  readonly by: Form['by']
}

interface Patterns {
  readonly all: readonly Pattern[]
  readonly longest: number
}

/** The beginning of a secret up to this length is not noticed; a text that ends with more of it waits for what follows. */
const leastHead = 3

export function createScrubber(secrets: ReadonlyMap<string, string>): Scrubber {
  if (secrets.size === 0) return shapesAlone
  const all = [...secrets].flatMap(([name, secret]) => encodedForms(secret).flatMap((form) => patternsOf(form, name)))
  const shortest = Math.min(...all.map(({ form }) => form.length))
  const longest = Math.max(...all.map(({ form }) => form.length))
  const patterns: Patterns = { all, longest }
  // Each character may be written in as many as six, twice over in more.
  const reach = Math.max(longest * 6, shapesAlone.reach)
  const wrapping = wrappingOf([...secrets.values()])
  const scrubber: Scrubber = {
    reach,
    wide: all.some(({ form }) => !/[\0-\xff]/.test(form)),
    numbers: [...secrets.values()].some((secret) => /^[0-9]+$/.test(secret)),
    find: (text) => (text.length < shortest ? findShapes(text) : inOneGo(scrubber.findInSteps(text, text.length))),
    *findInSteps(text, window = charactersInStep) {
      const shapes = yield* shapesInSteps(text, window)
      if (text.length < shortest) return shapes
      function* look(within: string): Steps<readonly SecretPlace[]> {
        const inViews: PlacesInView[] = []
        for (const view of yield* viewsInSteps(within, window))
          inViews.push({ view, found: yield* findIn(view, patterns, window) })
        return yield* inOriginalInSteps(inViews, window)
      }
      const inViews: PlacesInView[] = []
      for (const view of yield* viewsInSteps(text, window)) {
        const found = yield* findIn(view, patterns, window)
        const wrapped = yield* findWrapped(view.text, wrapping, look, window)
        inViews.push({ view, found: wrapped.length === 0 ? found : found.concat(wrapped) })
      }
      const found = yield* inOriginalInSteps(inViews, window)
      return found.length === 0 ? shapes : yield* merged(found.concat(shapes))
    },
    open(text) {
      // What began before that has ended, also where it is spelled three times over.
      const from = Math.max(0, text.length - 4 * reach)
      let first = openShape(text)
      const views = viewsOf(text.slice(from), withoutStump)
      for (const { start } of inOriginal(views.map((view) => ({ view, found: openIn(view, all) }))))
        first = Math.min(first ?? text.length, from + start)
      return first
    },
  }
  return scrubber
}

/** Takes a millisecond or two. */
const charactersInStep = 32_768

const shapesAlone: Scrubber = {
  reach: 8_192,
  numbers: false,
  wide: false,
  find: findShapes,
  findInSteps: (text, window = charactersInStep) => shapesInSteps(text, window),
  open: openShape,
}

/** As it is, and as it stands where white space was taken out. */
function patternsOf({ text, by }: Form, name: string): readonly Pattern[] {
  const dense = text.replaceAll(gaps, '')
  const forms = dense === text || dense === '' ? [text] : [text, dense]
  return forms.map((form) => ({ name, form, by }))
}

function* findIn(view: View, patterns: Patterns, window: number): Steps<SecretPlace[]> {
  const found: SecretPlace[] = []
  const { all, longest } = patterns
  /** By the pattern: from where on it is looked for. */
  const next = new Uint32Array(all.length)
  const { length } = view.text
  for (let from = 0; from < length; from += window) {
    const to = Math.min(length, from + window)
    // With what a form reaches over the end of the step.
    const part = to === length && from === 0 ? view.text : view.text.slice(from, to + longest - 1)
    let small: string | undefined
    for (const [index, { form, name, by }] of all.entries()) {
      if (by === 'hex') small ??= smallDigits(part)
      const text = by === 'hex' ? (small ?? '') : part
      let at = text.indexOf(form, Math.max(0, (next[index] ?? 0) - from))
      for (; at >= 0 && from + at < to; at = text.indexOf(form, at + form.length)) {
        const [start, end] = [from + at, from + at + form.length]
        next[index] = end
        const [first, last] = by === 'base64' && view.dense !== true ? widened(view.text, start, end) : [start, end]
        found.push({ start: first, end: last, name })
      }
    }
    yield
  }
  return found
}

/** Digits of hex in small letters, and each character where it was: there are letters whose small form is longer. */
function smallDigits(text: string): string {
  const small = text.toLowerCase()
  return small.length === text.length ? small : text.replace(/[A-F]/g, (digit) => digit.toLowerCase())
}

/** The characters of base64 beside a match are made of its bytes in part. */
function widened(text: string, start: number, end: number): readonly [number, number] {
  const isDigit = (at: number) => /[A-Za-z0-9+/_=-]/.test(text.charAt(at))
  return [start > 0 && isDigit(start - 1) ? start - 1 : start, isDigit(end) ? end + 1 : end]
}

/** Where the text ends with the beginning of a pattern. */
function openIn(view: View, patterns: readonly Pattern[]): readonly SecretPlace[] {
  const found: SecretPlace[] = []
  for (const { form, by } of patterns) {
    const text = by === 'hex' ? smallDigits(view.text) : view.text
    const head = form.slice(0, leastHead)
    const from = Math.max(0, text.length - form.length + 1)
    for (let at = text.indexOf(head, from); at >= 0; at = text.indexOf(head, at + 1))
      if (form.startsWith(text.slice(at))) found.push({ start: at, end: text.length, name: '' })
  }
  return found
}

/** Without an escape, or a character of several bytes, that the end of the text has cut: it says nothing yet. */
const withoutStump = (text: string) => text.replace(stump, '')
const stump =
  /(?:%[c-f][0-9a-f](?:%[89ab][0-9a-f]){0,2}(?:%[0-9a-f]?)?|%[0-9a-f]?|\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|&#?x?[0-9a-z]{0,7})$/i

/** In the order of the text; places that overlap become one, under the first name there is. */
function* merged(found: readonly SecretPlace[]): Steps<readonly SecretPlace[]> {
  const result: SecretPlace[] = []
  const sorted = yield* inOrder(
    found,
    ({ start }) => start,
    (a, b) => a.start - b.start || b.end - a.end,
  )
  for (const [index, next] of sorted.entries()) {
    if (index % 4_096 === 4_095) yield
    const last = result.at(-1)
    if (last === undefined || next.start >= last.end) result.push(next)
    else
      result[result.length - 1] = {
        start: last.start,
        end: Math.max(last.end, next.end),
        name: last.name === '' ? next.name : last.name,
      }
  }
  return result
}

const markOf = ({ name }: SecretPlace): string => (name === '' ? '[secret]' : `[secret:${name}]`)

/** The text with every secret exchanged for its mark. */
export const marked = (text: string, found: readonly SecretPlace[]): string => inOneGo(markedInSteps(text, found))

export function* markedInSteps(text: string, found: readonly SecretPlace[]): Steps<string> {
  let result = ''
  // In parts that are put together at once: a text of a million pieces takes long when it is read first.
  let part: string[] = []
  let at = 0
  for (const place of found) {
    part.push(text.slice(at, place.start), markOf(place))
    at = place.end
    if (part.length < 8_192) continue
    result += part.join('')
    part = []
    yield
  }
  return result + part.join('') + text.slice(at)
}
