// Finds the objects of an input schema that list properties and yet let any other through. What counts is the value, not the syntax:
// an object is closed when one of the schemas that always apply to it closes it.
import { appendPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { referenced, referencePointer } from './schema-places.ts'

export interface OpenObject {
  readonly pointer: string
  /** Which keyword closes it. */
  readonly keyword: 'additionalProperties' | 'unevaluatedProperties'
}

const alternatives = ['anyOf', 'oneOf'] as const
const conditional = ['then', 'else'] as const
const maxVisits = 20_000

export function findOpenObjects(document: JsonObject): readonly OpenObject[] {
  const open = new Map<string, OpenObject>()
  const seen = new Set<string>()

  /** `covered`: something that also applies to this value has closed it, or has been reported in its place. */
  const visit = (schema: JsonValue | undefined, pointer: string, covered: boolean): void => {
    const key = `${covered} ${pointer}`
    if (!isObject(schema) || seen.has(key) || seen.size >= maxVisits) return
    seen.add(key)
    const alone = !speaksTogether(schema)
    const lists = listsProperties(schema) || (!alone && togetherListsProperties(document, schema))
    const isOpen = lists && !covered && !closes(document, schema, new Set())
    if (isOpen) open.set(pointer, { pointer, keyword: alone ? 'additionalProperties' : 'unevaluatedProperties' })
    visitInPlace(schema, pointer, covered || lists || closesItself(schema))
    visitValues(schema, pointer)
  }

  const visitInPlace = (schema: JsonObject, pointer: string, covered: boolean): void => {
    const at = referencePointer(schema)
    if (at !== undefined) visit(referenced(document, schema), at, covered)
    for (const keyword of ['allOf', ...alternatives] as const) {
      // Members of an intersection cannot close themselves without closing out their siblings.
      eachItem(schema[keyword], appendPointer(pointer, keyword), (member, at) => visit(member, at, covered))
    }
    for (const keyword of conditional) visit(schema[keyword], appendPointer(pointer, keyword), true)
    eachNamed(schema.dependentSchemas, appendPointer(pointer, 'dependentSchemas'), (child, at) =>
      visit(child, at, true),
    )
  }

  const visitValues = (schema: JsonObject, pointer: string): void => {
    for (const keyword of ['properties', 'patternProperties'] as const) {
      eachNamed(schema[keyword], appendPointer(pointer, keyword), (child, at) => visit(child, at, false))
    }
    for (const keyword of ['additionalProperties', 'unevaluatedProperties', 'items', 'unevaluatedItems'] as const) {
      const child = schema[keyword]
      if (Array.isArray(child)) eachItem(child, appendPointer(pointer, keyword), (item, at) => visit(item, at, false))
      else visit(child, appendPointer(pointer, keyword), false)
    }
    eachItem(schema.prefixItems, appendPointer(pointer, 'prefixItems'), (item, at) => visit(item, at, false))
  }

  visit(document, '', false)
  return [...open.values()]
}

/** Whether a value of this schema is one object described by several schemas together. */
function speaksTogether(schema: JsonObject): boolean {
  const others = ['allOf', ...alternatives, ...conditional, 'dependentSchemas'].filter(
    (keyword) => schema[keyword] !== undefined,
  )
  const voices = others.length + (schema.$ref === undefined ? 0 : 1)
  if (schema.allOf !== undefined && itemsOf(schema.allOf).length > 1) return true
  return listsProperties(schema) ? voices > 0 : voices > 1
}

function togetherListsProperties(document: JsonObject, schema: JsonObject): boolean {
  const lists = ['allOf', ...alternatives].flatMap((keyword) => itemsOf(schema[keyword]))
  const members = [referenced(document, schema), ...lists, ...conditional.map((keyword) => schema[keyword])]
  return members.some((member) => isObject(member) && listsProperties(member))
}

const listsProperties = ({ properties }: JsonObject) => isObject(properties) && Object.keys(properties).length > 0

/** A schema for further properties is a decision; only `true`, `{}` or nothing at all leaves the object open. */
function closesItself({ additionalProperties, unevaluatedProperties }: JsonObject): boolean {
  return [additionalProperties, unevaluatedProperties].some(
    (rest) => rest === false || (isObject(rest) && Object.keys(rest).length > 0),
  )
}

function closes(document: JsonObject, schema: JsonValue | undefined, path: ReadonlySet<JsonObject>): boolean {
  if (schema === false) return true
  if (!isObject(schema) || path.has(schema)) return false
  if (closesItself(schema)) return true
  const inside = new Set([...path, schema])
  const within = (member: JsonValue | undefined) => closes(document, member, inside) || isNoObject(member)
  if (referencePointer(schema) !== undefined && closes(document, referenced(document, schema), inside)) return true
  if (itemsOf(schema.allOf).some((member) => closes(document, member, inside))) return true
  return alternatives.some((keyword) => itemsOf(schema[keyword]).length > 0 && itemsOf(schema[keyword]).every(within))
}

const isNoObject = (schema: JsonValue | undefined) =>
  isObject(schema) &&
  schema.type !== undefined &&
  schema.type !== 'object' &&
  !(Array.isArray(schema.type) && schema.type.includes('object'))

function itemsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

type Then = (child: JsonValue, pointer: string) => void

function eachItem(value: JsonValue | undefined, pointer: string, then: Then): void {
  for (const [index, child] of itemsOf(value).entries()) then(child, appendPointer(pointer, index))
}

function eachNamed(value: JsonValue | undefined, pointer: string, then: Then): void {
  if (!isObject(value)) return
  for (const [name, child] of Object.entries(value)) then(child, appendPointer(pointer, name))
}
