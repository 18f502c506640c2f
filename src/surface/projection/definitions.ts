// The definitions of a schema: which lead back to themselves, and how often each is referred to; and those that a projection
// writes. Each is written once, and inside of unions once more, because there other things are refused.
import { withoutEdges } from '../../json/text-end.ts'
import type { JsonObject } from '../../json/value.ts'
import type { NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { referencesIn } from '../../schema/subschemas.ts'
import type { ProjectionPlace, Projector } from './projector.ts'

export interface Definitions {
  readonly recursive: ReadonlySet<string>
  readonly uses: ReadonlyMap<string, number>
}

export function definitionsOf({ root, defs }: Preprocessed): Definitions {
  const uses = new Map<string, number>()
  const references = (schema: NormalSchema): readonly string[] => {
    const keys = referencesIn(schema)
    for (const key of keys) uses.set(key, (uses.get(key) ?? 0) + 1)
    return keys
  }
  references(root)
  const edges = new Map([...defs].map(([key, schema]) => [key, references(schema)]))
  const recursive = new Set([...defs.keys()].filter((key) => reaches(key, key, edges)))
  return { recursive, uses }
}

function reaches(from: string, to: string, edges: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>()
  const waiting = [...(edges.get(from) ?? [])]
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (key === to) return true
    if (seen.has(key)) continue
    seen.add(key)
    waiting.push(...(edges.get(key) ?? []))
  }
  return false
}

/** The name of a definition in the projection: its own, as far as names allow it, and its number. */
function definitionName(key: string, number: number): string {
  const stem = withoutEdges(key.replaceAll(/[^a-zA-Z0-9]+/g, '_'), '_').slice(-40)
  return `${stem === '' ? 'part' : stem}_${number}`
}

export interface WrittenDefinitions {
  /** A reference to the definition, which is written if it is not yet. */
  refer(key: string, place: ProjectionPlace): JsonObject
  /** The same for one that refers to itself, where the provider takes such. */
  recur(key: string, place: ProjectionPlace): JsonObject
  /** All that were written, by name; undefined for none. */
  all(): JsonObject | undefined
}

export function createWrittenDefinitions(projector: Projector): WrittenDefinitions {
  const { form, subset } = projector
  const definitions = new Map<string, { readonly name: string; schema: JsonObject }>()

  const write = (key: string, place: ProjectionPlace): JsonObject => {
    const below = { ...place, isRoot: false, inDefinition: true, belowOptional: false, unfolding: new Set([key]) }
    const target = form.defs.get(key) ?? true
    const written = projector.project(typeof target === 'boolean' ? [target] : [target, {}], below)
    if (written === undefined)
      projector.refuse('unsatisfiable', undefined, 'A definition that no value fits is referred to.')
    return written ?? {}
  }
  const refer = (key: string, place: ProjectionPlace): JsonObject => {
    const variant = `${place.inUnion ? 'union' : 'plain'} ${key}`
    let definition = definitions.get(variant)
    if (definition === undefined) {
      // Known before it is written: it may refer to itself.
      definition = { name: definitionName(key, definitions.size + 1), schema: {} }
      definitions.set(variant, definition)
      definition.schema = write(key, place)
    }
    return { $ref: `#/$defs/${definition.name}` }
  }
  return {
    refer,
    recur(key, place) {
      const target = form.defs.get(key)
      const node = typeof target === 'object' ? target : undefined
      if (subset.recursion === 'nowhere') projector.refuse('recursion', node, 'It refers to itself.')
      if (subset.recursion === 'below_optional' && place.inDefinition && !place.belowOptional) {
        projector.refuse('recursion', node, 'It refers to itself where a value is required.')
      }
      return refer(key, place)
    },
    all() {
      if (definitions.size === 0) return undefined
      return Object.fromEntries([...definitions.values()].map(({ name, schema }) => [name, schema]))
    },
  }
}
