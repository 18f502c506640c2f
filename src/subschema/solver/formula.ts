// The normal form of the prover: formulas over literals, the constraints on a value whose JSON type is already fixed.
import type { PatternPart } from '../../schema/patterns/parse-pattern.ts'

/** A schema of the pool, by its number; negative: everything that the schema refuses. */
export type SchemaClaim = number

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
  | { readonly kind: 'at'; readonly index: number; readonly claim: SchemaClaim }
  /** How many items from an index on obey the claim. */
  | {
      readonly kind: 'count'
      readonly from: number
      readonly claim: SchemaClaim
      readonly min: number
      readonly max: number
    }
  | { readonly kind: 'unique'; readonly holds: boolean }
  /** Every property whose name is among the keys (a formula on strings) obeys the claim. */
  | { readonly kind: 'all'; readonly keys: Formula; readonly claim: SchemaClaim }
  /** Some property whose name is among the keys obeys the claim. */
  | { readonly kind: 'some'; readonly keys: Formula; readonly claim: SchemaClaim }
  /** The whole value obeys a schema that is too large to be taken apart: testable, but not searched. */
  | { readonly kind: 'whole'; readonly claim: SchemaClaim; readonly construct: string }

export type LiteralOf<K extends Literal['kind']> = Extract<Literal, { kind: K }>

export type Formula =
  | { readonly kind: 'constant'; readonly id: number; readonly value: boolean }
  | { readonly kind: 'and'; readonly id: number; readonly parts: readonly Formula[] }
  | { readonly kind: 'or'; readonly id: number; readonly parts: readonly Formula[] }
  | { readonly kind: 'literal'; readonly id: number; readonly literal: Literal }

export type Disjunction = Extract<Formula, { kind: 'or' }>

export interface Formulas {
  readonly yes: Formula
  readonly no: Formula
  and(parts: readonly Formula[]): Formula
  or(parts: readonly Formula[]): Formula
  literal(literal: Literal): Formula
  not(formula: Formula): Formula
}

/** The number of the schema `true` in every pool. */
export const trueClaim = 1

/** The formula that no value satisfies. */
export function isNo(formula: Formula): boolean {
  return formula.kind === 'constant' && !formula.value
}

/** The name, where the keys are exactly one: most claims on properties are. */
export function singleName(keys: Formula): string | undefined {
  if (keys.kind !== 'literal' || keys.literal.kind !== 'in' || !keys.literal.holds) return undefined
  const { values } = keys.literal
  const [name] = values
  return values.length === 1 && typeof name === 'string' ? name : undefined
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

/** The values of long enumerations as sets, made once. */
const valueSets = new WeakMap<readonly Scalar[], ReadonlySet<Scalar>>()
const shortList = 8

export function hasValue(values: readonly Scalar[], value: Scalar): boolean {
  if (values.length <= shortList) return values.includes(value)
  const set = valueSets.get(values) ?? new Set(values)
  valueSets.set(values, set)
  return set.has(value)
}
