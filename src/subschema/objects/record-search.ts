// Builds an object: required properties first, then one property for each claim that some property of a class must obey,
// then as many others as the count demands. Invariant: `empty` only after every way to place the claims was refuted.
import type { JsonValue } from '../../json/value.ts'
import type { DistinctValues, ProverEngine } from '../solver/engine.ts'
import type { SchemaClaim } from '../solver/formula.ts'
import { empty, type Gap, type SearchOutcome, unknown, valueFound } from '../solver/outcome.ts'
import { collectNames, divideKeys, type KeyClass, type KeyClasses } from './key-classes.ts'
import type { RecordShape, WideClaim } from './record-shape.ts'

const maxProperties = 3000
const stepsPerName = 0.1

/** The properties chosen so far, and what their values must obey. */
interface Chosen {
  readonly claims: ReadonlyMap<string, readonly SchemaClaim[]>
  /** How many names of each class are taken. */
  readonly taken: ReadonlyMap<KeyClass, number>
  readonly classOf: ReadonlyMap<string, KeyClass>
}

export function solveRecord(engine: ProverEngine, shape: RecordShape): SearchOutcome {
  const { min, max } = shape
  if (min > max) return empty
  const gaps: Gap[] = []
  const claims = new Map<string, readonly SchemaClaim[]>()
  for (const [name, { some }] of shape.names) {
    if (some.length === 0) continue
    const own = [...shape.claimsFor(name), ...some]
    if (!isPossible(own)) return empty
    claims.set(name, own)
  }
  if (claims.size > max) return empty
  if (min > maxProperties) {
    return unknown({
      construct: 'minProperties',
      reason: `More than ${maxProperties} properties would have to be built`,
    })
  }
  const mentioned = new Set(shape.names.keys())
  for (const { keys } of [...shape.wideAll, ...shape.wideSome]) collectNames(keys, mentioned)
  let divided: KeyClasses | undefined
  const classes = (): readonly KeyClass[] => {
    divided ??= divideKeys(engine, shape, mentioned)
    return divided.classes
  }
  const placed = place(0, { claims, taken: new Map(), classOf: new Map() })
  if (placed.kind !== 'empty') return placed
  const gap = gaps[0] ?? divided?.gaps[0]
  return gap === undefined ? empty : unknown(gap)

  /** False only where it is proven that no value obeys the claims. */
  function isPossible(own: readonly SchemaClaim[]): boolean {
    const outcome = engine.solve(own)
    if (outcome.kind === 'unknown') gaps.push(outcome.gap)
    return outcome.kind !== 'empty'
  }

  function hasValue(own: readonly SchemaClaim[]): boolean {
    const outcome = engine.solve(own)
    if (outcome.kind === 'unknown') gaps.push(outcome.gap)
    return outcome.kind === 'value'
  }

  function place(index: number, chosen: Chosen): SearchOutcome {
    if (!engine.budget.spend(2)) return unknown(engine.outOfBudget())
    const wide = shape.wideSome[index]
    if (wide === undefined) return build(chosen)
    for (const next of placements(wide, chosen)) {
      const outcome = place(index + 1, next)
      if (outcome.kind !== 'empty') return outcome
    }
    return empty
  }

  function* placements({ keys, claim }: WideClaim, chosen: Chosen): Generator<Chosen> {
    const hasRoom = chosen.claims.size < max
    if (hasRoom) yield* freshPlacements({ keys, claim }, chosen)
    for (const [name, own] of chosen.claims) {
      const home = chosen.classOf.get(name)
      const isAmong = home === undefined ? engine.holdsForText(keys, name) : home.isAmong(keys)
      if (isAmong && hasValue([...own, claim])) yield withProperty(chosen, name, [...own, claim])
    }
    if (!hasRoom) return
    for (const name of mentioned) {
      if (!engine.budget.spend(stepsPerName)) {
        // A name that was not tried may have fitted.
        gaps.push(engine.outOfBudget())
        return
      }
      if (chosen.claims.has(name) || !engine.holdsForText(keys, name)) continue
      const own = [...shape.claimsFor(name), claim]
      if (hasValue(own)) yield withProperty(chosen, name, own)
    }
  }

  function* freshPlacements({ keys, claim }: WideClaim, chosen: Chosen): Generator<Chosen> {
    for (const home of classes()) {
      if (!home.isAmong(keys)) continue
      const own = [...home.claims, claim]
      if (!hasValue(own)) continue
      const next = withFresh(chosen, home, own)
      if (next !== undefined) yield next
    }
  }

  /** Properties that only the count asks for; any assignment leaves the same number of names to choose from. */
  function build(chosen: Chosen): SearchOutcome {
    const full = new Map(chosen.claims)
    if (!engine.budget.spend(stepsPerName * full.size)) return unknown(engine.outOfBudget())
    for (const name of mentioned) {
      if (full.size >= min) break
      if (full.has(name)) continue
      if (!engine.budget.spend(stepsPerName)) return unknown(engine.outOfBudget())
      const own = shape.claimsFor(name)
      if (hasValue(own)) full.set(name, own)
    }
    for (const home of full.size < min ? classes() : []) {
      if (!hasValue(home.claims)) continue
      for (let taken = chosen.taken.get(home) ?? 0; full.size < min; taken++) {
        if (!engine.budget.spend(stepsPerName)) return unknown(engine.outOfBudget())
        const name = home.name(taken)
        if (name === undefined) break
        full.set(name, home.claims)
      }
    }
    return full.size < min ? empty : write(full)
  }

  function write(all: ReadonlyMap<string, readonly SchemaClaim[]>): SearchOutcome {
    const properties: [string, JsonValue][] = []
    for (const [name, own] of all) {
      const outcome = engine.solve(own)
      if (outcome.kind !== 'value') return outcome
      properties.push([name, outcome.value])
    }
    return valueFound(Object.fromEntries(properties))
  }
}

