// Texts, numbers and lists of values in a provider's subset: bounds meet, what is not carried becomes a sentence.
import { isObject, type JsonValue } from '../../json/value.ts'
import { typeNameOf } from '../../schema/json-type.ts'
import type { NormalObject, TypeName } from '../../schema/normal.ts'
import type { KeptKeyword } from '../dialects/dialect-table.ts'
import type { Projecting, ProjectionPlace, SchemaDraft } from './projecting.ts'

/** Formats that refuse nothing. */
const idleFormats: ReadonlySet<string> = new Set(['double', 'binary', 'password'])

const plainPattern = /^(?:[^\\({]|\\[dwsDWSnrtfv^$.*+?()[\]{}|/\\-]|\((?!\?)|\{[0-9]{1,2}(?:,[0-9]{0,2})?\})*$/u

interface Bound {
  readonly keyword: KeptKeyword
  readonly tighter: (one: number, other: number) => number
  /** What says nearly as much, where this is not carried. */
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

export function projectNumber(
  type: 'number' | 'integer',
  voices: readonly NormalObject[],
  standing: ProjectionPlace,
  projecting: Projecting,
): readonly [SchemaDraft, string[]] {
  const out: SchemaDraft = { type }
  const told: string[] = []
  const read = type === 'integer' ? voices.map((voice) => wholeBounds(voice, projecting)) : voices
  keepBounds(numberBounds, read, voices, out, told, standing, projecting)
  keepFirst('multipleOf', voices, out, told, standing, projecting)
  keepFormat(voices, out, told, standing, projecting)
  return [out, told]
}

export function projectText(
  voices: readonly NormalObject[],
  standing: ProjectionPlace,
  projecting: Projecting,
): readonly [SchemaDraft, string[]] {
  const out: SchemaDraft = { type: 'string' }
  const told: string[] = []
  keepBounds(textBounds, voices, voices, out, told, standing, projecting)
  keepFirst('pattern', voices, out, told, standing, projecting)
  keepFormat(voices, out, told, standing, projecting)
  return [out, told]
}

/** Of whole numbers, "greater than 3" is "at least 4": nothing is lost where only one of the two is carried. */
function wholeBounds(voice: NormalObject, { subset }: Projecting): NormalObject {
  const { exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = voice
  const keepsLow = above === undefined || subset.keywords.has('exclusiveMinimum') || !subset.keywords.has('minimum')
  const keepsHigh = below === undefined || subset.keywords.has('exclusiveMaximum') || !subset.keywords.has('maximum')
  return {
    ...rest,
    ...(above === undefined
      ? {}
      : keepsLow
        ? { exclusiveMinimum: above }
        : { minimum: Math.max(Math.floor(above) + 1, voice.minimum ?? Number.NEGATIVE_INFINITY) }),
    ...(below === undefined
      ? {}
      : keepsHigh
        ? { exclusiveMaximum: below }
        : { maximum: Math.min(Math.ceil(below) - 1, voice.maximum ?? Number.POSITIVE_INFINITY) }),
  }
}

function keepBounds(
  bounds: readonly Bound[],
  read: readonly NormalObject[],
  voices: readonly NormalObject[],
  out: SchemaDraft,
  told: string[],
  standing: ProjectionPlace,
  projecting: Projecting,
): void {
  const carries = (keyword: KeptKeyword | undefined) => keyword !== undefined && projecting.subset.keywords.has(keyword)
  for (const { keyword, tighter, nearly } of bounds) {
    const carried = carries(keyword) ? keyword : carries(nearly) ? nearly : undefined
    for (const [index, voice] of read.entries()) {
      const limit = voice[keyword]
      if (typeof limit !== 'number' || isIdle(keyword, limit)) continue
      const known = carried === undefined ? undefined : out[carried]
      if (carried !== undefined) out[carried] = typeof known === 'number' ? tighter(known, limit) : limit
      if (carried !== keyword) told.push(projecting.lose(voices[index] ?? voice, keyword, standing))
    }
  }
}

const isIdle = (keyword: KeptKeyword, limit: number) => keyword === 'minLength' && limit === 0

/** Of several patterns or steps only one can be carried. */
function keepFirst(
  keyword: 'pattern' | 'multipleOf',
  voices: readonly NormalObject[],
  out: SchemaDraft,
  told: string[],
  standing: ProjectionPlace,
  projecting: Projecting,
): void {
  for (const voice of voices) {
    const value = voice[keyword]
    if (value === undefined || out[keyword] === value) continue
    if (out[keyword] === undefined && isCarried(keyword, value, projecting)) out[keyword] = value
    else told.push(projecting.lose(voice, keyword, standing))
  }
}

function isCarried(keyword: KeptKeyword, value: string | number, { subset }: Projecting): boolean {
  if (!subset.keywords.has(keyword)) return false
  return typeof value === 'number' || subset.patterns === 'any' || plainPattern.test(value)
}

function keepFormat(
  voices: readonly NormalObject[],
  out: SchemaDraft,
  told: string[],
  standing: ProjectionPlace,
  projecting: Projecting,
): void {
  for (const voice of voices) {
    const { format } = voice
    if (format === undefined || out.format === format || idleFormats.has(format)) continue
    if (out.format === undefined && projecting.subset.formats.has(format)) out.format = format
    else if (projecting.form.formats === 'assert') told.push(projecting.lose(voice, 'format', standing))
  }
}

/** The listed values that everybody accepts; undefined where nobody lists any. */
export function valuesLeft(voices: readonly NormalObject[], projecting: Projecting): readonly JsonValue[] | undefined {
  const lists = voices.flatMap((voice) =>
    voice.const === undefined ? (voice.enum === undefined ? [] : [voice.enum]) : [[voice.const]],
  )
  const [first] = lists
  return first?.filter((value) => voices.every((voice) => projecting.accepts(voice, value)))
}

/** Undefined where the subset cannot list values of these kinds. */
export function projectValues(values: readonly JsonValue[], { subset }: Projecting): SchemaDraft | undefined {
  const kinds = values.map(typeNameOf)
  const isListed = values.every((value) => !isObject(value) && !Array.isArray(value))
  if (!isListed) return undefined
  const scalars = kinds.filter((kind) => kind !== 'null')
  const carried = kinds.every((kind) => subset.enumOf.has(kind === 'integer' ? 'number' : (kind as 'string')))
  const types = withNull([...new Set(numbersAlike(scalars))], kinds.includes('null'))
  if (carried) return { type: types, enum: [...values] }
  // Null is a type of its own, and both booleans together are one.
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
