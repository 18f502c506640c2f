// Which JSON types a schema admits, as bits. Always a superset of the truth: what is not understood narrows nothing.
import type { JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed, TypeName } from '../../schema/normal.ts'

export const jsonType = { null: 1, boolean: 2, object: 4, array: 8, integer: 16, fraction: 32, string: 64 } as const

const any = 127
const numeric = jsonType.integer | jsonType.fraction
const bitsOfName: Readonly<Record<TypeName, number>> = { ...jsonType, number: numeric }

export type TypesOf = (schema: NormalSchema) => number

/** A memo over one schema document; recursion through references narrows nothing. */
export function typesWithin(form: Preprocessed): TypesOf {
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
