// Hints about property names: a misspelt name, a required property sent under another name, an object wrapped in another.
// Invariant: bounded work however many names were sent; what the budget leaves out is only a hint.
import { nearestNames } from '../../json/nearest.ts'
import { isObject } from '../../json/value.ts'
import { type Effort, getOrMake } from '../judge/effort.ts'
import type { Judge } from '../judge/judge.ts'
import type { Rules } from '../judge/rules.ts'
import type { Facets } from './facets.ts'
import type { Place } from './place.ts'

export interface NameHints {
  /** Whether there is still room to compare a name with so many others. */
  mayCompare(count: number): boolean
  /** The declared name that was probably meant. */
  meant(name: string, known: readonly string[]): string | undefined
  /** The undeclared key under which a required property was probably sent. */
  sentAs(place: Place): string | undefined
  /** The undeclared key of this object that holds the declared names one level too deep. */
  wrapper(place: Place): string | undefined
  /** Every name that some schema applied to this object declares. */
  declared(place: Place): ReadonlySet<string>
  /** Names that are declared one level further in, each with the property that holds it. */
  inner(place: Place): ReadonlyMap<string, string>
}

/** Comparisons of two names, about 1 µs each. */
const comparisons = 5_000
/** Names looked up: more wrong names than this are not spelling mistakes. */
const lookups = 50
const maxStrays = 64
const maxInner = 2_000

export function createNameHints({ rules, effort }: Judge, facets: Facets): NameHints {
  let left = comparisons
  let lookupsLeft = lookups
  const declaredAt = new Map<Place, ReadonlySet<string>>()
  const straysAt = new Map<Place, readonly string[]>()
  const innerAt = new Map<Place, ReadonlyMap<string, string>>()
  const wrapperAt = new Map<Place, string | undefined>()

  function mayCompare(count: number): boolean {
    return count > 0 && left >= count && lookupsLeft > 0
  }

  function nearest(name: string, known: readonly string[]): string | undefined {
    if (!mayCompare(known.length)) return undefined
    left -= known.length
    lookupsLeft--
    return nearestNames(name, known, 1)[0]
  }

  function declared(place: Place): ReadonlySet<string> {
    return getOrMake(declaredAt, place, () => {
      const names = new Set<string>()
      for (const { properties = {}, required = [] } of place.applied ?? []) {
        const declaredHere = Object.keys(properties)
        if (!effort.spend(1 + declaredHere.length + required.length)) break
        for (const name of declaredHere) names.add(name)
        for (const name of required) names.add(name)
      }
      return names
    })
  }

  function strays(place: Place): readonly string[] {
    return getOrMake(straysAt, place, () => {
      const known = declared(place)
      return isObject(place.value) ? firstOf(rules.keys(place.value), maxStrays, (key) => !known.has(key)) : []
    })
  }

  return {
    mayCompare,
    declared,
    inner: (place) => getOrMake(innerAt, place, () => innerNames(facets, place, effort)),
    meant: nearest,
    sentAs({ parent, token }) {
      if (parent === undefined || typeof token !== 'string') return undefined
      return nearest(token, strays(parent))
    },
    wrapper(place) {
      return getOrMake(wrapperAt, place, () => findWrapper(rules, place, declared(place), strays(place)))
    },
  }
}

function innerNames(facets: Facets, place: Place, effort: Effort): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const node of place.applied ?? []) {
    for (const [holder, schema] of Object.entries(node.properties ?? {})) {
      const names = facets.propertyNames(schema)
      if (!effort.spend(1 + names.length)) return found
      for (const name of names) {
        if (found.size >= maxInner) return found
        if (!found.has(name)) found.set(name, holder)
      }
    }
  }
  return found
}

function findWrapper(
  rules: Rules,
  place: Place,
  known: ReadonlySet<string>,
  strays: readonly string[],
): string | undefined {
  const { value } = place
  if (!isObject(value) || known.size === 0) return undefined
  for (const name of known) if (Object.hasOwn(value, name)) return undefined
  return strays.find((key) => {
    const inner = value[key]
    if (!isObject(inner)) return false
    const names = rules.keys(inner).slice(0, maxStrays)
    return names.length > 0 && 2 * names.filter((name) => known.has(name)).length >= names.length
  })
}

function firstOf(keys: readonly string[], bound: number, wanted: (key: string) => boolean): readonly string[] {
  const found: string[] = []
  for (const key of keys) {
    if (found.length >= bound) break
    if (wanted(key)) found.push(key)
  }
  return found
}
