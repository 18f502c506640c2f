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

/** The schemas inside a node that hold for some of its values only: alternatives, a condition with its outcomes, dependent schemas. */
export function branchesOf(node: NormalObject): readonly NormalSchema[] {
  const conditional = [node.if, node.then, node.else].filter((schema) => schema !== undefined)
  return [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...conditional, ...Object.values(node.dependentSchemas ?? {})]
}

/** The schemas that hold for every value which all of these accept: they, what they refer to and what they are composed of. */
export const schemasInForce = (start: readonly NormalSchema[], form: Pick<Preprocessed, 'defs'>) =>
  reached(start, form, ({ allOf = [] }) => allOf)

/** The schemas that say something about a value of these, also those that hold for some values only. */
export const schemasAbout = (start: readonly NormalSchema[], form: Pick<Preprocessed, 'defs'>) =>
  reached(start, form, (node) => [...(node.allOf ?? []), ...branchesOf(node)])

/** Without recursion: a chain of definitions may be longer than calls can nest. */
function reached(
  start: readonly NormalSchema[],
  { defs }: Pick<Preprocessed, 'defs'>,
  parts: (node: NormalObject) => readonly NormalSchema[],
): readonly NormalObject[] {
  const found = new Set<NormalObject>()
  const add = (node: NormalSchema | undefined): void => {
    if (typeof node === 'object') found.add(node)
  }
  start.forEach(add)
  for (const node of found) {
    if (node.$ref !== undefined) add(defs.get(node.$ref))
    parts(node).forEach(add)
  }
  return [...found]
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
