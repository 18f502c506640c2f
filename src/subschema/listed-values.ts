// Schemas that list their values: constants, enumerations and unions of them. Testing each value is exact and fast.
import type { JsonValue } from '../json/value.ts'
import type { NormalSchema, Preprocessed } from '../schema/normal.ts'

const maxValues = 5000

/** Values among which every value of the schema is; undefined when the schema does not list them. */
export function listValues(node: NormalSchema, schema: Preprocessed): readonly JsonValue[] | undefined {
  if (typeof node === 'boolean') return node ? undefined : []
  if (node.const !== undefined) return [node.const]
  if (node.enum !== undefined) return node.enum
  const target = node.$ref === undefined ? undefined : schema.defs.get(node.$ref)
  const behind = target === undefined ? undefined : listValues(target, schema)
  if (behind !== undefined) return behind
  for (const part of node.allOf ?? []) {
    const values = listValues(part, schema)
    if (values !== undefined) return values
  }
  return listUnion(node.anyOf, schema) ?? listUnion(node.oneOf, schema)
}

function listUnion(parts: readonly NormalSchema[] | undefined, schema: Preprocessed): readonly JsonValue[] | undefined {
  if (parts === undefined) return undefined
  const all: JsonValue[] = []
  for (const part of parts) {
    const values = listValues(part, schema)
    if (values === undefined || all.length + values.length > maxValues) return undefined
    all.push(...values)
  }
  return all
}
