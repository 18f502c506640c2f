// The stricter reading of a published schema: every object that lists its properties takes no others.
import { isObject, type JsonObject, type JsonValue } from '../../src/json/value.ts'

const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions'])
const lists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const single: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains'])

export function closeDeclared(schema: JsonObject): JsonObject {
  const closed: Record<string, JsonValue> = {}
  for (const [keyword, value] of Object.entries(schema)) closed[keyword] = closeUnder(keyword, value)
  if (isObject(schema.properties)) closed.additionalProperties ??= false
  return closed
}

function closeUnder(keyword: string, value: JsonValue): JsonValue {
  if (maps.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closePart(part)]))
  }
  if (lists.has(keyword) && Array.isArray(value)) return value.map(closePart)
  return single.has(keyword) ? closePart(value) : value
}

const closePart = (part: JsonValue): JsonValue => (isObject(part) ? closeDeclared(part) : part)
