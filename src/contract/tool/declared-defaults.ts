// The defaults that an input schema declares, as it is written: in `properties`, through `allOf` and references into the same document. The
// author says by them what happens where an argument is left out, so an argument that is given as its default and one that is left out are
// the same. Nothing of it is added to what the executor gets.
import { appendPointer, isPointer, readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'

type Parts = readonly JsonObject[]

/**
 * Arguments with the defaults of those that were left out, at any depth. What is there stays, and what has no default stays away. The same
 * object where nothing was left out that has one.
 */
export type FillDefaults = (args: JsonObject) => JsonObject

const fillings = new WeakMap<JsonObject, FillDefaults | 'none'>()

/** Undefined for a schema without defaults: there is nothing to do for its calls. Looked for once for each schema. */
export function fillDefaultsOf(schema: JsonObject): FillDefaults | undefined {
  const known = fillings.get(schema)
  if (known !== undefined) return known === 'none' ? undefined : known
  const fill = JSON.stringify(schema).includes('"default":') ? createFilling(schema) : undefined
  fillings.set(schema, fill ?? 'none')
  return fill
}

interface Place {
  readonly parts: Parts
  readonly defaults: ReadonlyMap<string, JsonValue>
  readonly members: Map<string, Place>
  items?: Place
}

function createFilling(schema: JsonObject): FillDefaults {
  // A place is known by the schemas that apply there: in one that refers to itself there are no more of them than in its text.
  const numbers = new Map<JsonObject, number>()
  const places = new Map<string, Place>()
  const numberOf = (part: JsonObject) => {
    const number = numbers.get(part) ?? numbers.size
    numbers.set(part, number)
    return number
  }
  const placeOf = (start: Parts): Place => {
    const parts = withReferences(start, schema)
    const name = parts.map(numberOf).join(' ')
    const place = places.get(name) ?? { parts, defaults: defaultsOf(parts, schema), members: new Map() }
    places.set(name, place)
    return place
  }
  const fill = (value: JsonValue, place: Place): JsonValue => {
    if (place.parts.length === 0) return value
    if (isObject(value)) return fillObject(value, place)
    if (!Array.isArray(value)) return value
    const items: readonly JsonValue[] = value
    place.items ??= placeOf(place.parts.flatMap(itemSchemas))
    const { items: inner } = place
    const filled = items.map((item) => fill(item, inner))
    return filled.some((item, index) => item !== items[index]) ? filled : value
  }
  const fillObject = (value: JsonObject, place: Place): JsonObject => {
    const left = [...place.defaults].filter(([key]) => !Object.hasOwn(value, key))
    let isSame = left.length === 0
    const filled = [...Object.entries(value), ...left].map(([key, member]): [string, JsonValue] => {
      if (typeof member !== 'object' || member === null) return [key, member]
      const inner = place.members.get(key) ?? placeOf(propertySchemas(place.parts, key))
      // Names that a model chose are not kept.
      if (inner.parts.length > 0) place.members.set(key, inner)
      const whole = fill(member, inner)
      isSame &&= whole === member
      return [key, whole]
    })
    return isSame ? value : Object.fromEntries(filled)
  }
  const root = placeOf([schema])
  return (args) => fillObject(args, root)
}

const itemSchemas = ({ items, prefixItems }: JsonObject): Parts =>
  isObject(items) && prefixItems === undefined ? [items] : []

/** One argument with where it stands, or what the schema declares for one that was left out. */
export interface DeclaredArgument {
  readonly pointer: string
  readonly value: JsonValue
  readonly origin: 'given' | 'default'
}

/** Every argument down to what is no object, then what was left out and has a default. */
export function concreteArguments(args: JsonObject, schema: JsonObject): readonly DeclaredArgument[] {
  const rows: DeclaredArgument[] = []
  const visit = (value: JsonValue, pointer: string, parts: Parts) => {
    if (!isObject(value)) {
      rows.push({ pointer, value, origin: 'given' })
      return
    }
    const before = rows.length
    for (const [key, member] of Object.entries(value)) {
      visit(member, appendPointer(pointer, key), withReferences(propertySchemas(parts, key), schema))
    }
    for (const [key, value_] of defaultsOf(parts, schema)) {
      if (!Object.hasOwn(value, key))
        rows.push({ pointer: appendPointer(pointer, key), value: value_, origin: 'default' })
    }
    if (rows.length === before && pointer !== '') rows.push({ pointer, value, origin: 'given' })
  }
  visit(args, '', withReferences([schema], schema))
  return rows
}

function propertySchemas(parts: Parts, key: string): Parts {
  return parts.flatMap(({ properties }) => {
    const found = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
    return isObject(found) ? [found] : []
  })
}

function defaultsOf(parts: Parts, document: JsonObject): ReadonlyMap<string, JsonValue> {
  const defaults = new Map<string, JsonValue>()
  for (const { properties } of parts) {
    for (const key of Object.keys(isObject(properties) ? properties : {})) {
      for (const node of withReferences(propertySchemas(parts, key), document)) {
        if (node.default !== undefined && !defaults.has(key)) defaults.set(key, node.default)
      }
    }
  }
  return defaults
}

/** The schemas with all that applies beside them: `allOf`, and references into the same document. */
function withReferences(start: Parts, document: JsonObject): Parts {
  const found = new Set(start)
  for (const { $ref, allOf } of found) {
    const parts: readonly JsonValue[] = Array.isArray(allOf) ? allOf : []
    const target = typeof $ref === 'string' && $ref.startsWith('#') ? $ref.slice(1) : undefined
    const referred = target !== undefined && isPointer(target) ? readPointer(document, target) : undefined
    for (const part of [...parts, referred]) if (isObject(part)) found.add(part)
  }
  return [...found]
}
