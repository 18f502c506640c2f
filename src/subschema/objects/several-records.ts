// Objects that differ, many at a time: one that fits, with one of its properties varied over the values it may have, and
// then one with a property more.
import type { JsonValue } from '../../json/value.ts'
import type { DistinctValues, Engine } from '../solver/engine.ts'
import { solveRecord } from './record-search.ts'
import type { RecordShape } from './records.ts'

type Properties = readonly (readonly [name: string, value: JsonValue])[]

/** Larger objects are left to a search that excludes what was found one by one. */
const maxLarger = 4

/** Never complete: that is for the same search to say. */
export function severalRecords(engine: Engine, shape: RecordShape, wanted: number): DistinctValues {
  const values: JsonValue[] = []
  // A property that serves a claim on some of a class cannot be varied alone.
  let isOver = shape.wideSome.length > 0
  let least = Math.max(shape.min, 1)
  for (let round = 0; !isOver && round < maxLarger && values.length < wanted; round++) {
    const base = solveRecord(engine, { ...shape, min: least })
    isOver = base.kind !== 'value' || !engine.budget.spend()
    if (base.kind !== 'value') continue
    const properties = Object.entries(base.value as { readonly [name: string]: JsonValue })
    values.push(base.value)
    for (const [name] of properties) varyProperty(engine, shape, { properties, name, values, wanted })
    least = properties.length + 1
  }
  return { values, complete: false }
}

function varyProperty(engine: Engine, shape: RecordShape, { properties, name, values, wanted }: Variation): void {
  if (values.length >= wanted) return
  const own = properties.find((property) => property[0] === name)?.[1]
  const claims = [...shape.claimsFor(name), ...(shape.names.get(name)?.some ?? [])]
  for (const other of engine.distinct(claims, wanted - values.length + 1).values) {
    if (values.length >= wanted) return
    if (other === own) continue
    values.push(Object.fromEntries(properties.map((property) => (property[0] === name ? [name, other] : property))))
  }
}

interface Variation {
  readonly properties: Properties
  readonly name: string
  readonly values: JsonValue[]
  readonly wanted: number
}
