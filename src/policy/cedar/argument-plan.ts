// How policies see arguments: a Cedar type for every declared place of an input schema, found once per contract. What has no Cedar type
// is seen as its canonical JSON text:
//   string, boolean        String, Bool
//   integer                Long; a number beyond 2^53 does not fit, and the call is denied where a policy reads it
//   other numbers          decimal: 15 digits before the point, 4 after it; what does not fit is denied as above, never rounded
//   array of one type      Set: order and repetition are not seen; more than 10,000 items do not fit
//   object with properties record; undeclared keys are not in it, their pointers are in context.unseen
//   null                   as if the attribute were absent
//   all else               String: unions, maps, tuples, recursion, and what lies deeper or is larger than a policy could want
// Attributes that Cedar itself would read as an entity or an extension value are never declared; they count as undeclared.

import type { JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed, TypeName } from '../../schema/normal.ts'
import { branchesOf } from '../../schema/subschemas.ts'

export type Plan =
  | { readonly kind: 'string' | 'boolean' | 'long' | 'decimal' }
  | { readonly kind: 'text'; readonly why: string }
  | { readonly kind: 'set'; readonly element: Plan }
  | RecordPlan

export interface RecordPlan {
  readonly kind: 'record'
  readonly attributes: ReadonlyMap<string, Attribute>
  /** Keys that are not declared may be there. */
  readonly open: boolean
}

export interface Attribute {
  readonly plan: Plan
  readonly required: boolean
}

/** Names that mean something to Cedar's JSON reader; and one that no strictly read object has. */
const reserved: ReadonlySet<string> = new Set(['__entity', '__extn', '__expr', '__proto__'])
const maxDepth = 16
const maxPlaces = 2_000
const everyType = 127

interface Builder {
  readonly form: Preprocessed
  readonly typesOf: TypesOf
  places: number
}

/** The schemas that hold at each level above a place. */
type Path = readonly (readonly NormalObject[])[]

/** Arguments are always an object, so the root is a record, also where its schema does not say so. */
export function planArguments(form: Preprocessed): RecordPlan {
  const builder: Builder = { form, typesOf: typesWithin(form), places: 0 }
  return planRecord(builder, gather(builder, [form.root]), [])
}

/** All the schemas hold together for the value. */
function planValue(builder: Builder, schemas: readonly NormalSchema[], path: Path): Plan {
  const types = admitted(builder, schemas) & ~jsonType.null
  if (types === jsonType.string) return { kind: 'string' }
  if (types === jsonType.boolean) return { kind: 'boolean' }
  if (types === jsonType.integer) return { kind: 'long' }
  if (types !== 0 && (types & ~(jsonType.integer | jsonType.fraction)) === 0) return { kind: 'decimal' }
  if (types !== jsonType.object && types !== jsonType.array) return text('it may be of several types')
  const parts = gather(builder, schemas)
  if (parts.some((part) => path.some((level) => level.includes(part)))) return text('the schema is recursive here')
  if (path.length >= maxDepth) return text('it lies too deep')
  if (++builder.places > maxPlaces) return text('the schema is too large')
  if (types === jsonType.array) return planSet(builder, parts, path)
  const plan = planRecord(builder, parts, path)
  return plan.attributes.size > 0 ? plan : text('the schema declares no keys')
}

function planSet(builder: Builder, parts: readonly NormalObject[], path: Path): Plan {
  if (parts.some(({ prefixItems }) => prefixItems !== undefined)) return text('it is a tuple')
  const items = parts.flatMap((part) => (part.items === undefined ? [] : [part.items]))
  if (items.length === 0) return text('the schema declares no items')
  if ((admitted(builder, items) & jsonType.null) !== 0) return text('its items may be null')
  const element = planValue(builder, items, [...path, parts])
  return element.kind === 'text' ? text(`its items are of no one type: ${element.why}`) : { kind: 'set', element }
}

function planRecord(builder: Builder, parts: readonly NormalObject[], path: Path): RecordPlan {
  const below: Path = [...path, parts]
  const required = new Set(parts.flatMap((part) => part.required ?? []))
  const attributes = new Map<string, Attribute>()
  for (const [name, schemas] of declaredIn(builder, parts)) {
    const types = admitted(builder, schemas)
    if (reserved.has(name) || types === 0) continue
    const always = required.has(name) && (types & jsonType.null) === 0
    attributes.set(name, { plan: planValue(builder, schemas, below), required: always })
  }
  return { kind: 'record', attributes, open: !parts.some((part) => part.additionalProperties === false) }
}

