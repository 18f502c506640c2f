// How much work a rule may take, counted before it ever runs. One unit is 10 to 20 ns, so a tool's rules end within some 2 ms.
// Invariant: every figure is an upper bound. Where a schema states no limit, the figure names the limit that is missing.
import { defaultLimits } from '../../../json/refusal.ts'

/** For all rules of a tool together. */
export const maxUnits = 100_000

/** The most of something, with the keyword and place of the schema that states it, or that is missing. */
export interface Bound {
  readonly most: number
  readonly missing?: string
  readonly stated?: string
}

export interface Work {
  readonly units: number
  /** Limits that no schema states. */
  readonly missing: readonly string[]
  /** Limits that are stated, and were multiplied with. */
  readonly stated: readonly string[]
}

const none: readonly string[] = []

/** Characters that one unit pays for where each is looked at, and where memory is compared as a whole. */
const scanned = 16
const compared = 64

export function units(count: number): Work {
  return { units: count, missing: none, stated: none }
}

export function sum(...works: readonly Work[]): Work {
  return { units: works.reduce((total, work) => total + work.units, 0), ...limitNames(works) }
}

export function times(bound: Bound, work: Work): Work {
  return {
    units: bound.most * work.units,
    missing: withName(bound.missing, work.missing),
    stated: withName(bound.stated, work.stated),
  }
}

export function costlier(...works: readonly Work[]): Work {
  return { units: Math.max(0, ...works.map((work) => work.units)), ...limitNames(works) }
}

export function least(a: Work, b: Work): Work {
  return a.units <= b.units ? a : b
}

export function scan(length: Bound): Work {
  return sum(units(1), times(length, units(1 / scanned)))
}

export function compareTexts(length: Bound): Work {
  return sum(units(1), times(length, units(1 / compared)))
}

/** No value of a proposal is larger than the reader lets through, also where the schema states no limit. */
export const wholeInput: Work = units(defaultLimits.maxValues + defaultLimits.maxBytes / compared)

export function smaller(a: Bound, b: Bound): Bound {
  return b.most < a.most ? b : a
}

export function larger(a: Bound, b: Bound): Bound {
  return b.most > a.most ? b : a
}

export function together(a: Bound, b: Bound): Bound {
  const larger = b.most > a.most ? b : a
  return { ...larger, most: a.most + b.most }
}

function withName(name: string | undefined, names: readonly string[]): readonly string[] {
  return name === undefined || names.includes(name) ? names : [name, ...names]
}

function limitNames(works: readonly Work[]): Pick<Work, 'missing' | 'stated'> {
  return { missing: union(works.map((work) => work.missing)), stated: union(works.map((work) => work.stated)) }
}

function union(lists: readonly (readonly string[])[]): readonly string[] {
  const telling = lists.filter((list) => list.length > 0)
  return telling.length < 2 ? (telling[0] ?? none) : [...new Set(telling.flat())]
}
