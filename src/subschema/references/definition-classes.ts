// Classes of definitions that say the same under other names, across both documents: the coarsest bisimulation.
// What reaches no cycle is classed bottom-up by its text, what lies between cycles by refinement, what is above by text again.
import type { NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { walkSchemas } from '../../schema/subschemas.ts'
import { type Classes, deepText } from './schema-text.ts'

/** A definition with those that it refers to and those that refer to it. */
interface Definition {
  readonly key: string
  readonly node: NormalSchema
  readonly schema: Preprocessed
  readonly refersTo: Set<Definition>
  readonly referredBy: Set<Definition>
}

export function classesOf(schemas: readonly Preprocessed[]): Classes {
  const classes = new Map(schemas.map((schema) => [schema, new Map<string, number>()]))
  const numbers = new Map<string, number>()
  let next = 0
  const textOf = ({ node, schema }: Definition): string => deepText(node, schema, classes)
  const place = ({ key, schema }: Definition, number: number): void => void classes.get(schema)?.set(key, number)
  const placeByText = (definition: Definition): void => {
    const text = textOf(definition)
    const number = numbers.get(text) ?? next++
    numbers.set(text, number)
    place(definition, number)
  }

  const definitions = linkDefinitions(schemas)
  const bottom = peel(definitions, 'refersTo')
  bottom.forEach(placeByText)
  const rest = new Set(definitions).difference(new Set(bottom))
  const top = peel([...rest], 'referredBy').toReversed()
  const cyclic = [...rest.difference(new Set(top))]
  const isRefined = refineClasses(cyclic, { textOf, place, fresh: () => next++ })
  // Coarse classes would call different definitions equal: unless they are final, each has a class of its own.
  for (const definition of cyclic) {
    if (isRefined) numbers.set(textOf(definition), classes.get(definition.schema)?.get(definition.key) as number)
    else place(definition, next++)
  }
  top.forEach(placeByText)
  return classes
}

function linkDefinitions(schemas: readonly Preprocessed[]): readonly Definition[] {
  const byKey = new Map<Preprocessed, Map<string, Definition>>()
  for (const schema of schemas) {
    const own = new Map<string, Definition>()
    for (const [key, node] of schema.defs) {
      own.set(key, { key, node, schema, refersTo: new Set(), referredBy: new Set() })
    }
    byKey.set(schema, own)
  }
  const all = [...byKey.values()].flatMap((own) => [...own.values()])
  for (const definition of all) {
    walkSchemas(definition.node, ({ $ref }) => {
      const target = $ref === undefined ? undefined : byKey.get(definition.schema)?.get($ref)
      target?.referredBy.add(definition)
      if (target !== undefined) definition.refersTo.add(target)
      return true
    })
  }
  return all
}

/** Takes away, one after another, the definitions that have no link left in that direction; cycles stay. */
function peel(definitions: readonly Definition[], direction: 'refersTo' | 'referredBy'): readonly Definition[] {
  const back = direction === 'refersTo' ? 'referredBy' : 'refersTo'
  const left = new Map<Definition, number>()
  const all = new Set(definitions)
  for (const definition of definitions) left.set(definition, definition[direction].intersection(all).size)
  const peeled = definitions.filter((definition) => left.get(definition) === 0)
  for (const definition of peeled) {
    for (const other of definition[back]) {
      const count = left.get(other)
      if (count === undefined) continue
      left.set(other, count - 1)
      if (count === 1) peeled.push(other)
    }
  }
  return peeled
}

interface Refinement {
  /** What a definition says under the present classes. */
  textOf(definition: Definition): string
  place(definition: Definition, number: number): void
  fresh(): number
}

/** Characters read before giving up. */
const maxRead = 4_000_000

/**
 * Partition refinement for definitions on and between cycles: all start alike, and a class is split where texts differ,
 * until none does. Only those that refer to something that moved are read again, so a long cycle does not cost its square.
 * False when that takes too much work: the classes are then not final.
 */
function refineClasses(definitions: readonly Definition[], { textOf, place, fresh }: Refinement): boolean {
  const groupOf = new Map<Definition, Group>()
  const first: Group = { number: fresh(), members: new Set(definitions) }
  for (const definition of definitions) {
    groupOf.set(definition, first)
    place(definition, first.number)
  }
  let read = 0
  let dirty: ReadonlySet<Definition> = new Set(definitions)
  while (dirty.size > 0) {
    const texts = new Map<Group, Map<string, Definition[]>>()
    for (const definition of dirty) {
      const group = groupOf.get(definition) as Group
      const text = textOf(definition)
      read += text.length
      if (read > maxRead) return false
      const alike = texts.get(group) ?? new Map<string, Definition[]>()
      texts.set(group, alike.set(text, [...(alike.get(text) ?? []), definition]))
    }
    const moved = new Set<Definition>()
    for (const [group, alike] of texts) split(group, [...alike.values()], moved)
    dirty = new Set([...moved].flatMap((definition) => [...definition.referredBy].filter((one) => groupOf.has(one))))
  }
  return true

  /** Members that were not read again keep the number; where all were read, the largest part keeps it. */
  function split(group: Group, parts: readonly Definition[][], moved: Set<Definition>): void {
    const readAgain = parts.reduce((sum, part) => sum + part.length, 0)
    const staying =
      readAgain < group.members.size
        ? undefined
        : parts.reduce((most, part) => (part.length > most.length ? part : most))
    for (const part of parts) {
      if (part === staying) continue
      const own: Group = { number: fresh(), members: new Set(part) }
      for (const definition of part) {
        group.members.delete(definition)
        groupOf.set(definition, own)
        place(definition, own.number)
        moved.add(definition)
      }
    }
  }
}

interface Group {
  readonly number: number
  readonly members: Set<Definition>
}
