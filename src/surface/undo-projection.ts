// Takes back what a dialect made a model write: null for a property that may be absent. Only where the tool's own schema refuses null
// there and no union stands above it, so that no value that means something is ever lost. Depends on that schema alone, not on any table.
import { appendPointer, tokensOf } from '../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts'
import type { NormalSchema, Preprocessed } from '../schema/normal.ts'
import { acceptsNull, declarationsOf, isRequired, itemsOf, voicesOf } from './dialects/voices.ts'

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
  const voices = voicesOf(schemas, undoing.form)
  return value.map((item, index) => undo(item, itemsOf(voices, index), appendPointer(at, index), undoing))
}

function undoObject(value: JsonObject, schemas: readonly NormalSchema[], at: string, undoing: Undoing): JsonObject {
  const voices = voicesOf(schemas, undoing.form)
  const kept: [string, JsonValue][] = []
  for (const [name, inner] of Object.entries(value)) {
    const pointer = appendPointer(at, name)
    const said = declarationsOf(voices, name)
    if (inner === null && said !== undefined && !isRequired(voices, name) && refusesNull(said, undoing.form)) {
      undoing.removed.push(pointer)
    } else kept.push([name, said === undefined ? inner : undo(inner, said, pointer, undoing)])
  }
  return Object.fromEntries(kept)
}

export function refusesNull(said: readonly NormalSchema[], form: Preprocessed): boolean {
  return said.some((schema) => !acceptsNull(schema, form))
}

/** Takes out again what is on record as taken out: what is there and null. */
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

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
