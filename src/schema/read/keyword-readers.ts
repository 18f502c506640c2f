// One reader per kind of keyword: checks the value's shape and writes it into the normal form.
// Invariant: a malformed value is refused by name and place; it is never read as something weaker.
import { nearestNames } from '../../json/nearest.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { formatCheck, formatNames } from '../formats/formats.ts'
import { ownValue } from '../json-type.ts'
import { allTypes, type FormatMode, type NormalObject, type NormalSchema, nameMap, type TypeName } from '../normal.ts'
import { simulatedSteps, usablePattern } from '../patterns/pattern-test.ts'
import type { KeywordKind } from './dialects.ts'

export type NormalBuilder = { -readonly [K in keyof NormalObject]: NormalObject[K] }

/** A schema object being read, as its readers see it. */
export interface ReadContext {
  readonly source: JsonObject
  readonly out: NormalBuilder
  readonly formats: FormatMode
  /** Reads the schema at some tokens below this one. */
  child(tokens: readonly (string | number)[], value: JsonValue): NormalSchema
  /** Adds a reference, and refuses one that leads nowhere. */
  refer(word: string, reference: string): void
  /** The place is the keyword, or what lies at the tokens below it. */
  refuse(word: string, message: string, below?: readonly (string | number)[]): void
}

type Reader = (context: ReadContext, word: string, value: JsonValue) => void

const skip: Reader = () => undefined

/** Every keyword kind has its row. */
export const keywordReaders: Readonly<Record<KeywordKind, Reader>> = {
  type: readType,
  values: (context, word, value) => {
    if (Array.isArray(value)) context.out.enum = value
    else context.refuse(word, 'enum must be an array of the allowed values; for a single one write enum with one item')
  },
  value: (context, _word, value) => {
    context.out.const = value
  },
  number: (context, word, value) => {
    if (isFiniteNumber(value)) set(context.out, word, value)
    else if (typeof value === 'boolean') {
      const bound = word.includes('Maximum') ? 'maximum' : 'minimum'
      context.refuse(word, `${word} must be a number in this dialect; write the bound here instead of beside ${bound}`)
    } else context.refuse(word, `${word} must be a number`)
  },
  positive: (context, word, value) => {
    if (isFiniteNumber(value) && value > 0) set(context.out, word, value)
    else context.refuse(word, `${word} must be a number greater than 0`)
  },
  count: (context, word, value) => {
    if (isFiniteNumber(value) && Number.isInteger(value) && value >= 0) set(context.out, word, value)
    else context.refuse(word, `${word} must be a whole number, 0 or more`)
  },
  flag: (context, word, value) => {
    if (typeof value !== 'boolean') context.refuse(word, `${word} must be true or false`)
    else if (value) set(context.out, word, true)
  },
  'exclusive-flag': readExclusiveFlag,
  nullable: (context, word, value) => {
    if (typeof value !== 'boolean') context.refuse(word, `${word} must be true or false`)
  },
  pattern: (context, word, value) => {
    if (typeof value !== 'string') context.refuse(word, 'pattern must be a string')
    else if (isUsablePattern(context, word, { source: value, maxLength: context.source.maxLength }))
      context.out.pattern = value
  },
  format: readFormat,
  text: (context, word, value) => {
    if (typeof value === 'string') set(context.out, word, value)
  },
  names: (context, word, value) => {
    const names = readNames(context, word, value, [])
    if (names !== undefined) context.out.required = names
  },
  'names-map': (context, word, value) => {
    if (!isObject(value)) {
      context.refuse(word, `${word} must be an object of lists of property names`)
      return
    }
    const map = nameMap<readonly string[]>()
    for (const name of Object.keys(value)) {
      const names = readNames(context, word, value[name] as JsonValue, [name])
      if (names !== undefined) map[name] = names
    }
    context.out.dependentRequired = map
  },
  schema: (context, word, value) => {
    set(context.out, word, context.child([word], value))
  },
  schemas: (context, word, value) => {
    const schemas = readSchemas(context, word, value)
    // References may already have put something into allOf.
    if (schemas !== undefined)
      set(context.out, word, word === 'allOf' ? [...(context.out.allOf ?? []), ...schemas] : schemas)
  },
  'schema-map': (context, word, value) => {
    const map = readSchemaMap(context, word, value)
    if (map !== undefined) set(context.out, word, map)
  },
  'pattern-map': (context, word, value) => {
    const map = readSchemaMap(context, word, value)
    if (map === undefined) return
    for (const source of Object.keys(map)) isUsablePattern(context, word, { source, below: [source] })
    context.out.patternProperties = map
  },
  dependencies: readDependencies,
  'items-or-tuple': (context, word, value) => {
    if (!Array.isArray(value)) context.out.items = context.child([word], value)
    else if (value.length > 0) {
      context.out.prefixItems = value.map((item, index) => context.child([word, index], item))
    }
  },
  'additional-items': (context, word, value) => {
    if (Array.isArray(context.source.items)) context.out.items = context.child([word], value)
  },
  'contains-silent': (context, word, value) => {
    context.out.contains = context.child([word], value)
  },
  reference: readReference,
  'dynamic-reference': readReference,
  'recursive-reference': (context, word, value) => {
    if (value === '#') context.refer(word, value)
    else context.refuse(word, '$recursiveRef can only be "#"; write $ref to name another place')
  },
  identity: skip,
  definitions: skip,
  note: skip,
  'note-schema': skip,
}

