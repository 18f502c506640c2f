// Is a schema closed: does it refuse every property that it does not declare? Judged by meaning, through allOf and
// references: an object with an undeclared property is searched among the values of each object schema.
// Each part of a value is judged by its own schema. A restriction that comes from beside that schema's parent is not seen:
// such an object may be called open.

import type { JsonValue } from '../json/value.ts'
import { type NormalObject, type NormalSchema, nameMap, type Preprocessed } from '../schema/normal.ts'
import { schemasAbout } from '../schema/subschemas.ts'
import { openInhabitance } from './inhabits.ts'
import { defaultBudget } from './is-subschema.ts'
import type { Gap } from './solver/outcome.ts'

export type Closedness =
  | { readonly verdict: 'closed' }
  /** A value that is accepted although it has an undeclared property. */
  | { readonly verdict: 'open'; readonly pointer: string; readonly example: JsonValue }
  | ({ readonly verdict: 'unsupported' } & Gap)

/** Looks at the schema's own objects and, through properties and items, at all below. */
export function isClosed(schema: Preprocessed, budget: number = defaultBudget): Closedness {
  const inhabits = openInhabitance(schema, budget)
  for (const [index, node] of objectSchemas(schema).entries()) {
    // Validators are kept by hash: a part of a schema needs one of its own, also a part that no pointer leads to.
    const at = { ...schema, root: node, hash: `${schema.hash} part ${index}` }
    const answer = inhabits(at, { type: ['object'], not: onlyDeclared(node, schema) })
    if (answer.verdict === 'unsupported') return answer
    if (answer.verdict === 'inhabited') {
      return { verdict: 'open', pointer: schema.sourcePointer(node) ?? '', example: answer.example }
    }
  }
  return { verdict: 'closed' }
}

/** Objects whose properties are all declared, in the node itself or in a schema that applies in place. */
function onlyDeclared(node: NormalSchema, schema: Preprocessed): NormalObject {
  const properties = nameMap<NormalSchema>()
  const patternProperties = nameMap<NormalSchema>()
  const rest: NormalSchema[] = []
  for (const part of schemasAbout([node], schema)) {
    for (const name of Object.keys(part.properties ?? {})) properties[name] = true
    for (const pattern of Object.keys(part.patternProperties ?? {})) patternProperties[pattern] = true
    rest.push(...declaredRest(part))
  }
  const [only = false] = rest
  return { properties, patternProperties, additionalProperties: rest.length > 1 ? { anyOf: rest } : only }
}

/** A map: a schema for every further property declares those properties, too. */
function declaredRest({ additionalProperties, unevaluatedProperties }: NormalObject): readonly NormalSchema[] {
  return [additionalProperties, unevaluatedProperties].filter(saysSomething)
}

/** The root, and every schema that applies to a part of a value. */
function objectSchemas(schema: Preprocessed): readonly NormalSchema[] {
  const found = new Set<NormalSchema>([schema.root])
  for (const node of found) {
    for (const part of schemasAbout([node], schema)) for (const child of partSchemas(part)) found.add(child)
  }
  return [...found].filter((node) => typeof node === 'object' || node === schema.root)
}

/** A part without any constraint (`true`, `{}`) is free data on purpose, not an object left open by mistake. */
function partSchemas(node: NormalObject): readonly NormalSchema[] {
  const { properties = {}, patternProperties = {}, prefixItems = [] } = node
  const named = [...Object.values(properties), ...Object.values(patternProperties), ...prefixItems]
  const others = [
    node.additionalProperties,
    node.unevaluatedProperties,
    node.items,
    node.unevaluatedItems,
    node.contains,
  ]
  return [...named, ...others].filter(saysSomething)
}

function saysSomething(node: NormalSchema | undefined): node is NormalObject {
  return typeof node === 'object' && Object.keys(node).some((word) => word !== 'title' && word !== 'description')
}
