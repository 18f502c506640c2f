// What a schema expects, as a short phrase without an article: "integer from 1 to 100", "string UUID", "array of objects".
// Invariant: bounded in length for every schema, and built from the schema alone.
import type { JsonValue } from '../../json/value.ts'
import { everyType, type TypeSet, typeNames } from '../json-type.ts'
import { type Effort, getOrMake } from '../judge/effort.ts'
import type { NormalObject, NormalSchema, TypeName } from '../normal.ts'
import { counted, cut, escapeUnseen, listWords, quoteDeclared } from './bounded-text.ts'
import type { Facets } from './facets.ts'
import { formatPhrase } from './format-phrase.ts'

const phraseBound = 240
const maxValues = 20
const maxNames = 5
const maxAlternatives = 6
const stepsToDescribe = 20

/** Describes a schema; with `only`, that part of it which concerns values of those types. */
export type Describe = (schema: NormalSchema, only?: TypeSet) => string

export function createDescribe(facets: Facets, effort: Effort): Describe {
  const known = new Map<NormalObject, Map<TypeSet, string>>()
  return function describe(schema, only = everyType) {
    if (typeof schema === 'boolean') return schema ? 'any value' : 'nothing'
    const phrases = getOrMake(known, schema, () => new Map<TypeSet, string>())
    return getOrMake(phrases, only, () =>
      effort.spend(stepsToDescribe) ? cut(describeNode(facets, describe, schema, only), phraseBound) : 'another value',
    )
  }
}

/** `one of "a", "b" and 7 more`, or `exactly "a"`. */
export function allowedValues(values: readonly JsonValue[]): string {
  if (values.length === 1) return `exactly ${quoteDeclared(values[0] ?? null)}`
  const shown = values.slice(0, maxValues).map(quoteDeclared).join(', ')
  return values.length > maxValues ? `one of ${shown} and ${values.length - maxValues} more` : `one of ${shown}`
}

function describeNode(facets: Facets, describe: Describe, schema: NormalObject, only: TypeSet): string {
  const parts = facets.of(schema)
  const values = facets.values(schema)
  const declared = parts.some((part) => part.type !== undefined)
  const types = facets.types(schema) & only
  if (values !== undefined) {
    const names = typeNames(types)
    return declared && names.length === 1 ? `${names[0]}, ${allowedValues(values)}` : allowedValues(values)
  }
  const union = parts.map((part) => part.anyOf ?? part.oneOf).find((branches) => branches !== undefined)
  if (union !== undefined && !parts.some((part) => part.properties !== undefined)) {
    const possible = union.filter((branch) => (facets.types(branch) & types) !== 0)
    const phrases = [...new Set(possible.map((branch) => briefly(describe(branch, types))))]
    if (phrases.length > 0) return listWords(phrases, maxAlternatives, 'or')
  }
  if (types === everyType) return 'any value'
  const phrases = typeNames(types).map((type) => describeType(facets, parts, type))
  return phrases.length === 0 ? 'nothing' : listWords(phrases, 7, 'or')
}

/** Among alternatives the names of an object's properties would run together. */
function briefly(phrase: string): string {
  return phrase.startsWith('object with ') ? 'object' : phrase
}

function describeType(facets: Facets, parts: readonly NormalObject[], type: TypeName): string {
  switch (type) {
    case 'string':
      return describeString(parts)
    case 'number':
    case 'integer':
      return describeNumber(parts, type)
    case 'array':
      return describeArray(facets, parts)
    case 'object':
      return describeObject(parts)
    default:
      return type
  }
}

function describeString(parts: readonly NormalObject[]): string {
  const format = first(parts, 'format')
  const pattern = first(parts, 'pattern')
  const length = amount(most(parts, 'minLength'), least(parts, 'maxLength'), 'character')
  let phrase = format === undefined ? 'string' : formatPhrase(format, 'string')
  if (length !== '') phrase += ` of ${length}`
  if (pattern !== undefined) phrase += ` matching ${escapeUnseen(cut(pattern, 80))}`
  return phrase
}

function describeNumber(parts: readonly NormalObject[], type: 'number' | 'integer'): string {
  const format = first(parts, 'format')
  const step = first(parts, 'multipleOf')
  const noun = format === undefined ? type : formatPhrase(format, type)
  const range = rangeText(parts)
  const steps = step === undefined || step === 1 ? '' : `${range === '' ? '' : ','} multiple of ${step}`
  return `${noun}${range === '' ? '' : ` ${range}`}${steps}`
}

