// Closes the objects of a JSON Schema that a library derived: an object that lists properties takes these and no others.
// An object that says anything about further properties keeps it, and members of an intersection stay open to each
// other: only the object they make together is closed.
import { readPointer, tokensOf } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { mapSubschemas, schemasIn } from '../schema-positions.ts'

/**
 * `closed`: stands for a whole value. `open`: one of several schemas that apply to the same value, whose own objects
 * stay open. `raw`: under a negation or a condition, where closing would turn into loosening; nothing below is touched.
 */
type Mode = 'closed' | 'open' | 'raw'

interface Closing {
  readonly document: JsonObject
  /** Definitions needed in a second, open or raw, form: from `mode pointer` to the name of the new definition. */
  readonly variants: Map<string, string>
  readonly added: Map<string, JsonValue>
}

const inPlaceLists = ['allOf', 'anyOf', 'oneOf']
const inPlace: ReadonlySet<string> = new Set([...inPlaceLists, 'then', 'else', 'dependentSchemas'])
const conditions: ReadonlySet<string> = new Set(['not', 'if', 'contains', 'propertyNames'])
const definitions: ReadonlySet<string> = new Set(['$defs', 'definitions'])

export function closeObjects(document: JsonObject): JsonObject {
  const closing: Closing = { document, variants: new Map(), added: new Map() }
  const closed = closeObject(closing, document, 'closed')
  if (closing.added.size === 0) return closed
  const own = isObject(closed.$defs) ? closed.$defs : {}
  return { ...closed, $defs: { ...own, ...Object.fromEntries(closing.added) } }
}

function close(closing: Closing, schema: JsonValue, mode: Mode): JsonValue {
  return isObject(schema) ? closeObject(closing, schema, mode) : schema
}

function closeObject(closing: Closing, schema: JsonObject, mode: Mode): JsonObject {
  const inner: Mode = mode === 'closed' && !passesWholeOn(schema) ? 'open' : mode
  const mapped = mapSubschemas(schema, '', (child, keyword) => close(closing, child, modeBelow(keyword, mode, inner)))
  const $ref = typeof schema.$ref === 'string' ? retarget(closing, schema.$ref, inner) : undefined
  const referred = $ref === undefined ? mapped : { ...mapped, $ref }
  if (mode !== 'closed') return referred
  const lock = lockFor(closing, schema)
  return lock === undefined ? referred : { ...referred, [lock]: false }
}

function modeBelow(keyword: string, mode: Mode, inner: Mode): Mode {
  if (definitions.has(keyword)) return 'closed'
  if (mode === 'raw' || conditions.has(keyword)) return 'raw'
  return inPlace.has(keyword) ? inner : 'closed'
}

/** A union or a reference that stands alone passes "this is the whole value" on to what it holds. */
function passesWholeOn(schema: JsonObject): boolean {
  if (speaksOfProperties(schema)) return false
  let applied = schema.$ref === undefined ? 0 : 1
  for (const keyword of inPlace) if (schema[keyword] !== undefined) applied++
  if (applied > 1) return false
  return schema.then === undefined && schema.else === undefined && schema.dependentSchemas === undefined
    ? schemasIn(schema.allOf).length < 2
    : false
}

/** Which keyword closes this object, if it needs closing at all. */
function lockFor(closing: Closing, schema: JsonObject): 'additionalProperties' | 'unevaluatedProperties' | undefined {
  if (schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined) return undefined
  const others = passesWholeOn(schema) ? [] : schemasBeside(closing, schema, new Set())
  if (others.some(speaksOfProperties)) {
    return [schema, ...others].some(listsProperties) ? 'unevaluatedProperties' : undefined
  }
  return listsProperties(schema) ? 'additionalProperties' : undefined
}

/** Every schema that applies to the same value as this one, through applicators and local references. */
function schemasBeside(closing: Closing, schema: JsonObject, seen: Set<JsonObject>): JsonObject[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const next = inPlaceLists.flatMap((keyword) => schemasIn(schema[keyword]))
  for (const branch of [schema.then, schema.else]) if (branch !== undefined) next.push(branch)
  if (isObject(schema.dependentSchemas)) next.push(...Object.values(schema.dependentSchemas))
  if (typeof schema.$ref === 'string') {
    const target = resolve(closing.document, schema.$ref)
    if (target !== undefined) next.push(target)
  }
  return next.filter(isObject).flatMap((one) => [one, ...schemasBeside(closing, one, seen)])
}

/** A definition is printed closed; a place that needs it open refers to a second copy of it. */
function retarget(closing: Closing, reference: string, mode: Mode): string {
  if (mode === 'closed') return reference
  const target = resolve(closing.document, reference)
  if (target === undefined || !isObject(target)) return reference
  if (mode === 'open' && ![target, ...schemasBeside(closing, target, new Set())].some(listsProperties)) return reference
  const pointer = pointerOf(reference)
  const key = `${mode} ${pointer}`
  let name = closing.variants.get(key)
  if (name === undefined) {
    name = freshName(closing, `${tokensOf(pointer).at(-1) ?? 'root'}.${mode}`)
    closing.variants.set(key, name)
    const { $schema: _dialect, $id: _identity, $defs: _defs, definitions: _older, ...body } = target
    closing.added.set(name, close(closing, body, mode))
  }
  return `#/$defs/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function freshName(closing: Closing, wish: string): string {
  const taken = closing.document.$defs
  const used = new Set([...closing.variants.values(), ...(isObject(taken) ? Object.keys(taken) : [])])
  let name = wish
  for (let count = 2; used.has(name); count++) name = `${wish}${count}`
  return name
}

function resolve(document: JsonObject, reference: string): JsonValue | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  try {
    return readPointer(document, pointerOf(reference))
  } catch {
    // Not a well-formed pointer: compiling the schema will say so.
    return undefined
  }
}

function pointerOf(reference: string): string {
  const fragment = reference.slice(1)
  return fragment.includes('%') ? decodeURIComponent(fragment) : fragment
}

function listsProperties(schema: JsonObject): boolean {
  return schema.properties !== undefined || schema.patternProperties !== undefined
}

function speaksOfProperties(schema: JsonObject): boolean {
  return (
    listsProperties(schema) || schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined
  )
}
