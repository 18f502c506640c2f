// The property that tells the alternatives of a union apart: each of them fixes it by const or enum, and differently.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { distinct, isOneOf } from '../equality.ts'
import { ownValue } from '../json-type.ts'
import type { Effort } from '../judge/effort.ts'
import type { NormalSchema } from '../normal.ts'
import type { Facets } from './facets.ts'

export interface Discriminator {
  readonly name: string
  /** Every value that some alternative takes. */
  readonly allowed: readonly JsonValue[]
  /** The alternatives that take the value that was sent; empty where it is missing or no alternative knows it. */
  readonly chosen: readonly NormalSchema[]
  /** Whether every alternative demands the property. */
  readonly required: boolean
}

const maxNames = 64

export function findDiscriminator(
  facets: Facets,
  alternatives: readonly NormalSchema[],
  value: JsonObject,
  effort: Effort,
): Discriminator | undefined {
  const [first = true] = alternatives
  const names = new Set(facets.of(first).flatMap((facet) => Object.keys(facet.properties ?? {}).slice(0, maxNames)))
  let partial: Discriminator | undefined
  for (const name of [...names].slice(0, maxNames)) {
    const sets = valueSets(facets, alternatives, name)
    const steps = alternatives.length + (sets?.reduce((sum, set) => sum + 2 * set.length, 0) ?? 0)
    if (!effort.spend(steps)) return undefined
    if (sets === undefined) continue
    const given = ownValue(value, name)
    const chosen = alternatives.filter((_, index) => given !== undefined && isOneOf(given, sets[index] ?? []))
    if (chosen.length === alternatives.length) continue
    const allowed = distinct(sets.flat())
    const required = alternatives.every((part) => facets.requires(part, name))
    const found = { name, allowed, chosen, required }
    if (allowed.length === sets.flat().length) return found
    partial ??= allowed.length > Math.max(...sets.map((set) => set.length)) ? found : undefined
  }
  return partial
}

/** Per alternative the values that it takes for the name; undefined unless every alternative lists them. */
function valueSets(
  facets: Facets,
  alternatives: readonly NormalSchema[],
  name: string,
): readonly (readonly JsonValue[])[] | undefined {
  const sets: (readonly JsonValue[])[] = []
  for (const part of alternatives) {
    const values = facets
      .property(part, name)
      .map(facets.values)
      .find((some) => some !== undefined)
    if (values === undefined) return undefined
    sets.push(values)
  }
  return sets
}
