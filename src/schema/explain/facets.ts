// A schema seen as the list of parts that must all hold: itself, what it refers to, and its allOf, through all levels.
// Bounded, so that a hostile web of references costs a constant; what lies beyond only makes a text less precise.
import type { JsonValue } from '../../json/value.ts'
import { everyType, noType, type TypeSet, typeBit, typeSet } from '../json-type.ts'
import { getOrMake } from '../judge/effort.ts'
import { declaredProperty, type Judge } from '../judge/judge.ts'
import type { NormalObject, NormalSchema } from '../normal.ts'

const maxFacets = 48

export interface Facets {
  of(schema: NormalSchema): readonly NormalObject[]
  /** A superset of the JSON types that the schema accepts. */
  types(schema: NormalSchema): TypeSet
  /** The declared schemas of a property, over all facets. */
  property(schema: NormalSchema, name: string): readonly NormalSchema[]
  /** Every name that some facet declares. */
  propertyNames(schema: NormalSchema): readonly string[]
  requires(schema: NormalSchema, name: string): boolean
  /** The values that a const or enum leaves, or undefined where there is neither. */
  values(schema: NormalSchema): readonly JsonValue[] | undefined
}

export function createFacets(judge: Judge): Facets {
  const lists = new Map<NormalObject, readonly NormalObject[]>()
  const sets = new Map<NormalObject, TypeSet>()
  const names = new Map<NormalObject, readonly string[]>()
  const declared = new Map<NormalObject, Map<string, readonly NormalSchema[]>>()

  function of(schema: NormalSchema): readonly NormalObject[] {
    if (typeof schema === 'boolean') return []
    const known = lists.get(schema)
    if (known !== undefined) return known
    const found = new Set<NormalObject>()
    gather(judge, schema, found)
    judge.effort.spend(found.size)
    const list = [...found]
    lists.set(schema, list)
    return list
  }

  /** Kept per schema: what applies in place never leads back to itself, so this ends and is linear. */
  function types(schema: NormalSchema): TypeSet {
    if (typeof schema === 'boolean') return schema ? everyType : noType
    const known = sets.get(schema)
    if (known !== undefined) return known
    let set = everyType
    if (judge.effort.isSpent()) return set
    for (const facet of of(schema)) {
      judge.effort.spend(1 + (facet.enum?.length ?? 0) / 4 + (facet.anyOf?.length ?? 0) + (facet.oneOf?.length ?? 0))
      if (facet.type !== undefined) set &= typeSet(facet.type)
      if (facet.const !== undefined) set &= typeBit(facet.const)
      if (facet.enum !== undefined) set &= facet.enum.reduce<TypeSet>((all, value) => all | typeBit(value), noType)
      for (const union of [facet.anyOf, facet.oneOf]) {
        if (union !== undefined) set &= union.reduce<TypeSet>((all, part) => all | types(part), noType)
      }
    }
    if (!judge.effort.isSpent()) sets.set(schema, set)
    return set
  }

  return {
    of,
    types,
    property(schema, name) {
      if (typeof schema === 'boolean') return []
      const known = getOrMake(declared, schema, () => new Map<string, readonly NormalSchema[]>())
      return getOrMake(known, name, () => of(schema).flatMap((facet) => declaredProperty(facet, name) ?? []))
    },
    propertyNames(schema) {
      if (typeof schema === 'boolean') return []
      return getOrMake(names, schema, () => [
        ...new Set(of(schema).flatMap((facet) => Object.keys(facet.properties ?? {}))),
      ])
    },
    requires: (schema, name) =>
      of(schema).some((facet) => {
        const { required = [] } = facet
        return judge.effort.spend(required.length / 8) && required.includes(name)
      }),
    values(schema) {
      for (const facet of of(schema)) {
        if (facet.const !== undefined) return [facet.const]
        if (facet.enum !== undefined) return facet.enum
      }
      return undefined
    },
  }
}

function gather(judge: Judge, schema: NormalSchema, found: Set<NormalObject>): void {
  if (typeof schema === 'boolean' || found.has(schema) || found.size >= maxFacets) return
  found.add(schema)
  if (schema.$ref !== undefined) gather(judge, judge.target(schema.$ref), found)
  for (const part of schema.allOf ?? []) gather(judge, part, found)
}
