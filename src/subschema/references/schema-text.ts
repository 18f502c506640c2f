// The text of a schema: equal texts mean the same. Notes, the order of words and the names of definitions make no
// difference.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'

/** The class of each definition; equal classes are equal definitions. */
export type Classes = ReadonlyMap<Preprocessed, ReadonlyMap<string, number>>

/** Words whose value is one schema, a list of them, a map of them; everything else is data. */
const single = new Set([
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
])
const listed = new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf'])
const mapped = new Set(['properties', 'patternProperties', 'dependentSchemas'])
const silent = new Set(['title', 'description'])

/** What the node says, with every schema below it replaced by a text that identifies it. */
export function nodeText(
  node: NormalObject,
  schema: Preprocessed,
  classes: Classes,
  below: (child: NormalSchema) => string,
): string {
  const parts: string[] = []
  for (const word of Object.keys(node).sort()) {
    const value = node[word as keyof NormalObject] as unknown
    if (value === undefined || silent.has(word) || (word === 'format' && schema.formats === 'annotate')) continue
    parts.push(`${word}:${wordText(word, value, schema, classes, below)}`)
  }
  return parts.join(';')
}

function wordText(
  word: string,
  value: unknown,
  schema: Preprocessed,
  classes: Classes,
  below: (child: NormalSchema) => string,
): string {
  if (word === '$ref') return String(classes.get(schema)?.get(value as string) ?? value)
  if (single.has(word)) return below(value as NormalSchema)
  if (listed.has(word)) {
    const texts = (value as readonly NormalSchema[]).map(below)
    // Only positions have an order.
    return `[${(word === 'prefixItems' ? texts : texts.sort()).join(',')}]`
  }
  if (mapped.has(word)) {
    const map = value as Readonly<Record<string, NormalSchema>>
    return `{${Object.keys(map)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${below(map[name] as NormalSchema)}`)
      .join(',')}}`
  }
  if (word === 'required' || word === 'type') return [...(value as readonly string[])].sort().map(quoted).join(',')
  return canonicalize(value as JsonValue)
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

/** The text with everything below written out, down to the references. */
export function deepText(node: NormalSchema, schema: Preprocessed, classes: Classes): string {
  if (typeof node === 'boolean') return String(node)
  return `{${nodeText(node, schema, classes, (child) => deepText(child, schema, classes))}}`
}

/** The schema and every one below it, until the visitor says stop. */
export function walkSchemas(node: NormalSchema, visit: (node: NormalObject) => boolean): boolean {
  if (typeof node === 'boolean') return true
  if (!visit(node)) return false
  for (const [word, value] of Object.entries(node)) {
    if (value === undefined) continue
    if (single.has(word)) {
      if (!walkSchemas(value as NormalSchema, visit)) return false
    } else if (listed.has(word) || mapped.has(word)) {
      for (const child of Object.values(value as object)) if (!walkSchemas(child, visit)) return false
    }
  }
  return true
}