/** What every value has declared, and what only some have: the branches of choices and of conditions. */
function declaredIn(builder: Builder, parts: readonly NormalObject[], depth = 0): Map<string, NormalSchema[]> {
  const declared = new Map<string, NormalSchema[]>()
  for (const { properties = {} } of parts) {
    for (const [name, schema] of Object.entries(properties)) {
      const schemas = declared.get(name)
      if (schemas === undefined) declared.set(name, [schema])
      else schemas.push(schema)
    }
  }
  if (depth >= maxDepth) return declared
  const sometimes = new Map<string, NormalSchema[]>()
  for (const branch of parts.flatMap((part) => branchesOf(part).filter((branch) => branch !== part.if))) {
    for (const [name, schemas] of declaredIn(builder, gather(builder, [branch]), depth + 1)) {
      const choices = sometimes.get(name)
      if (choices === undefined) sometimes.set(name, [{ allOf: schemas }])
      else choices.push({ allOf: schemas })
    }
  }
  for (const [name, choices] of sometimes) if (!declared.has(name)) declared.set(name, [{ anyOf: choices }])
  return declared
}

/** Every schema that holds for all values that these accept: themselves, what they refer to, what they are composed of. */
function gather(builder: Builder, schemas: readonly NormalSchema[]): readonly NormalObject[] {
  const found = new Set<NormalObject>()
  const open = [...schemas]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (typeof schema === 'boolean' || found.has(schema)) continue
    found.add(schema)
    if (schema.$ref !== undefined) open.push(builder.form.defs.get(schema.$ref) ?? true)
    open.push(...(schema.allOf ?? []))
  }
  return [...found]
}

function admitted(builder: Builder, schemas: readonly NormalSchema[]): number {
  return schemas.reduce((types: number, schema) => types & builder.typesOf(schema), everyType)
}

function text(why: string): Plan {
  return { kind: 'text', why }
}

/** The JSON types that a schema admits, as bits. Always a superset of the truth: a keyword that is not understood narrows nothing. */
const jsonType = { null: 1, boolean: 2, object: 4, array: 8, integer: 16, fraction: 32, string: 64 } as const

const any = 127
const numeric = jsonType.integer | jsonType.fraction
const bitsOfName: Readonly<Record<TypeName, number>> = { ...jsonType, number: numeric }

type TypesOf = (schema: NormalSchema) => number

/** A memo over one schema document; recursion through references narrows nothing. */
function typesWithin(form: Preprocessed): TypesOf {
  const known = new Map<NormalObject, number>()
  return typesOf

  function typesOf(schema: NormalSchema): number {
    if (typeof schema === 'boolean') return schema ? any : 0
    const memo = known.get(schema)
    if (memo !== undefined) return memo
    known.set(schema, any)
    let types = ownTypes(schema)
    if (schema.$ref !== undefined) types &= typesOf(form.defs.get(schema.$ref) ?? true)
    for (const part of schema.allOf ?? []) types &= typesOf(part)
    for (const choices of [schema.anyOf, schema.oneOf]) {
      if (choices !== undefined) types &= choices.reduce((sum, choice) => sum | typesOf(choice), 0)
    }
    known.set(schema, types)
    return types
  }
}

function ownTypes(schema: NormalObject): number {
  let types = any
  if (schema.type !== undefined) types &= schema.type.reduce((sum, name) => sum | bitsOfName[name], 0)
  if (schema.enum !== undefined) types &= schema.enum.reduce((sum: number, value) => sum | typeOfValue(value), 0)
  if (schema.const !== undefined) types &= typeOfValue(schema.const)
  if (schema.multipleOf !== undefined && Number.isInteger(schema.multipleOf)) types &= ~jsonType.fraction
  return types
}

function typeOfValue(value: JsonValue): number {
  if (value === null) return jsonType.null
  if (Array.isArray(value)) return jsonType.array
  switch (typeof value) {
    case 'boolean':
      return jsonType.boolean
    case 'number':
      return Number.isInteger(value) ? jsonType.integer : jsonType.fraction
    case 'string':
      return jsonType.string
    default:
      return jsonType.object
  }
}
