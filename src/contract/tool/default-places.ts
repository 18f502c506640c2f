// Which schemas apply at a place of the arguments, and which default one of them declares there without doubt. What cannot be told for certain
// is no place: nothing is filled in there, nor below. Two operations taken for one lose a deed; a default that is not read only lets the same
// deed be proposed twice.
//
// | read                                                    | not read, and in doubt where its default differs                            |
// | ------------------------------------------------------- | --------------------------------------------------------------------------- |
// | `properties`, `items` without `prefixItems`, `allOf`    | `anyOf`, `oneOf`, `not`, `if`, `then`, `else`, `dependentSchemas`,           |
// |                                                         | `dependencies`, `patternProperties`, `additionalProperties`, `prefixItems`, |
// |                                                         | `contains`, `unevaluatedProperties`, `unevaluatedItems`, `additionalItems`  |
// | `$ref` to `#` or a plain pointer of the same document   | always in doubt: `$anchor`, an encoded pointer, another URI, `$dynamicRef`, |
// |                                                         | `$recursiveRef`, a part with an `$id` or a `$schema` of its own             |
import { isPointer, readTokens, tokensOf } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { equalJson } from '../../schema/equality.ts'
import type { Dialect } from '../../schema/normal.ts'
import { dialectOf, ignoresReferenceSiblings } from '../../schema/read/dialects.ts'

type Parts = readonly JsonObject[]

export interface DeclaredDefault {
  readonly value: JsonValue
  /** The length of its text. */
  readonly size: number
}

export interface ArgumentPlace {
  /** What applies there to all arguments. */
  readonly sure: Parts
  /** What may apply there. Its defaults are no defaults, but one that differs makes a sure one doubtful. */
  readonly unsure: Parts
  readonly own: DeclaredDefault | undefined
}

/** The places of one document. Each is made once, and is known by the schemas that apply there. */
export interface ArgumentPlaces {
  root(): ArgumentPlace | undefined
  member(place: ArgumentPlace, key: string): ArgumentPlace | undefined
  items(place: ArgumentPlace): ArgumentPlace | undefined
  /** The defaults of the members that the schemas name. */
  defaults(place: ArgumentPlace): ReadonlyMap<string, DeclaredDefault>
}

/** More schemas than this at one place are not weighed against each other. */
const maxParts = 100
/** Models choose which places a call reaches, so what is kept of them is bounded. */
const maxPlaces = 10_000

interface Neighbours {
  readonly members: Map<string, ArgumentPlace | undefined>
  defaults?: ReadonlyMap<string, DeclaredDefault>
  items?: ArgumentPlace | 'none'
}

export function createPlaces(document: JsonObject, given: Dialect): ArgumentPlaces {
  const dialect = typeof document.$schema === 'string' ? dialectOf(document.$schema) : given
  const readParts = partsReader(document, dialect ?? given)
  const numbers = new Map<JsonObject, number>()
  const known = new Map<string, ArgumentPlace>()
  const neighbours = new Map<ArgumentPlace, Neighbours>()

  const numberOf = (part: JsonObject) => {
    const number = numbers.get(part) ?? numbers.size
    numbers.set(part, number)
    return number
  }
  const placeOf = (startSure: Parts, startUnsure: Parts): ArgumentPlace | undefined => {
    const parts = startSure.length === 0 ? undefined : readParts(startSure, startUnsure)
    if (parts === undefined) return undefined
    const name = `${parts.sure.map(numberOf).join(' ')}|${parts.unsure.map(numberOf).join(' ')}`
    const place = known.get(name) ?? { ...parts, own: defaultOf(parts.sure, parts.unsure) }
    known.set(name, place)
    return place
  }
  const near = (place: ArgumentPlace): Neighbours => {
    const found = neighbours.get(place) ?? { members: new Map() }
    neighbours.set(place, found)
    return found
  }
  const places: ArgumentPlaces = {
    root: () => {
      if (known.size > maxPlaces) for (const kept of [known, neighbours]) kept.clear()
      return dialect === undefined ? undefined : placeOf([document], [])
    },
    member: (place, key) => {
      const { members } = near(place)
      if (members.has(key)) return members.get(key)
      const sure = place.sure.flatMap((part) => named(part, key))
      // Names that a model chose are not kept.
      if (sure.length === 0) return undefined
      const rest = [...place.sure, ...place.unsure].flatMap((part) => otherMembers(part, key))
      const member = placeOf(sure, [...place.unsure.flatMap((part) => named(part, key)), ...rest])
      members.set(key, member)
      return member
    },
    items: (place) => {
      const kept = near(place)
      kept.items ??=
        placeOf(place.sure.flatMap(plainItems), [
          ...place.unsure.flatMap(plainItems),
          ...[...place.sure, ...place.unsure].flatMap(otherItems),
        ]) ?? 'none'
      return kept.items === 'none' ? undefined : kept.items
    },
    defaults: (place) => {
      const kept = near(place)
      kept.defaults ??= new Map(
        place.sure.flatMap(({ properties }) =>
          Object.keys(isObject(properties) ? properties : {}).flatMap((key): [string, DeclaredDefault][] => {
            const own = places.member(place, key)?.own
            return own === undefined ? [] : [[key, own]]
          }),
        ),
      )
      return kept.defaults
    },
  }
  return places
}

