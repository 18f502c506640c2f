// Reads a TypeBox schema, a JSON Schema with hidden marks, into plain JSON Schema 2020-12. Invariant: what only
// TypeBox's own checker could run (refinements, codecs) is refused, never skipped.
import { appendPointer, escapeToken } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { allTypes } from '../../schema/normal.ts'
import { mapSubschemas } from '../schema-positions.ts'
import type { Unconvertible } from './unconvertible.ts'

export type TypeBoxReading =
  | { readonly ok: true; readonly document: JsonObject }
  | { readonly ok: false; readonly place: Unconvertible }

interface Reader {
  /** The caller brings a validator of its own, which runs refinements and codecs. */
  readonly validated: boolean
  readonly identities: ReadonlySet<string>
  first?: Unconvertible
}

/** Names that a cyclic type defines, with the pointers they stand for. */
type Scope = ReadonlyMap<string, string>

const typeNames: ReadonlySet<string> = new Set(allTypes)
const unfinished: ReadonlySet<string> = new Set([
  'Call',
  'Deferred',
  'Generic',
  'Identifier',
  'Infer',
  'Parameter',
  'Rest',
])
const olderKind = Symbol.for('TypeBox.Kind')
const olderTransform = Symbol.for('TypeBox.Transform')

/** True for a TypeBox schema, and for one written by hand with TypeBox parts in it. */
export function isTypeBox(schema: JsonObject): boolean {
  if (typeBoxKind(schema) !== undefined) return true
  let found = false
  mapSubschemas(schema, '', (child) => {
    found ||= isObject(child) && isTypeBox(child)
    return child
  })
  return found
}

/**
 * The document is meant to be closed like that of any other library. TypeBox's own checker lets further keys pass, but
 * so do Zod and Valibot before they drop them: an author who writes `Type.Object({ … })` lists the keys that are meant, gets
 * a type with these keys alone, and has `additionalProperties: true` to say otherwise.
 */
export function readTypeBox(schema: JsonObject, validated: boolean): TypeBoxReading {
  const identities = new Set<string>()
  collectIdentities(schema, identities)
  const reader: Reader = { validated, identities }
  const document = readNode(reader, schema, '', new Map())
  if (reader.first !== undefined) return { ok: false, place: reader.first }
  return { ok: true, document: isObject(document) ? document : {} }
}

function readNode(reader: Reader, schema: JsonValue, pointer: string, outer: Scope): JsonValue {
  if (!isObject(schema)) return schema
  const kind = typeBoxKind(schema)
  const fault = faultOf(reader, schema, kind)
  if (fault !== undefined) reader.first ??= { pointer, what: fault }
  const scope = kind === 'Cyclic' && isObject(schema.$defs) ? defined(schema.$defs, pointer, outer) : outer
  const mapped = mapSubschemas(withTuple(schema), pointer, (child, keyword, place) => {
    const read = readNode(reader, child, place, scope)
    return keyword === '$defs' && kind === 'Cyclic' ? withoutIdentity(read) : read
  })
  if (typeof schema.$ref === 'string') return { ...mapped, $ref: referTo(reader, schema.$ref, pointer, scope) }
  // Hand-written parts inside stay as open as JSON Schema says they are.
  const byHand = kind === undefined && (schema.properties ?? schema.patternProperties) !== undefined
  return byHand && schema.unevaluatedProperties === undefined ? { additionalProperties: true, ...mapped } : mapped
}

function faultOf(reader: Reader, schema: JsonObject, kind: string | undefined): string | undefined {
  if (kind !== undefined) {
    if (unfinished.has(kind)) return `${kind} is not a finished type`
    if (typeof schema.type === 'string' && !typeNames.has(schema.type)) {
      return `${kind} cannot be represented in JSON Schema`
    }
  }
  if (reader.validated) return undefined
  const advice = 'give { jsonSchema: schema, validate } with a validate that runs it'
  if (Object.hasOwn(schema, '~refine')) return `a refinement runs only in TypeBox: ${advice}`
  if (Object.hasOwn(schema, '~codec') || Object.hasOwn(schema, olderTransform)) {
    return `a codec runs only in TypeBox: ${advice}`
  }
  return undefined
}

/** TypeBox prints tuples as drafts before 2020-12 did. */
function withTuple(schema: JsonObject): JsonObject {
  if (!Array.isArray(schema.items)) return schema
  const { items, additionalItems, ...rest } = schema
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
}

function defined(defs: JsonObject, pointer: string, outer: Scope): Scope {
  const base = appendPointer(pointer, '$defs')
  return new Map([...outer, ...Object.keys(defs).map((name) => [name, `#${base}/${escapeToken(name)}`] as const)])
}

function referTo(reader: Reader, reference: string, pointer: string, scope: Scope): string {
  const target = scope.get(reference)
  if (target !== undefined) return target
  if (!reference.startsWith('#') && !reader.identities.has(reference)) {
    reader.first ??= { pointer, what: `it refers to ${JSON.stringify(reference)}, which the schema does not define` }
  }
  return reference
}

/** The identifiers that TypeBox gives to the definitions of a cyclic type are replaced by pointers. */
function withoutIdentity(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return schema
  const { $id: _identity, ...rest } = schema
  return rest
}

function collectIdentities(schema: JsonValue, identities: Set<string>): void {
  if (!isObject(schema)) return
  if (typeof schema.$id === 'string') identities.add(schema.$id)
  mapSubschemas(schema, '', (child) => {
    collectIdentities(child, identities)
    return child
  })
}

function typeBoxKind(schema: object): string | undefined {
  const kind: unknown = Object.hasOwn(schema, '~kind') ? Reflect.get(schema, '~kind') : Reflect.get(schema, olderKind)
  return typeof kind === 'string' ? kind : undefined
}
