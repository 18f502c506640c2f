// Places of a schema that have no JSON form. The converters of several libraries leave a mark there, by their own options;
// otherwise they would throw without a place, or print a schema that accepts anything.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { mapSubschemas, schemasIn } from '../schema-positions.ts'

/** A place, as a pointer into the derived JSON Schema (empty where unknown or the root), and what stands there. */
export interface Unconvertible {
  readonly pointer: string
  readonly what: string
}

/** The reason for refusing a schema because of one place in it. */
export function reasonAt(vendor: string, { pointer, what }: Unconvertible): string {
  const name = vendor === 'json-schema' ? 'JSON Schema' : `${vendor} schema`
  return `the ${name} cannot be used at ${pointer === '' ? 'its root' : pointer}: ${what}`
}

export function refusedSchema(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason }
}

const keyword = '~unconvertible'
const absent = 'undefined'

/** The schema to print in place of something that JSON cannot carry. */
export function markUnconvertible(what: string): JsonObject {
  return { [keyword]: what }
}

/** `undefined` beside other alternatives only says that a key may be missing: that alternative is dropped. */
export function markUndefined(): JsonObject {
  return markUnconvertible(absent)
}

/** The document without the alternatives that only stand for a missing value, and the first mark that is left. */
export function sweepMarks(document: JsonObject): { readonly document: JsonObject; readonly first?: Unconvertible } {
  let first: Unconvertible | undefined
  const sweep = (schema: JsonValue, pointer: string): JsonValue => {
    if (!isObject(schema)) return schema
    const what = schema[keyword]
    if (typeof what === 'string') first ??= { pointer, what }
    const kept = withoutAbsent(schema)
    return mapSubschemas(kept, pointer, (child, _keyword, place) => sweep(child, place))
  }
  const swept = sweep(document, '')
  const clean = isObject(swept) ? swept : document
  return first === undefined ? { document: clean } : { document: clean, first }
}

function withoutAbsent(schema: JsonObject): JsonObject {
  const alternatives = schemasIn(schema.anyOf)
  const kept = alternatives.filter((alternative) => !isObject(alternative) || alternative[keyword] !== absent)
  return kept.length === 0 || kept.length === alternatives.length ? schema : { ...schema, anyOf: kept }
}
