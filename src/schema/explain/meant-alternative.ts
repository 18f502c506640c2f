// Which alternative of a union was meant: by a property that each alternative fixes by const or enum, and differently; else
// by how close the value comes. An error deep inside counts less than one near the top, and many errors under one property
// count as one: a value that gets further into an alternative was meant for it.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { distinct, isOneOf } from '../equality.ts'
import { ownValue } from '../json-type.ts'
import type { Effort } from '../judge/effort.ts'
import type { NormalSchema } from '../normal.ts'
import type { Facets } from './facets.ts'
import type { Finding } from './finding.ts'
import type { Place } from './place.ts'
import type { Walk } from './walk.ts'

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

export interface Closest {
  readonly schema: NormalSchema
  readonly findings: readonly Finding[]
  /** No alternative is better than all others. */
  readonly tied: boolean
  /** Set where all that any alternative lacks are properties: per alternative, which. */
  readonly lacking: readonly (readonly string[])[] | undefined
}

interface Attempt {
  readonly schema: NormalSchema
  readonly findings: readonly Finding[]
  readonly cost: number
  /** How many of the value's names the alternative declares. */
  readonly known: number
}

/** Of more alternatives than this, only those are tried that declare most of the value's names. */
const maxAttempts = 32

export function closest(walk: Walk, alternatives: readonly NormalSchema[], place: Place): Closest {
  const ranked = alternatives.map((schema) => ({ schema, known: knownNames(walk, schema, place) }))
  if (ranked.length > maxAttempts) ranked.sort((one, other) => other.known - one.known)
  const attempts: Attempt[] = []
  for (const { schema, known } of ranked.slice(0, maxAttempts)) {
    const scratch = walk.scratch()
    walk.visit(schema, place, scratch)
    walk.judge.effort.spend(scratch.all.length)
    attempts.push({ schema, known, findings: scratch.all, cost: costOf(scratch.all, place) })
  }
  const order = [...attempts].sort(compare)
  const [best, second] = order
  if (best === undefined) throw new Error('A union without alternatives has no closest one')
  return {
    schema: best.schema,
    findings: best.findings,
    tied: second !== undefined && compare(best, second) === 0,
    lacking: alternatives.length > 1 ? lackingNames(attempts, place) : undefined,
  }
}

function compare(one: Attempt, other: Attempt): number {
  return one.cost - other.cost || other.known - one.known
}

function knownNames(walk: Walk, schema: NormalSchema, place: Place): number {
  const { value } = place
  if (!isObject(value)) return 0
  let known = 0
  for (const facet of walk.facets.of(schema)) {
    const names = Object.keys(facet.properties ?? {})
    if (!walk.judge.effort.spend(1 + names.length / 4)) break
    for (const name of names) if (Object.hasOwn(value, name)) known++
  }
  return known
}

const weights = { type: 3, structure: 2, constraint: 1 } as const

function costOf(findings: readonly Finding[], place: Place): number {
  let here = 0
  const below = new Map<string | number, number>()
  for (const finding of findings) {
    const fixed = finding.keyword === 'const' || finding.keyword === 'enum'
    const weight = fixed ? weights.type : weights[finding.kind]
    const depth = finding.place.depth - place.depth
    if (depth === 0) {
      here += 2 * weight
      continue
    }
    const first = stepBelow(finding.place, place.depth)
    const cost = weight * 0.5 ** (depth - 1)
    below.set(first, Math.max(below.get(first) ?? 0, cost))
  }
  return [...below.values()].reduce((sum, cost) => sum + cost, here)
}

function stepBelow(place: Place, depth: number): string | number {
  let here = place
  while (here.parent !== undefined && here.depth > depth + 1) here = here.parent
  return here.token
}

function lackingNames(attempts: readonly Attempt[], place: Place): readonly (readonly string[])[] | undefined {
  const onlyMissing = attempts.every(({ findings }) =>
    findings.every(({ keyword, place: at }) => keyword === 'required' && at.depth === place.depth + 1),
  )
  return onlyMissing
    ? attempts.map(({ findings }) => findings.map((finding) => String(finding.place.token)))
    : undefined
}