/** `from 1 to 100`, `of at least 1`, `greater than 0 and at most 5`. */
function rangeText(parts: readonly NormalObject[]): string {
  const from = most(parts, 'minimum')
  const above = most(parts, 'exclusiveMinimum')
  const to = least(parts, 'maximum')
  const below = least(parts, 'exclusiveMaximum')
  const open = above !== undefined && (from === undefined || above >= from)
  const openEnd = below !== undefined && (to === undefined || below <= to)
  if (from !== undefined && to !== undefined && !open && !openEnd)
    return from === to ? `${from}` : `from ${from} to ${to}`
  const lower = open ? `greater than ${above}` : from === undefined ? '' : `at least ${from}`
  const upper = openEnd ? `less than ${below}` : to === undefined ? '' : `at most ${to}`
  const range = [lower, upper].filter((side) => side !== '').join(' and ')
  return range.startsWith('at ') ? `of ${range}` : range
}

function describeArray(facets: Facets, parts: readonly NormalObject[]): string {
  const items = parts.map((part) => part.items).find((one) => typeof one === 'object')
  const tuple = parts.map((part) => part.prefixItems).find((one) => one !== undefined)
  const noun = items === undefined || tuple !== undefined ? undefined : itemNoun(facets, items)
  const amountText = amount(
    most(parts, 'minItems'),
    least(parts, 'maxItems'),
    noun?.one ?? 'item',
    noun?.many ?? 'items',
  )
  const unique = parts.some((part) => part.uniqueItems) ? ', no two equal' : ''
  const tail = noun?.tail ?? ''
  if (amountText !== '') return `array of ${amountText}${tail}${unique}`
  return noun === undefined ? `array${unique}` : `array of ${noun.many}${tail}${unique}`
}

interface ItemNoun {
  readonly one: string
  readonly many: string
  readonly tail: string
}

function itemNoun(facets: Facets, items: NormalSchema): ItemNoun | undefined {
  const names = typeNames(facets.types(items))
  const values = facets.values(items)
  if (values !== undefined) {
    const [type] = names
    const noun = names.length === 1 && type !== undefined ? type : 'value'
    return { one: noun, many: `${noun}s`, tail: `, each ${allowedValues(values)}` }
  }
  const [type, ...others] = names
  return type === undefined || others.length > 0 ? undefined : { one: type, many: `${type}s`, tail: '' }
}

function describeObject(parts: readonly NormalObject[]): string {
  const names = [...new Set(parts.flatMap((part) => part.required ?? []))]
  if (names.length === 0) return 'object'
  const shown = names.map((name) => escapeUnseen(cut(name, 40)))
  return `object with ${listWords(shown, maxNames, 'and')}`
}

/** `1 to 5 items`, `at least 1 item`, `at most 5 items`, `2 items`. */
function amount(from: number | undefined, to: number | undefined, noun: string, plural = `${noun}s`): string {
  const lower = from === 0 ? undefined : from
  if (lower !== undefined && to !== undefined) {
    return lower === to ? counted(to, noun, plural) : `${lower} to ${counted(to, noun, plural)}`
  }
  if (lower !== undefined) return `at least ${counted(lower, noun, plural)}`
  return to === undefined ? '' : `at most ${counted(to, noun, plural)}`
}

type NumberKeyword =
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'minLength'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'

function first<K extends keyof NormalObject>(parts: readonly NormalObject[], keyword: K): NormalObject[K] | undefined {
  return parts.find((part) => part[keyword] !== undefined)?.[keyword]
}

function most(parts: readonly NormalObject[], keyword: NumberKeyword): number | undefined {
  const bounds = parts.flatMap((part) => part[keyword] ?? [])
  return bounds.length === 0 ? undefined : Math.max(...bounds)
}

function least(parts: readonly NormalObject[], keyword: NumberKeyword): number | undefined {
  const bounds = parts.flatMap((part) => part[keyword] ?? [])
  return bounds.length === 0 ? undefined : Math.min(...bounds)
}

/** The phrase as the object of a sentence: "a string UUID", "an array of objects", "one of …". */
export function withArticle(phrase: string): string {
  if (/^(?:integer|object|array)\b/.test(phrase)) return `an ${phrase}`
  return /^(?:string|number|boolean)\b/.test(phrase) ? `a ${phrase}` : phrase
}
