// Null for a property that may be absent: how a provider without optional properties gets them, and how that is taken back.
// Taken back only where the tool's own schema refuses null there and no union stands above it, so that no value that means
// something is ever lost. Depends on that schema alone, not on any table.
import { appendPointer, tokensOf } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { isList } from '../../schema/json-type.ts'
import type { NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { mapSubschemas } from '../schema-positions.ts'
import { acceptsNull, declarationsOf, facetsOf, isRequired, itemsOf } from './facets.ts'

/** Every property becomes required, and one that may be absent may be null instead. */
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

export interface Undone {
  readonly value: JsonObject
  /** Pointers of the nulls that were taken out. */
  readonly removed: readonly string[]
}

/** Undefined where there is nothing to take back. */
export function undoNulls(value: JsonObject, form: Preprocessed): Undone | undefined {
  const removed: string[] = []
  const undone = undoObject(value, [form.root], '', { form, removed })
  return removed.length === 0 ? undefined : { value: undone, removed }
}

interface Undoing {
  readonly form: Preprocessed
  readonly removed: string[]
}

function undo(value: JsonValue, schemas: readonly NormalSchema[], at: string, undoing: Undoing): JsonValue {
  if (isObject(value)) return undoObject(value, schemas, at, undoing)
  if (!isList(value)) return value
  const facets = facetsOf(schemas, undoing.form)
  return value.map((item, index) => undo(item, itemsOf(facets, index), appendPointer(at, index), undoing))
}

function undoObject(value: JsonObject, schemas: readonly NormalSchema[], at: string, undoing: Undoing): JsonObject {
  const facets = facetsOf(schemas, undoing.form)
  const kept: [string, JsonValue][] = []
  for (const [name, inner] of Object.entries(value)) {
    const pointer = appendPointer(at, name)
    const declared = declarationsOf(facets, name)
    if (inner === null && declared !== undefined && !isRequired(facets, name) && refusesNull(declared, undoing.form)) {
      undoing.removed.push(pointer)
    } else kept.push([name, declared === undefined ? inner : undo(inner, declared, pointer, undoing)])
  }
  return Object.fromEntries(kept)
}

export function refusesNull(declared: readonly NormalSchema[], form: Preprocessed): boolean {
  return declared.some((schema) => !acceptsNull(schema, form))
}

/** Takes out again the nulls that a record says were taken out; a place that is not null stays. */
export function removeNulls(value: JsonObject, pointers: readonly string[]): JsonObject {
  let result: JsonValue = value
  for (const pointer of pointers) result = without(result, tokensOf(pointer), 0)
  return isObject(result) ? result : value
}

function without(value: JsonValue, tokens: readonly string[], at: number): JsonValue {
  const token = tokens[at] ?? ''
  const isLast = at === tokens.length - 1
  if (isList(value)) {
    return value.map((item, index) => (String(index) === token && !isLast ? without(item, tokens, at + 1) : item))
  }
  if (!isObject(value) || !Object.hasOwn(value, token)) return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    isLast
      ? entries.filter(([name, inner]) => name !== token || inner !== null)
      : entries.map(([name, inner]) => [name, name === token ? without(inner, tokens, at + 1) : inner]),
  )
}
