// The atoms of the normal form: constraints on a value whose JSON type is already fixed.
// Invariant: every literal has an exact negation within its type, written in the table below.
import type { PatternPart } from '../../schema/patterns/parse-pattern.ts'
import type { Formula, Formulas } from './formula.ts'

/** A schema of the pool, by its number; negative: everything that the schema refuses. */
export type Claim = number

export type Scalar = string | number | boolean

export type Literal =
  | { readonly kind: 'above'; readonly bound: number; readonly open: boolean }
  | { readonly kind: 'below'; readonly bound: number; readonly open: boolean }
  | { readonly kind: 'multiple'; readonly of: number; readonly holds: boolean }
  /** The value is one of a finite set, or none of it. */
  | { readonly kind: 'in'; readonly values: readonly Scalar[]; readonly holds: boolean }
  /** Code points, items or properties; `max` may be Infinity. */
  | { readonly kind: 'size'; readonly min: number; readonly max: number }
  | { readonly kind: 'match'; readonly part: PatternPart; readonly holds: boolean }
  | { readonly kind: 'format'; readonly name: string; readonly holds: boolean }
  /** If there is an item at the index, it obeys the claim. */
  | { readonly kind: 'at'; readonly index: number; readonly claim: Claim }
  /** How many items from an index on obey the claim. */
  | {
      readonly kind: 'count'
      readonly from: number
      readonly claim: Claim
      readonly min: number
      readonly max: number
    }
  | { readonly kind: 'unique'; readonly holds: boolean }
  /** Every property whose name is among the keys (a formula on strings) obeys the claim. */
  | { readonly kind: 'all'; readonly keys: Formula; readonly claim: Claim }
  /** Some property whose name is among the keys obeys the claim. */
  | { readonly kind: 'some'; readonly keys: Formula; readonly claim: Claim }
  /** The whole value obeys a schema that is too large to be taken apart: testable, but not searched. */
  | { readonly kind: 'whole'; readonly claim: Claim; readonly construct: string }

export type LiteralOf<K extends Literal['kind']> = Extract<Literal, { kind: K }>

type Negations = { readonly [K in Literal['kind']]: (literal: LiteralOf<K>, formulas: Formulas) => Formula }

const negations: Negations = {
  above: ({ bound, open }, { literal }) => literal({ kind: 'below', bound, open: !open }),
  below: ({ bound, open }, { literal }) => literal({ kind: 'above', bound, open: !open }),
  multiple: (own, { literal }) => literal({ ...own, holds: !own.holds }),
  in: (own, { literal }) => literal({ ...own, holds: !own.holds }),
  size: ({ min, max }, formulas) => outside(min, max, formulas, (low, high) => ({ kind: 'size', min: low, max: high })),
  match: (own, { literal }) => literal({ ...own, holds: !own.holds }),
  format: (own, { literal }) => literal({ ...own, holds: !own.holds }),
  at: ({ index, claim }, { and, literal }) =>
    and([
      literal({ kind: 'size', min: index + 1, max: Number.POSITIVE_INFINITY }),
      literal({ kind: 'at', index, claim: -claim }),
    ]),
  count: (own, formulas) =>
    outside(own.min, own.max, formulas, (min, max) => ({ kind: 'count', from: own.from, claim: own.claim, min, max })),
  unique: (own, { literal }) => literal({ ...own, holds: !own.holds }),
  all: ({ keys, claim }, { literal }) => literal({ kind: 'some', keys, claim: -claim }),
  some: ({ keys, claim }, { literal }) => literal({ kind: 'all', keys, claim: -claim }),
  whole: (own, { literal }) => literal({ ...own, claim: -own.claim }),
}

export function negateLiteral(literal: Literal, formulas: Formulas): Formula {
  return (negations[literal.kind] as (own: Literal, formulas: Formulas) => Formula)(literal, formulas)
}

/** Equal texts are equal constraints. */
export function literalKey(literal: Literal): string {
  switch (literal.kind) {
    case 'above':
    case 'below':
      return `${literal.kind} ${literal.open} ${literal.bound}`
    case 'multiple':
      return `multiple ${literal.holds} ${literal.of}`
    case 'in':
      return `in ${literal.holds} ${JSON.stringify(literal.values)}`
    case 'size':
      return `size ${literal.min} ${literal.max}`
    case 'match':
      return `match ${literal.holds} ${literal.part.source}`
    case 'format':
      return `format ${literal.holds} ${literal.name}`
    case 'at':
      return `at ${literal.index} ${literal.claim}`
    case 'count':
      return `count ${literal.from} ${literal.claim} ${literal.min} ${literal.max}`
    case 'unique':
      return `unique ${literal.holds}`
    case 'all':
    case 'some':
      return `${literal.kind} ${literal.keys.id} ${literal.claim}`
    case 'whole':
      return `whole ${literal.claim}`
  }
}

function outside(
  min: number,
  max: number,
  { or, literal }: Formulas,
  make: (min: number, max: number) => Literal,
): Formula {
  const parts: Formula[] = []
  if (min > 0) parts.push(literal(make(0, min - 1)))
  if (max !== Number.POSITIVE_INFINITY) parts.push(literal(make(max + 1, Number.POSITIVE_INFINITY)))
  return or(parts)
}

/** The values of long enumerations as sets, made once. */
const valueSets = new WeakMap<readonly Scalar[], ReadonlySet<Scalar>>()
const shortList = 8

export function hasValue(values: readonly Scalar[], value: Scalar): boolean {
  if (values.length <= shortList) return values.includes(value)
  const set = valueSets.get(values) ?? new Set(values)
  valueSets.set(values, set)
  return set.has(value)
}
