// Texts, numbers and lists of values in a provider's subset: bounds meet, what is not carried becomes a sentence.
import { isObject, type JsonValue } from '../../json/value.ts'
import { typeNameOf } from '../../schema/json-type.ts'
import type { NormalObject, TypeName } from '../../schema/normal.ts'
import type { KeptKeyword } from '../dialects/dialect-table.ts'
import { type FacetsAt, joinForms, type Projector, type SchemaDraft, type WrittenForm } from './projector.ts'

/** Formats that refuse nothing. */
const idleFormats: ReadonlySet<string> = new Set(['double', 'binary', 'password'])

const plainPattern = /^(?:[^\\({]|\\[dwsDWSnrtfv^$.*+?()[\]{}|/\\-]|\((?!\?)|\{[0-9]{1,2}(?:,[0-9]{0,2})?\})*$/u

interface Bound {
  readonly keyword: KeptKeyword
  readonly tighter: (one: number, other: number) => number
  /** The keyword that is nearly as strict, for where this one is not carried. */
  readonly nearly?: KeptKeyword
}

const numberBounds: readonly Bound[] = [
  { keyword: 'minimum', tighter: Math.max },
  { keyword: 'maximum', tighter: Math.min },
  { keyword: 'exclusiveMinimum', tighter: Math.max, nearly: 'minimum' },
  { keyword: 'exclusiveMaximum', tighter: Math.min, nearly: 'maximum' },
]
const textBounds: readonly Bound[] = [
  { keyword: 'minLength', tighter: Math.max },
  { keyword: 'maxLength', tighter: Math.min },
]

export function projectNumber(type: 'number' | 'integer', at: FacetsAt): WrittenForm {
  const read = type === 'integer' ? at.facets.map((facet) => wholeBounds(facet, at.projector)) : at.facets
  const bounds = projectBounds(numberBounds, read, at)
  return joinForms({ out: { type }, sentences: [] }, bounds, projectFirst('multipleOf', at), projectFormat(at))
}

export function projectText(at: FacetsAt): WrittenForm {
  const bounds = projectBounds(textBounds, at.facets, at)
  return joinForms({ out: { type: 'string' }, sentences: [] }, bounds, projectFirst('pattern', at), projectFormat(at))
}

/** Of whole numbers, "greater than 3" is "at least 4": nothing is lost where only one of the two is carried. */
function wholeBounds(facet: NormalObject, { subset }: Projector): NormalObject {
  const { exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = facet
  const keepsLow = above === undefined || subset.keywords.has('exclusiveMinimum') || !subset.keywords.has('minimum')
  const keepsHigh = below === undefined || subset.keywords.has('exclusiveMaximum') || !subset.keywords.has('maximum')
  return {
    ...rest,
    ...(above === undefined
      ? {}
      : keepsLow
        ? { exclusiveMinimum: above }
        : { minimum: Math.max(Math.floor(above) + 1, facet.minimum ?? Number.NEGATIVE_INFINITY) }),
    ...(below === undefined
      ? {}
      : keepsHigh
        ? { exclusiveMaximum: below }
        : { maximum: Math.min(Math.ceil(below) - 1, facet.maximum ?? Number.POSITIVE_INFINITY) }),
  }
}

/** `read` are the facets as their bounds are read, one for each. */
function projectBounds(bounds: readonly Bound[], read: readonly NormalObject[], at: FacetsAt): WrittenForm {
  const { facets, place, projector } = at
  const out: SchemaDraft = {}
  const sentences: string[] = []
  const carries = (keyword: KeptKeyword | undefined) => keyword !== undefined && projector.subset.keywords.has(keyword)
  for (const { keyword, tighter, nearly } of bounds) {
    const carried = carries(keyword) ? keyword : carries(nearly) ? nearly : undefined
    for (const [index, facet] of read.entries()) {
      const limit = facet[keyword]
      if (typeof limit !== 'number' || isIdle(keyword, limit)) continue
      const known = carried === undefined ? undefined : out[carried]
      if (carried !== undefined) out[carried] = typeof known === 'number' ? tighter(known, limit) : limit
      if (carried !== keyword) sentences.push(projector.lose(facets[index] ?? facet, keyword, place))
    }
  }
  return { out, sentences }
}

const isIdle = (keyword: KeptKeyword, limit: number) => keyword === 'minLength' && limit === 0

/** Of several patterns or steps only one can be carried. */
function projectFirst(keyword: 'pattern' | 'multipleOf', { facets, place, projector }: FacetsAt): WrittenForm {
  let carried: string | number | undefined
  const sentences: string[] = []
  for (const facet of facets) {
    const value = facet[keyword]
    if (value === undefined || carried === value) continue
    if (carried === undefined && isCarried(keyword, value, projector)) carried = value
    else sentences.push(projector.lose(facet, keyword, place))
  }
  return { out: carried === undefined ? {} : { [keyword]: carried }, sentences }
}

function isCarried(keyword: KeptKeyword, value: string | number, { subset }: Projector): boolean {
  if (!subset.keywords.has(keyword)) return false
  return typeof value === 'number' || subset.patterns === 'any' || plainPattern.test(value)
}

function projectFormat({ facets, place, projector }: FacetsAt): WrittenForm {
  const { subset, form } = projector
  let carried: string | undefined
  const sentences: string[] = []
  for (const facet of facets) {
    const { format } = facet
    if (format === undefined || carried === format || idleFormats.has(format)) continue
    if (carried === undefined && subset.formats.has(format)) carried = format
    else if (form.formats === 'assert') sentences.push(projector.lose(facet, 'format', place))
  }
  return { out: carried === undefined ? {} : { format: carried }, sentences }
}

/** The listed values that all facets accept; undefined where no facet lists any. */
export function valuesLeft(facets: readonly NormalObject[], projector: Projector): readonly JsonValue[] | undefined {
  const lists = facets.flatMap((facet) =>
    facet.const === undefined ? (facet.enum === undefined ? [] : [facet.enum]) : [[facet.const]],
  )
  const [first] = lists
  return first?.filter((value) => facets.every((facet) => projector.accepts(facet, value)))
}

/** Undefined where the subset cannot list values of these kinds. */
export function projectValues(values: readonly JsonValue[], { subset }: Projector): SchemaDraft | undefined {
  const kinds = values.map(typeNameOf)
  const isListed = values.every((value) => !isObject(value) && !Array.isArray(value))
  if (!isListed) return undefined
  const scalars = kinds.filter((kind) => kind !== 'null')
  const carried = kinds.every((kind) => subset.enumOf.has(kind === 'integer' ? 'number' : (kind as 'string')))
  const types = withNull([...new Set(numbersAlike(scalars))], kinds.includes('null'))
  if (carried) return { type: types, enum: [...values] }
  // Null alone is a type, and both booleans together are one.
  if (scalars.length === 0) return { type: 'null' }
  const others = values.filter((value) => value !== null)
  const othersCarried = scalars.every((kind) => subset.enumOf.has(kind === 'integer' ? 'number' : (kind as 'string')))
  if (othersCarried)
    return { anyOf: [{ type: withNull([...new Set(numbersAlike(scalars))], false), enum: others }, { type: 'null' }] }
  return scalars.every((kind) => kind === 'boolean') && new Set(others).size === 2
    ? { type: withNull(['boolean'], kinds.includes('null')) }
    : undefined
}

function numbersAlike(kinds: readonly TypeName[]): readonly TypeName[] {
  return kinds.includes('number') ? kinds.map((kind) => (kind === 'integer' ? 'number' : kind)) : kinds
}

export function withNull(types: readonly TypeName[], nullable: boolean): JsonValue {
  const all = nullable ? [...types, 'null' as const] : types
  return all.length === 1 ? (all[0] as TypeName) : [...all]
}
