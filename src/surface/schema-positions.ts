// Where a JSON Schema keeps further schemas. Everything else (`default`, `const`, `enum`, `examples`, unknown
// keywords) is data and is never walked, so that a schema-shaped value inside it stays untouched.
import { appendPointer } from '../json/pointer.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import { isList } from '../schema/json-type.ts'

type Shape = 'one' | 'list' | 'named'

const positions: ReadonlyMap<string, Shape> = new Map([
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['prefixItems', 'list'],
  ['not', 'one'],
  ['if', 'one'],
  ['then', 'one'],
  ['else', 'one'],
  ['items', 'one'],
  ['contains', 'one'],
  ['unevaluatedItems', 'one'],
  ['propertyNames', 'one'],
  ['additionalProperties', 'one'],
  ['unevaluatedProperties', 'one'],
  ['contentSchema', 'one'],
  ['properties', 'named'],
  ['patternProperties', 'named'],
  ['dependentSchemas', 'named'],
  ['$defs', 'named'],
  ['definitions', 'named'],
])

/** Called for every schema directly inside another one; what it returns takes the child's place. */
export type Visit = (child: JsonValue, keyword: string, pointer: string) => JsonValue

/** A copy of the schema, one level deep, with every direct subschema replaced. An array under `items` is walked too. */
export function mapSubschemas(schema: JsonObject, pointer: string, visit: Visit): JsonObject {
  const mapped: [string, JsonValue][] = []
  for (const [keyword, value] of Object.entries(schema)) {
    mapped.push([keyword, mapAt(value, keyword, appendPointer(pointer, keyword), visit)])
  }
  return Object.fromEntries(mapped)
}

function mapAt(value: JsonValue, keyword: string, pointer: string, visit: Visit): JsonValue {
  const shape = positions.get(keyword)
  if (shape === undefined) return value
  if (isList(value)) {
    if (shape === 'named') return value
    return value.map((child, index) => visit(child, keyword, appendPointer(pointer, index)))
  }
  if (shape === 'one') return visit(value, keyword, pointer)
  if (shape === 'list' || typeof value !== 'object' || value === null) return value
  const named: [string, JsonValue][] = []
  for (const [name, child] of Object.entries(value))
    named.push([name, visit(child, keyword, appendPointer(pointer, name))])
  return Object.fromEntries(named)
}

/** The schemas that a list-valued keyword holds; empty where it is absent. */
export function schemasIn(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : []
}
