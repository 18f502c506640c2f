// Arrays: claims by position, counted claims, a length, and whether items differ.
// Invariant: lengths beyond those tried cannot help, because any longer array stays valid when a tail item that no
// count needs is taken out.

import type { JsonValue } from '../../json/value.ts'
import type { DistinctValues, Domain, ProverEngine } from '../solver/engine.ts'
import type { Literal, LiteralOf, SchemaClaim } from '../solver/formula.ts'
import { empty, type SearchOutcome, unknown, valueFound } from '../solver/outcome.ts'
import { type ArrayShape, fill } from './array-shape.ts'
import { solveCounted } from './list-counts.ts'
import { solveDistinct } from './list-matching.ts'
import { solveRepeated } from './list-repeats.ts'

const maxLength = 5000
const maxPlainLength = 100_000

export function openLists(engine: ProverEngine): Domain {
  let min = 0
  let max = Number.POSITIVE_INFINITY
  let unique: boolean | undefined
  /** The literal that asks for the most items. */
  let lengthFrom: Literal | undefined
  const at = new Map<number, SchemaClaim[]>()
  const everyFrom: { readonly from: number; readonly claim: SchemaClaim }[] = []
  const counts = new Map<string, LiteralOf<'count'>>()

  return { take, refuses, solve, several }

  function claimsAt(index: number): readonly SchemaClaim[] {
    const own = at.get(index) ?? []
    return [...own, ...everyFrom.flatMap(({ from, claim }) => (from <= index ? [claim] : []))]
  }

  function take(literal: Literal): void {
    if (literal.kind === 'size') {
      if (literal.min > min) lengthFrom = literal
      min = Math.max(min, literal.min)
      max = Math.min(max, literal.max)
    } else if (literal.kind === 'at') at.set(literal.index, [...(at.get(literal.index) ?? []), literal.claim])
    else if (literal.kind === 'unique') unique = literal.holds
    else if (literal.kind === 'count') {
      if (literal.max === 0) everyFrom.push({ from: literal.from, claim: -literal.claim })
      else takeCount(literal)
    }
  }

  function takeCount(literal: LiteralOf<'count'>): void {
    const key = `${literal.from} ${literal.claim}`
    const known = counts.get(key) ?? literal
    counts.set(key, {
      ...literal,
      min: Math.max(known.min, literal.min),
      max: Math.min(known.max, literal.max),
    })
    if (literal.min === 0 || literal.from + literal.min <= min) return
    lengthFrom = literal
    min = literal.from + literal.min
  }

  function refuses(literal: Literal): boolean {
    switch (literal.kind) {
      case 'size':
        return Math.max(min, literal.min) > Math.min(max, literal.max)
      case 'unique':
        return unique !== undefined && unique !== literal.holds
      case 'at':
        return min > literal.index && engine.isPlainlyEmpty([...claimsAt(literal.index), literal.claim])
      case 'count':
        return refusesCount(literal)
      default:
        return false
    }
  }

  function refusesCount({ from, claim, min: least, max: most }: LiteralOf<'count'>): boolean {
    if (least > 0 && max < from + least) return true
    const known = counts.get(`${from} ${claim}`)
    if (known !== undefined && (known.min > most || known.max < least)) return true
    if (least > 0) {
      const always = everyFrom.filter((other) => other.from <= from).map((other) => other.claim)
      return always.includes(-claim) || engine.isPlainlyEmpty([...always, claim])
    }
    if (most > 0) return false
    for (const index of at.keys()) {
      if (index >= from && index < min && engine.isPlainlyEmpty([...claimsAt(index), -claim])) return true
    }
    return min > from && engine.isPlainlyEmpty([...claimsAt(Number.POSITIVE_INFINITY), -claim]) && min > prefixLength()
  }

  function prefixLength(): number {
    const froms = [...everyFrom, ...counts.values()].map(({ from }) => from)
    return Math.max(0, ...froms, ...[...at.keys()].map((index) => index + 1))
  }

  function solve(): SearchOutcome {
    if (min > max) return empty
    if ([...counts.values()].some((count) => count.min > count.max)) return empty
    const prefix = prefixLength()
    if (counts.size === 0 && unique === undefined) return solvePlain(prefix)
    const needed = [...counts.values()].reduce((sum, count) => sum + count.min, 2)
    if (unique === undefined && min > prefix + needed && [...counts.values()].every((count) => isOpen(count.max))) {
      return solvePadded(prefix, needed)
    }
    if (Math.max(min, prefix) + needed > maxLength) return tooLong(maxLength)
    const longest = longestLength(prefix, Math.min(max, Math.max(min, prefix) + needed))
    if (longest < min) return empty
    const shape: ArrayShape = { min, max: longest, prefix, counts: [...counts.values()], unique, claimsAt }
    if (counts.size > 0) return solveCounted(engine, shape)
    return unique === true ? solveDistinct(engine, shape) : solveRepeated(engine, shape)
  }

  function tooLong(limit: number): SearchOutcome {
    const reason = `More than ${limit} items would have to be looked at`
    return unknown(lengthFrom === undefined ? { construct: 'minItems', reason } : engine.gapAt(lengthFrom, reason))
  }

  /** A list that fits, with one of its items varied over the values it may have; never complete. */
  function several(wanted: number): DistinctValues {
    const length = Math.max(min, 1)
    const isFree = counts.size === 0 && (unique === undefined || (unique && length === 1))
    if (!isFree || length > Math.min(max, maxLength)) return { values: [], complete: false }
    const positions = Array.from({ length }, (_, index) => claimsAt(index))
    const base = fill(engine, positions)
    if (base.kind !== 'value') return { values: [], complete: false }
    const items = base.value as readonly JsonValue[]
    const values: JsonValue[] = [items]
    for (const [index, claims] of positions.entries()) {
      if (values.length >= wanted || !engine.budget.spend()) break
      for (const other of engine.distinct(claims, wanted - values.length + 1).values.slice(1)) {
        if (values.length < wanted) values.push(items.with(index, other))
      }
    }
    return { values, complete: false }
  }

  /** The shortest array; its tail is one value again and again. */
  function solvePlain(prefix: number): SearchOutcome {
    const outcome = fill(
      engine,
      Array.from({ length: Math.min(min, prefix + 1) }, (_, index) => claimsAt(index)),
    )
    if (outcome.kind !== 'value' || min <= prefix + 1) return outcome
    if (min > maxPlainLength) return tooLong(maxPlainLength)
    const items = outcome.value as readonly JsonValue[]
    return valueFound([...items, ...Array<JsonValue>(min - items.length).fill(items[prefix] as JsonValue)])
  }

  /** As many items as the counts can need, then the tail's plainest value again and again. */
  function solvePadded(prefix: number, needed: number): SearchOutcome {
    const [length, tail] = [prefix + needed, engine.solve(claimsAt(prefix))]
    if (longestLength(prefix, length) < length) return empty
    const shape = { min: length, max: length, prefix, counts: [...counts.values()], unique, claimsAt }
    const outcome = length > maxLength ? tooLong(maxLength) : solveCounted(engine, shape)
    if (outcome.kind !== 'value') return outcome
    if (tail.kind !== 'value') return tail
    if (min > maxPlainLength) return tooLong(maxPlainLength)
    const items = outcome.value as readonly JsonValue[]
    return valueFound([...items, ...Array<JsonValue>(min - items.length).fill(tail.value)])
  }

  /** Arrays end before the first position that nothing fits. */
  function longestLength(prefix: number, bound: number): number {
    for (let index = 0; index < Math.min(bound, prefix + 1); index++) {
      if (engine.solve(claimsAt(index)).kind === 'empty') return index
    }
    return bound
  }
}

function isOpen(max: number): boolean {
  return max === Number.POSITIVE_INFINITY
}
