// Partition refinement for definitions on and between cycles: all start alike, and a class is split where texts differ,
// until none does. Only those that refer to something that moved are read again, so a long cycle does not cost its square.
import type { Definition } from './definition-classes.ts'

interface Refinement {
  /** What a definition says under the present classes. */
  textOf(definition: Definition): string
  place(definition: Definition, number: number): void
  fresh(): number
}

/** Characters read before giving up. */
const maxRead = 4_000_000

/** False when that takes too much work: the classes are then not final. */
export function refineClasses(definitions: readonly Definition[], { textOf, place, fresh }: Refinement): boolean {
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

  /** Those who were not read again keep the number; where all were, the most numerous do. */
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
