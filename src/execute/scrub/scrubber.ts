// Finds the secrets of one call in what its executor lets out: those it was handed, in every spelling, and texts that look like secrets.
// Where nothing is found, the text itself comes back.
import { inOriginal, type View, viewsOf } from './decoded-text.ts'
import { encodedForms, type Form } from './encoded-forms.ts'
import { findShapes, openShape, type SecretPlace } from './secret-shapes.ts'
import { findWrapped, wrappingOf } from './wrapped-text.ts'

export interface Scrubber {
  /** In the order of the text, none overlapping another. */
  find(text: string): readonly SecretPlace[]
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
  /** As it is, and as it stands where white space was taken out. */
  readonly forms: readonly string[]
  readonly by: Form['by']
}

/** The beginning of a secret up to this length is not noticed; a text that ends with more of it waits for what follows. */
const leastHead = 3

export function createScrubber(secrets: ReadonlyMap<string, string>): Scrubber {
  if (secrets.size === 0) return shapesAlone
  const patterns = [...secrets].flatMap(([name, secret]) => encodedForms(secret).map((form) => patternOf(form, name)))
  const lengths = patterns.flatMap(({ forms }) => forms.map(({ length }) => length))
  const shortest = Math.min(...lengths)
  const longest = Math.max(...lengths)
  // Each character may be written in as many as six, twice over in more.
  const reach = Math.max(longest * 6, shapesAlone.reach)
  const wrapping = wrappingOf([...secrets.values()])
  return {
    reach,
    wide: lengths.length > 0 && patterns.some(({ forms }) => forms.some((form) => !/[\0-\xff]/.test(form))),
    numbers: [...secrets.values()].some((secret) => /^[0-9]+$/.test(secret)),
    find(text) {
      const shapes = findShapes(text)
      if (text.length < shortest) return shapes
      const look = (within: string) =>
        inOriginal(viewsOf(within).map((view) => ({ view, found: findIn(view, patterns) })))
      const found = inOriginal(
        viewsOf(text).map((view) => ({
          view,
          found: [...findIn(view, patterns), ...findWrapped(view.text, wrapping, look)],
        })),
      )
      return found.length === 0 ? shapes : merged([...found, ...shapes])
    },
    open(text) {
      // What began before that has ended, also where it is spelled three times over.
      const from = Math.max(0, text.length - 4 * reach)
      let first = openShape(text)
      const views = viewsOf(text.slice(from), withoutStump)
      for (const { start } of inOriginal(views.map((view) => ({ view, found: openIn(view, patterns) }))))
        first = Math.min(first ?? text.length, from + start)
      return first
    },
  }
}

const shapesAlone: Scrubber = { reach: 8_192, numbers: false, wide: false, find: findShapes, open: openShape }

function patternOf({ text, by }: Form, name: string): Pattern {
  const dense = text.replaceAll(/\s/g, '')
  const forms = dense === text || dense === '' ? [text] : [text, dense]
  return { name, forms, by }
}

function findIn(view: View, patterns: readonly Pattern[]): readonly SecretPlace[] {
  const found: SecretPlace[] = []
  let small: string | undefined
  for (const { forms, name, by } of patterns) {
    if (by === 'hex') small ??= smallDigits(view.text)
    const text = by === 'hex' ? (small ?? '') : view.text
    for (const form of forms) {
      for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
        const [start, end] =
          by === 'base64' && view.dense !== true ? widened(text, at, at + form.length) : [at, at + form.length]
        found.push({ start, end, name })
      }
    }
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
  for (const { form, by } of patterns.flatMap(({ forms, by }) => forms.map((form) => ({ form, by })))) {
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
function merged(found: SecretPlace[]): readonly SecretPlace[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  const result: SecretPlace[] = []
  for (const next of found) {
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
export function marked(text: string, found: readonly SecretPlace[]): string {
  let result = ''
  let at = 0
  for (const place of found) {
    result += text.slice(at, place.start) + markOf(place)
    at = place.end
  }
  return result + text.slice(at)
}
