// Every schema of both sides by number: equal schemas, also ones that differ only in names of definitions or in notes,
// have equal numbers. Definitions are compared by refining classes until they are stable (a bisimulation).
import { canonicalize } from '../json/canonical.ts'
import type { JsonValue } from '../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../schema/normal.ts'
import { trueClaim } from './formula.ts'
import type { Claim } from './literal.ts'

export type Side = 'r' | 'l'

export interface PoolEntry {
  readonly node: NormalSchema
  /** The document whose definitions the node refers to. */
  readonly schema: Preprocessed
  readonly side: Side
}

export interface SchemaPool {
  claimOf(node: NormalSchema, schema: Preprocessed): Claim
  entry(claim: Claim): PoolEntry
}

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

export function createPool(r: Preprocessed, l: Preprocessed): SchemaPool {
  const classes = classesOf(r === l ? [r] : [r, l])
  const claims = new WeakMap<object, Claim>()
  const numbers = new Map<string, Claim>()
  const entries: PoolEntry[] = [
    { node: true, schema: r, side: 'r' },
    { node: true, schema: r, side: 'r' },
  ]

  const pool: SchemaPool = {
    claimOf(node, schema) {
      if (typeof node === 'boolean') return node ? trueClaim : -trueClaim
      const known = claims.get(node)
      if (known !== undefined) return known
      const key = textOf(node, schema, classes, (child) => String(pool.claimOf(child, schema)))
      const claim = key === '' ? trueClaim : (numbers.get(key) ?? register(key, node, schema))
      claims.set(node, claim)
      return claim
    },
    entry: (claim) => entries[Math.abs(claim)] as PoolEntry,
  }
  return pool

  function register(key: string, node: NormalObject, schema: Preprocessed): Claim {
    const claim = entries.length
    entries.push({ node, schema, side: schema === r ? 'r' : 'l' })
    numbers.set(key, claim)
    return claim
  }
}

type Classes = ReadonlyMap<Preprocessed, ReadonlyMap<string, number>>

/** Text compared, in characters, and rounds before so much of it gives up: a long chain of definitions takes a round each. */
const maxCompared = 4_000_000
const maxRounds = 24

/** Coarse classes would call different definitions equal: without the last round, each has a class of its own. */
function classesOf(schemas: readonly Preprocessed[]): Classes {
  let compared = 0
  let rounds = 0
  let classes: Classes = new Map(schemas.map((schema) => [schema, new Map([...schema.defs.keys()].map((k) => [k, 0]))]))
  for (let count = 1; ; ) {
    const numbers = new Map<string, number>()
    const refined: Classes = new Map(
      schemas.map((schema) => [
        schema,
        new Map([...schema.defs].map(([key, node]) => [key, numberOf(numbers, compare(node, schema))])),
      ]),
    )
    classes = refined
    if (numbers.size <= count) return classes
    if (++rounds > maxRounds && compared > maxCompared) return distinctClasses(schemas)
    count = numbers.size
  }

  function compare(node: NormalSchema, schema: Preprocessed): string {
    const text = deepText(node, schema, classes)
    compared += text.length
    return text
  }
}

function distinctClasses(schemas: readonly Preprocessed[]): Classes {
  let next = 0
  return new Map(schemas.map((schema) => [schema, new Map([...schema.defs.keys()].map((key) => [key, next++]))]))
}

function deepText(node: NormalSchema, schema: Preprocessed, classes: Classes): string {
  if (typeof node === 'boolean') return String(node)
  return `{${textOf(node, schema, classes, (child) => deepText(child, schema, classes))}}`
}

function numberOf(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text)
  if (known !== undefined) return known
  numbers.set(text, numbers.size)
  return numbers.size - 1
}

/** What the node says, with every schema below it replaced by a text that identifies it. */
function textOf(
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

/** How many schema objects there are, counted no further than the limit. */
export function countSchemas({ root, defs }: Preprocessed, limit: number): number {
  let count = 0
  for (const node of [root, ...defs.values()]) {
    visit(node)
    if (count > limit) break
  }
  return count

  function visit(node: NormalSchema): void {
    if (typeof node === 'boolean' || ++count > limit) return
    for (const [word, value] of Object.entries(node)) {
      if (single.has(word)) visit(value as NormalSchema)
      else if (listed.has(word) || mapped.has(word)) for (const child of Object.values(value as object)) visit(child)
    }
  }
}
