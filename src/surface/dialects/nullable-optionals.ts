// How a provider without optional properties gets them: every property is required, and one that may be absent may be null instead.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { mapSubschemas } from '../schema-positions.ts'

export function nullableOptionals(schema: JsonObject): JsonObject {
  const mapped = mapSubschemas(schema, '', (child) => (isObject(child) ? nullableOptionals(child) : child))
  const { properties } = mapped
  if (!isObject(properties)) return mapped
  const required: readonly JsonValue[] = Array.isArray(mapped.required) ? mapped.required : []
  const all = Object.entries(properties).map(([name, property]): [string, JsonValue] => [
    name,
    required.includes(name) || !isObject(property) ? property : orNull(property),
  ])
  return { ...mapped, properties: Object.fromEntries(all), required: all.map(([name]) => name) }
}

const nothing: JsonObject = { type: 'null' }

function orNull(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values, description, ...rest } = schema
  const words = description === undefined ? {} : { description }
  if (Array.isArray(anyOf)) {
    const hasNull = anyOf.some((branch: JsonValue) => isObject(branch) && branch.type === 'null')
    return hasNull ? schema : { ...schema, anyOf: [...anyOf, nothing] }
  }
  if (type === undefined) return { anyOf: [schema, nothing], ...words }
  const types: readonly JsonValue[] = Array.isArray(type) ? type : [type]
  if (types.includes('null')) return schema
  const listed: readonly JsonValue[] | undefined = Array.isArray(values) ? values : undefined
  return { type: [...types, 'null'], ...rest, ...(listed === undefined ? {} : { enum: [...listed, null] }), ...words }
}
