// Options as a host writes them, held to a table: one row for each name. An option that cannot be meant as it stands is refused before
// anything is done with the others. No sentence repeats a text that may hold a secret.
import { nearestNames } from '../json/nearest.ts'
import { quoteKey } from '../json/refusal.ts'
import { Fault } from './fault.ts'

/** What one option takes. */
export interface OptionKind {
  /** What to write instead of what does not fit, as a sentence. */
  readonly write: string
  fits(value: unknown): boolean
  /** Its own options, where it has some. */
  readonly inner?: InnerOptions
}

type OptionRows = Readonly<Record<string, OptionKind>>

interface InnerOptions {
  readonly rows: OptionRows
  /** They are the options of every item, or of every named member, and not of the value itself. */
  readonly isEach?: boolean
  /** Other names are passed on. */
  readonly isOpen?: boolean
  /** What may not be left out. */
  readonly needed?: readonly string[]
}

/** A row for every option of this type, so that none is added without one. */
export type OptionTable<Given> = { readonly [Name in keyof Required<Given>]: OptionKind }

/**
 * Throws a Fault that names each option that does not fit. `what` is the function that was given them.
 *
 * @param needed What may not be left out.
 */
export function checkOptions(what: string, rows: OptionRows, given: unknown, needed: readonly string[] = []): void {
  const problems = isRecord(given)
    ? [...missing(rows, given, needed), ...optionProblems(rows, given)]
    : [`The options are ${shown(given)}. Give an object.`]
  if (problems.length > 0) throw new Fault('bad_options', `${what}: ${problems.join(' ')}`, { details: problems })
}

const missing = (rows: OptionRows, given: object, needed: readonly string[], place = ''): string[] =>
  needed.flatMap((name) =>
    Reflect.get(given, name) === undefined ? [`${place}${name} is not given. ${rows[name]?.write ?? ''}`] : [],
  )

/** A sentence for each option that does not fit; `place` is where they stand, such as `recovery.`. */
function optionProblems(
  rows: OptionRows,
  given: Readonly<Record<string, unknown>>,
  place = '',
  isOpen = false,
): readonly string[] {
  // An instance of a class may have members of its own.
  const unknown = isOpen || !isPlainObject(given) ? [] : Object.keys(given).filter((name) => !Object.hasOwn(rows, name))
  return [
    ...unknown.map((name) => noSuchOption(name, Object.keys(rows), place)),
    ...Object.entries(rows).flatMap(([name, kind]) => valueProblems(kind, given[name], place + name)),
  ]
}

function valueProblems({ write, fits, inner }: OptionKind, value: unknown, name: string): readonly string[] {
  // The same as leaving it out.
  if (value === undefined) return []
  if (!fits(value)) return [`${name} is ${shown(value)}. ${write}`]
  if (inner === undefined || typeof value !== 'object' || value === null) return []
  const innerProblems = (item: unknown, at: string) =>
    isRecord(item)
      ? [
          ...missing(inner.rows, item, inner.needed ?? [], `${at}.`),
          ...optionProblems(inner.rows, item, `${at}.`, inner.isOpen),
        ]
      : [`${at} is ${shown(item)}. Give an object.`]
  if (inner.isEach !== true) return innerProblems(value, name)
  return Object.entries(value).flatMap(([key, item]) => innerProblems(item, `${name}[${placed(key)}]`))
}

function noSuchOption(name: string, known: readonly string[], place: string): string {
  const [near] = nearestNames(name, known, 1)
  const written = place + placed(name)
  if (near !== undefined) return `There is no option ${written}. Did you mean ${place}${near}?`
  return `There is no option ${written}. Known are ${known.map((other) => place + other).join(', ')}.`
}

const placed = (name: string): string => (/^[\w$]{1,64}$/.test(name) ? name : quoteKey(name))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A number with a unit, or a word such as yes: often given as a text by mistake, and never a secret, so a sentence may repeat it. */
const plainWord = /^(?:[-+]?\d[\d_.,]{0,15} ?[a-z%]{0,7}|true|false|yes|no|on|off|null|undefined|NaN|-?Infinity)$/i

function shown(value: unknown): string {
  if (value === '') return 'an empty text'
  if (typeof value === 'string') return plainWord.test(value) ? `the text "${value}"` : 'a text'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}

const grouped = (number: number): string => number.toLocaleString('en-US')

export const wholeNumber = (from: number, to: number, unit = ''): OptionKind => ({
  write: `Give a whole number ${unit === '' ? '' : `of ${unit} `}from ${grouped(from)} to ${grouped(to)}.`,
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to,
})

const dayMs = 86_400_000

export const milliseconds = (from: number, to: number = dayMs): OptionKind => wholeNumber(from, to, 'milliseconds')

export const nonEmptyText = (write: string): OptionKind => ({
  write,
  fits: (value) => typeof value === 'string' && value.trim() !== '',
})

export const oneOf = (...choices: readonly string[]): OptionKind => ({
  write: `Give ${choices.map((choice) => `"${choice}"`).join(' or ')}.`,
  fits: (value) => typeof value === 'string' && choices.includes(value),
})

export const trueOrFalse: OptionKind = { write: 'Give true or false.', fits: (value) => typeof value === 'boolean' }

export const callback: OptionKind = { write: 'Give a function.', fits: (value) => typeof value === 'function' }

/** A list of names, such as roles; a single text is a mistake, and so is an empty one in it. */
export const textList: OptionKind = {
  write: 'Give a list of texts, none of them empty.',
  fits: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string' && one.trim() !== ''),
}

export const list: OptionKind = { write: 'Give a list.', fits: Array.isArray }

/** A list, a set or the like. A text can be iterated as well, and is never meant. */
export const several: OptionKind = {
  write: 'Give a list.',
  fits: (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
}

export const anObject: OptionKind = { write: 'Give an object.', fits: isRecord }

export const textsByName = (write: string): OptionKind => ({
  write,
  fits: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'string'),
})

/** Options within an option. */
export const optionsIn = (rows: OptionRows, { isOpen = false } = {}): OptionKind => ({
  ...anObject,
  inner: { rows, isOpen },
})

/** A list of objects that have these options each. */
export const listOf = (rows: OptionRows, needed: readonly string[] = []): OptionKind => ({
  ...list,
  inner: { rows, isEach: true, needed },
})

/** Objects by names of the host's own, that have these options each. */
export const byName = (rows: OptionRows, { isOpen = false } = {}): OptionKind => ({
  ...anObject,
  inner: { rows, isEach: true, isOpen },
})

/** Its value is checked elsewhere; only the name is known here. */
export const asIs: OptionKind = { write: '', fits: () => true }

/** A list in which every item is of this kind. */
export const listWith = (kind: OptionKind): OptionKind => ({
  write: `Give a list. For each item: ${kind.write}`,
  fits: (value) => Array.isArray(value) && value.every(kind.fits),
})

/** An object with these functions. */
export const having = (what: string, ...methods: readonly string[]): OptionKind => ({
  write: `Give ${what}, with ${methods.map((name) => `${name}()`).join(' and ')}.`,
  fits: (value) => isRecord(value) && methods.every((name) => typeof value[name] === 'function'),
})

/** One of several kinds. */
export const either = (write: string, ...kinds: readonly OptionKind[]): OptionKind => ({
  write,
  fits: (value) => kinds.some((kind) => kind.fits(value)),
})

/** An option that is written by another name here. */
export const never = (write: string): OptionKind => ({ write, fits: () => false })