/** The one default that all of these agree on, and that one of the sure declares. */
function defaultOf(sure: Parts, unsure: Parts): DeclaredDefault | undefined {
  const value = sure.find((part) => part.default !== undefined)?.default
  if (value === undefined) return undefined
  const agree = [...sure, ...unsure].every((part) => part.default === undefined || equalJson(part.default, value))
  return agree ? { value, size: JSON.stringify(value).length } : undefined
}

/** All that applies beside these; undefined where a part cannot be read for certain, or where there are too many. */
function partsReader(document: JsonObject, dialect: Dialect) {
  const alone = new Map<JsonObject, JsonObject>()
  const identifier = dialect === 'draft-04' ? 'id' : '$id'
  const namesItself = (part: JsonObject) =>
    part !== document && [identifier, '$id', '$schema'].some((word) => typeof part[word] === 'string')
  const isUnread = (part: JsonObject) =>
    namesItself(part) || part.$dynamicRef !== undefined || part.$recursiveRef !== undefined
  /** Without the words that the dialect ignores beside a reference. */
  const asRead = (part: JsonObject): JsonObject => {
    if (part.$ref === undefined || !ignoresReferenceSiblings(dialect)) return part
    const reference = alone.get(part) ?? { $ref: part.$ref }
    alone.set(part, reference)
    return reference
  }
  const referred = (reference: JsonValue): JsonValue | undefined => {
    if (typeof reference !== 'string' || !reference.startsWith('#') || /[%\s]/.test(reference)) return undefined
    const pointer = reference.slice(1)
    if (!isPointer(pointer)) return undefined
    let here: JsonValue | undefined = document
    for (const token of tokensOf(pointer)) {
      // Behind an identifier of its own a pointer belongs to another resource.
      if (here === undefined || (isObject(here) && namesItself(here))) return undefined
      here = readTokens(here, [token])
    }
    return here
  }
  /** False where something of it cannot be read. */
  const gather = (found: Set<JsonObject>, beside: (part: JsonObject) => readonly JsonValue[]): boolean => {
    for (const part of found) {
      if (isUnread(part) || found.size > maxParts) return false
      const target = part.$ref === undefined ? true : referred(part.$ref)
      if (target === undefined) return false
      for (const other of [target, ...beside(part)]) if (isObject(other)) found.add(asRead(other))
    }
    return true
  }
  return (startSure: Parts, startUnsure: Parts): { sure: Parts; unsure: Parts } | undefined => {
    const sure = new Set(startSure.map(asRead))
    if (!gather(sure, (part) => listed(part.allOf))) return undefined
    const branches = [...sure].flatMap(branchesOf).filter(isObject)
    const unsure = new Set([...startUnsure, ...branches].map(asRead))
    if (!gather(unsure, (part) => [...listed(part.allOf), ...branchesOf(part)])) return undefined
    return { sure: [...sure], unsure: [...unsure] }
  }
}

const listed = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])
const valuesOf = (value: JsonValue | undefined): readonly JsonValue[] => (isObject(value) ? Object.values(value) : [])

const branchesOf = (part: JsonObject): readonly JsonValue[] => [
  ...[part.anyOf, part.oneOf].flatMap(listed),
  ...[part.dependentSchemas, part.dependencies].flatMap(valuesOf),
  ...[part.not, part.if, part.then, part.else].filter((schema) => schema !== undefined),
]

function named({ properties }: JsonObject, key: string): Parts {
  const found = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
  return isObject(found) ? [found] : []
}

function otherMembers(part: JsonObject, key: string): Parts {
  const isNamed = isObject(part.properties) && Object.hasOwn(part.properties, key)
  const rest = isNamed ? undefined : part.additionalProperties
  return [...valuesOf(part.patternProperties), rest, part.unevaluatedProperties].filter(isObject)
}

const plainItems = ({ items, prefixItems }: JsonObject): Parts =>
  isObject(items) && prefixItems === undefined ? [items] : []

const otherItems = ({ items, prefixItems, additionalItems, contains, unevaluatedItems }: JsonObject): Parts =>
  [
    ...listed(items),
    ...listed(prefixItems),
    ...(prefixItems === undefined ? [] : [items]),
    ...[additionalItems, contains, unevaluatedItems],
  ].filter(isObject)
