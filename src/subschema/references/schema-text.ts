// The text of a schema: equal texts mean the same. Notes, the order of words and the names of definitions make no
// difference.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { schemaKeywords } from '../../schema/subschemas.ts'

/** The class of each definition; equal classes are equal definitions. */
export type Classes = ReadonlyMap<Preprocessed, ReadonlyMap<string, number>>

const silent = new Set(['title', 'description'])

/** What the node says, with every schema below it replaced by a text that identifies it. */
export function nodeText(
  node: NormalObject,
  schema: Preprocessed,
  classes: Classes,
  below: (child: NormalSchema) => string,
): string {
  const parts: string[] = []
  const classOf = (reference: string): string => String(classes.get(schema)?.get(reference) ?? reference)
  for (const word of Object.keys(node).sort()) {
    const value = node[word as keyof NormalObject] as unknown
    if (value === undefined || silent.has(word) || (word === 'format' && schema.formats === 'annotate')) continue
    parts.push(`${word}:${wordText(word, value, classOf, below)}`)
  }
  return parts.join(';')
}

function wordText(
  word: string,
  value: unknown,
  classOf: (reference: string) => string,
  below: (child: NormalSchema) => string,
): string {
  if (word === '$ref') return classOf(value as string)
  switch (schemaKeywords.get(word)) {
    case 'one':
      return below(value as NormalSchema)
    case 'list': {
      const texts = (value as readonly NormalSchema[]).map(below)
      // Only positions have an order.
      return `[${(word === 'prefixItems' ? texts : texts.sort()).join(',')}]`
    }
    case 'map': {
      const map = value as Readonly<Record<string, NormalSchema>>
      const names = Object.keys(map).sort()
      return `{${names.map((name) => `${quoted(name)}:${below(map[name] as NormalSchema)}`).join(',')}}`
    }
    default:
      if (word === 'required' || word === 'type') return [...(value as readonly string[])].sort().map(quoted).join(',')
      return canonicalize(value as JsonValue)
  }
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

/** The text with everything below written out, down to the references. */
export function deepText(node: NormalSchema, schema: Preprocessed, classes: Classes): string {
  if (typeof node === 'boolean') return String(node)
  return `{${nodeText(node, schema, classes, (child) => deepText(child, schema, classes))}}`
}