/** The word is the name of the field; its reader has checked the value. */
function set(out: NormalBuilder, word: string, value: unknown): void {
  ;(out as Record<string, unknown>)[word] = value
}

function readType(context: ReadContext, word: string, value: JsonValue): void {
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [value]
  const names: TypeName[] = []
  for (const [index, name] of list.entries()) {
    const known = allTypes.find((typeName) => typeName === name)
    if (known !== undefined) names.push(known)
    else {
      const near = typeof name === 'string' ? nearestNames(name, allTypes, 1)[0] : undefined
      const hint = near === undefined ? `write one of ${allTypes.join(', ')}` : `did you mean ${JSON.stringify(near)}?`
      context.refuse(word, `${JSON.stringify(name)} is no type; ${hint}`, Array.isArray(value) ? [index] : [])
    }
  }
  if (list.length === 0) context.refuse(word, 'type must name at least one type')
  context.out.type = [...new Set(names)]
}

function readExclusiveFlag(context: ReadContext, word: string, value: JsonValue): void {
  const bound = word === 'exclusiveMaximum' ? 'maximum' : 'minimum'
  const limit = ownValue(context.source, bound)
  if (typeof value !== 'boolean') {
    context.refuse(word, `${word} must be true or false in this dialect, beside a number in ${bound}`)
  } else if (value && isFiniteNumber(limit)) context.out[word as 'exclusiveMaximum' | 'exclusiveMinimum'] = limit
}

function readFormat(context: ReadContext, word: string, value: JsonValue): void {
  if (typeof value !== 'string') context.refuse(word, 'format must be a string')
  else if (context.formats === 'annotate' || formatCheck(value) !== undefined) context.out.format = value
  else {
    const near = nearestNames(value, formatNames, 1)[0]
    const hint =
      near === undefined ? `the known ones are ${formatNames.join(', ')}` : `did you mean ${JSON.stringify(near)}?`
    context.refuse(word, `The format ${JSON.stringify(value)} is not known; ${hint}`)
  }
}

/** What a pattern of many steps may cost at most: its steps times the characters of the text. */
const maxPatternWork = 20_000_000
/** Patterns of fewer steps may meet texts of any length. */
const freeSteps = 1000

interface PlacedPattern {
  readonly source: string
  readonly maxLength?: JsonValue | undefined
  /** The tokens below the keyword. */
  readonly below?: readonly string[]
}

function isUsablePattern(context: ReadContext, word: string, { source, maxLength, below }: PlacedPattern): boolean {
  const usable = usablePattern(source)
  const reason = usable.ok ? tooMuchWork(source, maxLength) : usable.reason
  if (reason === undefined) return true
  const shown = source.length > 200 ? `${source.slice(0, 200)}…` : source
  context.refuse(word, `The pattern ${JSON.stringify(shown)} cannot be used: ${reason}`, below)
  return false
}

function tooMuchWork(source: string, maxLength: JsonValue | undefined): string | undefined {
  const steps = simulatedSteps(source)
  const length = Math.floor(maxPatternWork / Math.max(1, steps))
  if (steps <= freeSteps || (isFiniteNumber(maxLength) && maxLength <= length)) return undefined
  return `it has ${steps} steps; more than ${freeSteps} need a maxLength of at most ${length} beside the pattern`
}

function readNames(
  context: ReadContext,
  word: string,
  value: JsonValue,
  below: readonly string[],
): readonly string[] | undefined {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return [...new Set<string>(value)]
  const hint =
    typeof value === 'boolean' && below.length === 0 ? '; list the names on the object, not on its property' : ''
  context.refuse(word, `${word} must be an array of property names${hint}`, below)
  return undefined
}

function readSchemas(context: ReadContext, word: string, value: JsonValue): readonly NormalSchema[] | undefined {
  if (Array.isArray(value) && value.length > 0) return value.map((item, index) => context.child([word, index], item))
  context.refuse(word, `${word} must be an array of at least one schema`)
  return undefined
}

function readSchemaMap(context: ReadContext, word: string, value: JsonValue): Record<string, NormalSchema> | undefined {
  if (!isObject(value)) {
    context.refuse(word, `${word} must be an object of schemas`)
    return undefined
  }
  const map = nameMap<NormalSchema>()
  for (const name of Object.keys(value)) map[name] = context.child([word, name], value[name] as JsonValue)
  return map
}

function readDependencies(context: ReadContext, word: string, value: JsonValue): void {
  if (!isObject(value)) {
    context.refuse(word, 'dependencies must be an object')
    return
  }
  const names = nameMap<readonly string[]>()
  const schemas = nameMap<NormalSchema>()
  for (const name of Object.keys(value)) {
    const dependency = value[name] as JsonValue
    if (!Array.isArray(dependency)) schemas[name] = context.child([word, name], dependency)
    else names[name] = readNames(context, word, dependency, [name]) ?? []
  }
  if (Object.keys(names).length > 0) context.out.dependentRequired = names
  if (Object.keys(schemas).length > 0) context.out.dependentSchemas = schemas
}

function readReference(context: ReadContext, word: string, value: JsonValue): void {
  if (typeof value === 'string') context.refer(word, value)
  else context.refuse(word, `${word} must be a string`)
}

function isFiniteNumber(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
