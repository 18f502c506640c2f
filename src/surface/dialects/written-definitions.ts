// The definitions that a projection refers to: each is written once, and inside of unions once more, because there other things are
// refused.
import type { JsonObject } from '../../json/value.ts'
import { definitionName } from './definitions.ts'
import type { Projecting, Standing } from './projecting.ts'

export interface WrittenDefinitions {
  /** A reference to the definition, which is written if it is not yet. */
  refer(key: string, standing: Standing): JsonObject
  /** The same for one that refers to itself, where the provider takes such. */
  recur(key: string, standing: Standing): JsonObject
  /** All that were written, by name; undefined for none. */
  all(): JsonObject | undefined
}

export function createWrittenDefinitions(projecting: Projecting): WrittenDefinitions {
  const { form, subset } = projecting
  const definitions = new Map<string, { readonly name: string; schema: JsonObject }>()

  const write = (key: string, standing: Standing): JsonObject => {
    const below = { ...standing, isRoot: false, inDefinition: true, belowOptional: false, unfolding: new Set([key]) }
    const target = form.defs.get(key) ?? true
    const written = projecting.project(typeof target === 'boolean' ? [target] : [target, {}], below)
    if (written === undefined)
      projecting.refuse('unsatisfiable', undefined, 'A definition that no value fits is referred to.')
    return written ?? {}
  }
  const refer = (key: string, standing: Standing): JsonObject => {
    const variant = `${standing.inUnion ? 'union' : 'plain'} ${key}`
    let definition = definitions.get(variant)
    if (definition === undefined) {
      // Known before it is written: it may refer to itself.
      definition = { name: definitionName(key, definitions.size + 1), schema: {} }
      definitions.set(variant, definition)
      definition.schema = write(key, standing)
    }
    return { $ref: `#/$defs/${definition.name}` }
  }
  return {
    refer,
    recur(key, standing) {
      const target = form.defs.get(key)
      const node = typeof target === 'object' ? target : undefined
      if (subset.recursion === 'nowhere') projecting.refuse('recursion', node, 'It refers to itself.')
      if (subset.recursion === 'below_optional' && standing.inDefinition && !standing.belowOptional) {
        projecting.refuse('recursion', node, 'It refers to itself where a value is required.')
      }
      return refer(key, standing)
    },
    all() {
      if (definitions.size === 0) return undefined
      return Object.fromEntries([...definitions.values()].map(({ name, schema }) => [name, schema]))
    },
  }
}
