// What is known of a value before there is one: its kind, how large it may be, which members it has.
// Invariant: a shape never promises more than the schema does; what a schema leaves open is a union of all kinds.
import { type Bound, compareTexts, costlier, larger, sum, times, units, type Work, wholeInput } from './work.ts'

export type ScalarKind = 'bool' | 'int' | 'double' | 'null' | 'timestamp' | 'duration'

export type Kind = ScalarKind | 'text' | 'list' | 'map'

export interface TextShape {
  readonly kind: 'text'
  readonly length: Bound
}

export interface ListShape {
  readonly kind: 'list'
  readonly size: Bound
  /** There are at least so many items. */
  readonly least: number
  /** Of the item at an index, or of any. */
  item(index?: number): Shape
}

export interface MapShape {
  readonly kind: 'map'
  readonly size: Bound
  readonly keyLength: Bound
  field(name: string): Field
  /** Of any member. */
  value(): Shape
}

export type Field =
  | { readonly declared: true; readonly required: boolean; readonly shape: Shape }
  | { readonly declared: false; readonly known: readonly string[] }

export type OneShape = { readonly kind: ScalarKind } | TextShape | ListShape | MapShape

export interface UnionShape {
  readonly kind: 'union'
  readonly of: readonly OneShape[]
}

export type Shape = OneShape | UnionShape

export const bool: Shape = { kind: 'bool' }
export const int: Shape = { kind: 'int' }
export const double: Shape = { kind: 'double' }

export function textShape(most: number): TextShape {
  return { kind: 'text', length: { most } }
}

export function listShape(item: Shape, size: Bound, leastItems = 0): ListShape {
  return { kind: 'list', size, least: leastItems, item: () => item }
}

export function kindsOf(shape: Shape): readonly OneShape[] {
  return shape.kind === 'union' ? shape.of : [shape]
}

export function unite(shapes: readonly OneShape[]): Shape {
  const first = shapes[0]
  return shapes.length === 1 && first !== undefined ? first : { kind: 'union', of: shapes }
}

export function withoutNull(shape: Shape): Shape {
  return unite(kindsOf(shape).filter(({ kind }) => kind !== 'null'))
}

export function isNumeric(kind: Shape['kind']): kind is 'int' | 'double' {
  return kind === 'int' || kind === 'double'
}

/** Whether a value of one shape can ever equal one of the other. */
export function mayEqual(a: Shape, b: Shape): boolean {
  return kindsOf(a).some((one) => kindsOf(b).some((other) => onesMayEqual(one, other)))
}

/** Timestamps are numbers at run time, so lists are told apart by their items: one of either kind never equals the other. */
function onesMayEqual(a: OneShape, b: OneShape): boolean {
  if (isNumeric(a.kind) && isNumeric(b.kind)) return true
  if (a.kind !== 'list' || b.kind !== 'list') return a.kind === b.kind
  const [item, other] = [a.item(), b.item()]
  return kindsOf(item).length === 0 || kindsOf(other).length === 0 || mayEqual(item, other)
}

/** The shape that covers both, or undefined where two kinds would have to become one. */
export function join(a: Shape, b: Shape): Shape | undefined {
  if (a.kind === 'text' && b.kind === 'text') return { kind: 'text', length: larger(a.length, b.length) }
  if (isNumeric(a.kind) && isNumeric(b.kind)) return a.kind === b.kind ? a : double
  if (a.kind === 'list' && b.kind === 'list') return joinLists(a, b)
  if (a.kind !== b.kind || a.kind === 'map' || a.kind === 'union') return undefined
  return a
}

function joinLists(a: ListShape, b: ListShape): Shape | undefined {
  const size = larger(a.size, b.size)
  const leastItems = Math.min(a.least, b.least)
  if (a.size.most === 0) return { ...b, least: leastItems }
  if (b.size.most === 0) return { ...a, least: leastItems }
  const item = join(a.item(), b.item())
  return item === undefined ? undefined : listShape(item, size, leastItems)
}

/** What it takes to look at all of a value. */
export function weightOf(shape: Shape, depth = 0): Work {
  if (depth > 6) return wholeInput
  switch (shape.kind) {
    case 'text':
      return compareTexts(shape.length)
    case 'list':
      return capped(sum(units(1), times(shape.size, weightOf(shape.item(), depth + 1))))
    case 'map': {
      const member = sum(compareTexts(shape.keyLength), weightOf(shape.value(), depth + 1))
      return capped(sum(units(1), times(shape.size, member)))
    }
    case 'union':
      return costlier(units(1), ...shape.of.map((one) => weightOf(one, depth + 1)))
    default:
      return units(1)
  }
}

function capped(work: Work): Work {
  return work.units > wholeInput.units ? { ...work, units: wholeInput.units } : work
}

const words: Readonly<Record<Kind, string>> = {
  bool: 'a boolean',
  int: 'an integer',
  double: 'a number',
  null: 'null',
  timestamp: 'a timestamp',
  duration: 'a duration',
  text: 'a text',
  list: 'a list',
  map: 'an object',
}

export function kindWords(shape: Shape): string {
  const all = kindsOf(shape).map(({ kind }) => words[kind])
  return all.length === 0 ? 'nothing' : all.join(' or ')
}
