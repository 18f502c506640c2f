// Where a node of the normal form holds further schemas, and how they are walked. All other values are data.
import type { NormalObject, NormalSchema, Preprocessed } from './normal.ts'

/** What a keyword's value is: one schema, a list of schemas, or a map of them by name. */
export const schemaKeywords: ReadonlyMap<string, 'one' | 'list' | 'map'> = new Map([
  ['items', 'one'],
  ['contains', 'one'],
  ['additionalProperties', 'one'],
  ['propertyNames', 'one'],
  ['not', 'one'],
  ['if', 'one'],
  ['then', 'one'],
  ['else', 'one'],
  ['unevaluatedProperties', 'one'],
  ['unevaluatedItems', 'one'],
  ['prefixItems', 'list'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['dependentSchemas', 'map'],
])

/** The schema and every one below it, until the visitor returns false. References are not followed. */
export function walkSchemas(node: NormalSchema, visit: (node: NormalObject) => boolean): boolean {
  if (typeof node === 'boolean') return true
  if (!visit(node)) return false
  for (const [word, value] of Object.entries(node)) {
    const kind = value === undefined ? undefined : schemaKeywords.get(word)
    if (kind === 'one') {
      if (!walkSchemas(value as NormalSchema, visit)) return false
    } else if (kind !== undefined) {
      for (const child of Object.values(value as object)) if (!walkSchemas(child, visit)) return false
    }
  }
  return true
}

/** The schemas directly inside a node that apply to the same value, also under a condition or denied. */
export function schemasInPlace(node: NormalObject): readonly NormalSchema[] {
  const single = [node.not, node.if, node.then, node.else].filter((schema) => schema !== undefined)
  const dependent = Object.values(node.dependentSchemas ?? {})
  return [...(node.allOf ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? []), ...dependent, ...single]
}

/** All references of a schema, each as often as it occurs. */
export function referencesIn(schema: NormalSchema): readonly string[] {
  const keys: string[] = []
  walkSchemas(schema, ({ $ref }) => {
    if ($ref !== undefined) keys.push($ref)
    return true
  })
  return keys
}

/** The definition that a `$ref` names. */
export function definitionOf({ defs }: Pick<Preprocessed, 'defs'>, reference: string): NormalSchema {
  const definition = defs.get(reference)
  if (definition === undefined) throw new Error(`The preprocessed schema lacks the definition ${reference}`)
  return definition
}
