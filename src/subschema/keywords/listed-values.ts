// Schemas that list their values: constants, enumerations and unions of them. Testing each value is exact and fast.
import type { JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'

const maxValues = 5000

type Listed = readonly JsonValue[] | undefined

/** Definitions are shared: each node is looked at once, not once for each path to it. */
const remembered = new WeakMap<Preprocessed, WeakMap<NormalObject, { readonly values: Listed }>>()

/** Values among which every value of the schema is; undefined when the schema does not list them. */
export function listValues(node: NormalSchema, schema: Preprocessed): Listed {
  if (typeof node === 'boolean') return node ? undefined : []
  const known = remembered.get(schema) ?? new WeakMap<NormalObject, { readonly values: Listed }>()
  remembered.set(schema, known)
  const answer = known.get(node) ?? { values: listFresh(node, schema) }
  known.set(node, answer)
  return answer.values
}

function listFresh(node: NormalObject, schema: Preprocessed): Listed {
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

function listUnion(parts: readonly NormalSchema[] | undefined, schema: Preprocessed): Listed {
  if (parts === undefined) return undefined
  if (parts.length === 1 && parts[0] !== undefined) return listValues(parts[0], schema)
  const all: JsonValue[] = []
  for (const part of parts) {
    const values = listValues(part, schema)
    if (values === undefined || all.length + values.length > maxValues) return undefined
    all.push(...values)
  }
  return all
}
