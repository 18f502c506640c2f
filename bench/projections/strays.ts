// Keywords of a projected schema that the provider's strict mode does not take, by a list of its own: the projection is not asked.
import { appendPointer } from '../../src/json/pointer.ts'
import { isObject, type JsonObject } from '../../src/json/value.ts'
import type { Provider } from '../../src/surface/dialects/dialect-table.ts'
import { mapSubschemas } from '../../src/surface/schema-positions.ts'

const everywhere = [
  'type',
  'description',
  'enum',
  'anyOf',
  'properties',
  'required',
  'additionalProperties',
  'items',
  '$ref',
  '$defs',
  'format',
]

const taken: Readonly<Record<Exclude<Provider, 'mcp'>, ReadonlySet<string>>> = {
  openai: new Set([
    ...everywhere,
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'pattern', 'minItems', 'maxItems'],
  ]),
  anthropic: new Set([...everywhere, 'pattern', 'minItems']),
  gemini: new Set([...everywhere, 'minimum', 'maximum', 'minItems', 'maxItems', 'prefixItems', 'propertyOrdering']),
}

/** Pointers of what should not be there. */
export function strays(schema: JsonObject, provider: Provider, at = ''): readonly string[] {
  if (provider === 'mcp') return schema.type === 'object' ? [] : ['/type']
  const found = Object.keys(schema)
    .filter((word) => !taken[provider].has(word))
    .map((word) => appendPointer(at, word))
  if (at === '' && (schema.type !== 'object' || schema.anyOf !== undefined)) found.push('/type')
  if (schema.$ref !== undefined && Object.keys(schema).length > 1) found.push(appendPointer(at, '$ref'))
  if (isObject(schema.properties) && provider !== 'gemini') found.push(...openings(schema, provider, at))
  if (provider === 'anthropic' && typeof schema.minItems === 'number' && schema.minItems > 1)
    found.push(appendPointer(at, 'minItems'))
  mapSubschemas(schema, at, (child, _keyword, pointer) => {
    if (isObject(child)) found.push(...strays(child, provider, pointer))
    return child
  })
  return found
}

/** Both demand closed objects, and one that every property is required. */
function openings(schema: JsonObject, provider: Provider, at: string): readonly string[] {
  const names = Object.keys(schema.properties ?? {})
  const required = Array.isArray(schema.required) ? schema.required : []
  return [
    ...(schema.additionalProperties === false ? [] : [appendPointer(at, 'additionalProperties')]),
    ...(provider === 'openai' && names.some((name) => !required.includes(name)) ? [appendPointer(at, 'required')] : []),
  ]
}
