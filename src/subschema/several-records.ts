// Objects that differ, many at a time: one that fits, with one of its properties varied over the values it may have.
import type { JsonValue } from '../json/value.ts'
import type { DistinctValues, Engine } from './engine.ts'
import { solveRecord } from './record-search.ts'
import type { RecordShape } from './records.ts'

/** Never complete: that is for a search that excludes them one by one to say. */
export function severalRecords(engine: Engine, shape: RecordShape, wanted: number): DistinctValues {
  // A property that serves a claim on some of a class cannot be varied alone.
  if (shape.wideSome.length > 0) return { values: [], complete: false }
  const base = solveRecord(engine, { ...shape, min: Math.max(shape.min, 1) })
  if (base.kind !== 'value') return { values: [], complete: false }
  const properties = Object.entries(base.value as { readonly [name: string]: JsonValue })
  const values: JsonValue[] = [base.value]
  for (const [name, own] of properties) {
    const claims = [...shape.claimsFor(name), ...(shape.names.get(name)?.some ?? [])]
    for (const other of engine.distinct(claims, wanted - values.length + 1).values) {
      if (other === own || values.length >= wanted) continue
      values.push(Object.fromEntries(properties.map((property) => (property[0] === name ? [name, other] : property))))
    }
    if (values.length >= wanted) break
  }
  return { values, complete: false }
}
