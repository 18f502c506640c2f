// The notes of a schema about each field, beside what it asserts: defaults, formats, descriptions. They are kept by the field's place in a
// value, not in the schema, so that a schema that is only written differently has the same notes. The work is bounded for every schema.
import { canonicalize } from '../../json/canonical.ts'
import { appendPointer, readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { Dialect } from '../../schema/normal.ts'
import { dialectOf, ignoresReferenceSiblings, keywordsOf } from '../../schema/read/dialects.ts'
import type { SchemaSnapshot } from '../snapshot.ts'

export interface FieldNotes {
  /** By the pointer of the field, `*` for any element or key. */
  readonly fields: ReadonlyMap<string, FieldNote>
  /** False where the schema is larger than what is looked at. */
  readonly complete: boolean
}

export interface FieldNote {
  /** Canonical texts by keyword, in the order of the schema. */
  readonly notes: ReadonlyMap<string, readonly string[]>
  /** It stands under `properties`: the field has a name that is declared. */
  readonly declared: boolean
}

const maxNodes = 20_000
const maxDepth = 64

interface MutableNote {
  readonly notes: Map<string, string[]>
  declared: boolean
}

export function fieldNotes(snapshot: SchemaSnapshot | undefined): FieldNotes {
  const fields = new Map<string, MutableNote>()
  if (snapshot === undefined) return { fields, complete: true }
  const root = snapshot.schema
  const dialect = dialectNamed(root) ?? snapshot.dialect
  const keywords = keywordsOf(dialect)
  let left = maxNodes
  const onPath = new Set<JsonValue>()
  visit(root, '', 0, false)
  return { fields, complete: left > 0 }

  function visit(node: JsonValue | undefined, place: string, depth: number, declared: boolean): void {
    const field = fields.get(place) ?? { notes: new Map<string, string[]>(), declared: false }
    fields.set(place, field)
    field.declared ||= declared
    if (!isObject(node) || onPath.has(node)) return
    if (depth > maxDepth || left <= 0) {
      left = 0
      return
    }
    left--
    onPath.add(node)
    if (typeof node.$ref === 'string') visit(targetOf(node.$ref), place, depth + 1, false)
    if (!(typeof node.$ref === 'string' && ignoresReferenceSiblings(dialect))) walk(node, field, place, depth)
    onPath.delete(node)
  }

  function walk(node: JsonObject, field: MutableNote, place: string, depth: number): void {
    for (const [word, value] of Object.entries(node)) {
      const kind = keywords.get(word)?.kind
      if (kind === undefined || kind === 'note' || kind === 'text' || kind === 'format') note(field, word, value)
      else if (word === 'properties') {
        for (const [name, child] of members(value)) visit(child, appendPointer(place, name), depth + 1, true)
      } else if (word === 'patternProperties' || word === 'dependentSchemas') {
        const below = word === 'patternProperties' ? appendPointer(place, '*') : place
        for (const [, child] of members(value)) visit(child, below, depth + 1, false)
      } else if (elements.has(word)) {
        for (const child of schemasOf(value)) visit(child, appendPointer(place, '*'), depth + 1, false)
      } else if (inPlace.has(word)) {
        for (const child of schemasOf(value)) visit(child, place, depth + 1, false)
      }
    }
  }

  function targetOf(reference: string): JsonValue | undefined {
    if (!/^#(?:\/|$)/.test(reference)) return undefined
    try {
      return readPointer(root, decodeURIComponent(reference.slice(1)))
    } catch {
      return undefined
    }
  }
}

const elements: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'contains',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
])
const inPlace: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'])

function note(field: MutableNote, word: string, value: JsonValue): void {
  const known = field.notes.get(word)
  if (known === undefined) field.notes.set(word, [canonicalize(value)])
  else known.push(canonicalize(value))
}

const members = (value: JsonValue): readonly (readonly [string, JsonValue])[] =>
  isObject(value) ? Object.entries(value) : []
const schemasOf = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : [value as JsonValue])

function dialectNamed(schema: JsonValue): Dialect | undefined {
  return isObject(schema) && typeof schema.$schema === 'string' ? dialectOf(schema.$schema) : undefined
}

export interface NoteChange {
  readonly place: string
  readonly keyword: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** What is told differently about fields that are on both sides. */
export function changedNotes(before: FieldNotes, after: FieldNotes): readonly NoteChange[] {
  return [...before.fields].flatMap(([place, { notes: old }]) => {
    const renewed = after.fields.get(place)?.notes
    if (renewed === undefined) return []
    return [...new Set([...old.keys(), ...renewed.keys()])].flatMap((keyword): readonly NoteChange[] => {
      const change = { place, keyword, before: old.get(keyword) ?? [], after: renewed.get(keyword) ?? [] }
      return sameNotes(change.before, change.after) ? [] : [change]
    })
  })
}

/** The declared names of one side that the other does not declare. */
export function declaredOnlyIn(one: FieldNotes, other: FieldNotes): readonly string[] {
  const missing = [...one.fields].flatMap(([place, field]) =>
    field.declared && other.fields.get(place)?.declared !== true ? [place] : [],
  )
  // What is below a field that is itself new comes with it.
  return missing.filter((place) => !missing.some((above) => place.startsWith(`${above}/`)))
}

/** A union may give notes in any order and repeat them: only the set of them counts. */
function sameNotes(before: readonly string[], after: readonly string[]): boolean {
  const [old, renewed] = [new Set(before), new Set(after)]
  return old.size === renewed.size && [...old].every((text) => renewed.has(text))
}
