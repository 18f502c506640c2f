// A raw JSON Schema as a list of places, and the few questions that rules ask of one. Local references are followed; work is bounded.
import { readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { mapSubschemas } from '../../surface/schema-positions.ts'

/** One property as it is declared somewhere in the schema. */
export interface PropertyPlace {
  readonly name: string
  readonly pointer: string
  readonly required: boolean
  /** The schema itself and all others about the same value: references, intersections, alternatives. */
  readonly voices: readonly JsonObject[]
}

export interface SchemaPlace {
  readonly pointer: string
  readonly schema: JsonObject
}

const maxPlaces = 20_000
const maxVoices = 200

/** Under these keywords a schema is a condition, not a declaration. */
const conditions: ReadonlySet<string> = new Set(['not', 'if', 'contains', 'propertyNames', 'contentSchema'])

/** Every schema that declares something, in the order of the document, the root included. */
export function placesOf(document: JsonObject): readonly SchemaPlace[] {
  const places: SchemaPlace[] = []
  const visit = (schema: JsonValue, pointer: string): void => {
    if (!isObject(schema) || places.length >= maxPlaces) return
    places.push({ pointer, schema })
    mapSubschemas(schema, pointer, (child, keyword, at) => {
      if (!conditions.has(keyword)) visit(child, at)
      return child
    })
  }
  visit(document, '')
  return places
}

export function propertiesOf(document: JsonObject, places: readonly SchemaPlace[]): readonly PropertyPlace[] {
  return places.flatMap(({ pointer, schema }) => {
    const { properties } = schema
    if (!isObject(properties)) return []
    const required: readonly JsonValue[] = Array.isArray(schema.required) ? schema.required : []
    return Object.entries(properties).map(([name, property]) => ({
      name,
      pointer: `${pointer}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      required: required.includes(name),
      voices: schemaVoices(document, property),
    }))
  })
}

/** All schemas that apply, or may apply, to the same value as the given one. */
export function schemaVoices(document: JsonObject, schema: JsonValue): readonly JsonObject[] {
  const voices = new Set<JsonObject>()
  const listen = (voice: JsonValue | undefined): void => {
    if (!isObject(voice) || voices.has(voice) || voices.size >= maxVoices) return
    voices.add(voice)
    listen(referenced(document, voice))
    for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
      const list = voice[keyword]
      if (Array.isArray(list)) for (const member of list) listen(member)
    }
  }
  listen(schema)
  return [...voices]
}

/** What a local `$ref` names; undefined for none, for another document, and for a name that is no pointer. */
export function referenced(document: JsonObject, schema: JsonObject): JsonValue | undefined {
  const at = referencePointer(schema)
  return at === undefined ? undefined : readPointer(document, at)
}

export function referencePointer({ $ref }: JsonObject): string | undefined {
  if (typeof $ref !== 'string' || !/^#(?:\/(?:[^~]|~[01])*)?$/.test($ref)) return undefined
  try {
    return decodeURIComponent($ref.slice(1))
  } catch {
    return undefined
  }
}

/** The JSON types that some voice names. */
export function typesOf(voices: readonly JsonObject[]): ReadonlySet<string> {
  const types = voices.flatMap(({ type }): readonly JsonValue[] =>
    Array.isArray(type) ? type : type === undefined ? [] : [type],
  )
  return new Set(types.filter((type) => typeof type === 'string'))
}

export const hasKeyword = (voices: readonly JsonObject[], ...keywords: readonly string[]): boolean =>
  voices.some((voice) => keywords.some((keyword) => voice[keyword] !== undefined))

export function descriptionOf(voices: readonly JsonObject[]): string {
  return voices
    .flatMap(({ title, description }) => [title, description])
    .filter((text) => typeof text === 'string')
    .join(' ')
    .trim()
}