function withProperty(chosen: Chosen, name: string, claims: readonly SchemaClaim[]): Chosen {
  return { ...chosen, claims: new Map(chosen.claims).set(name, claims) }
}

function withFresh(chosen: Chosen, home: KeyClass, claims: readonly SchemaClaim[]): Chosen | undefined {
  const index = chosen.taken.get(home) ?? 0
  const name = home.name(index)
  if (name === undefined) return undefined
  return {
    claims: new Map(chosen.claims).set(name, claims),
    taken: new Map(chosen.taken).set(home, index + 1),
    classOf: new Map(chosen.classOf).set(name, home),
  }
}

type Properties = readonly (readonly [name: string, value: JsonValue])[]

/** Larger objects are left to a search that excludes what was found one by one. */
const maxLarger = 4

/**
 * Objects that differ, many at a time: one that fits, with one of its properties varied over the values it may have, and
 * then one with a property more. Never complete: other objects may exist.
 */
export function severalRecords(engine: ProverEngine, shape: RecordShape, wanted: number): DistinctValues {
  const values: JsonValue[] = []
  // A property that was placed for a claim on some of a class cannot be varied alone.
  let isOver = shape.wideSome.length > 0
  let least = Math.max(shape.min, 1)
  for (let round = 0; !isOver && round < maxLarger && values.length < wanted; round++) {
    const base = solveRecord(engine, { ...shape, min: least })
    isOver = base.kind !== 'value' || !engine.budget.spend()
    if (base.kind !== 'value') continue
    const properties = Object.entries(base.value as { readonly [name: string]: JsonValue })
    values.push(base.value)
    for (const [name] of properties) {
      values.push(...variations(engine, shape, { properties, name, wanted: wanted - values.length }))
    }
    least = properties.length + 1
  }
  return { values, complete: false }
}

/** The object with other values for one of its properties. */
function variations(
  engine: ProverEngine,
  shape: RecordShape,
  { properties, name, wanted }: Variation,
): readonly JsonValue[] {
  if (wanted <= 0) return []
  const own = properties.find((property) => property[0] === name)?.[1]
  const claims = [...shape.claimsFor(name), ...(shape.names.get(name)?.some ?? [])]
  const others = engine.distinct(claims, wanted + 1).values.filter((other) => other !== own)
  return others
    .slice(0, wanted)
    .map((other) => Object.fromEntries(properties.map((property) => (property[0] === name ? [name, other] : property))))
}

interface Variation {
  readonly properties: Properties
  readonly name: string
  readonly wanted: number
}
