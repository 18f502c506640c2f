// The defaults that an input schema declares, where one applies without doubt (`default-places.ts` says where). The author says by them what
// happens where an argument is left out, so an argument that is given as its default and one that is left out are the same. Nothing of it is
// added to what the executor gets.
import { appendPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { Dialect } from '../../schema/normal.ts'
import { type ArgumentPlace, type ArgumentPlaces, createPlaces, type DeclaredDefault } from './default-places.ts'

/**
 * What one call may take. Beyond it nothing at all is filled in, so that the outcome hangs on schema and arguments alone. `values` counts what
 * the filled arguments hold, given or filled in: of two spellings that come to the same, both are beyond it or neither is.
 */
export const fillBounds = { values: 10_000, depth: 100, text: 100_000 } as const

/**
 * Arguments with the defaults of those that were left out, at any depth. What is there stays, and what has no default stays away. The same
 * object where nothing was left out that has one, and where it would go beyond the bounds.
 */
export type FillDefaults = (args: JsonObject) => JsonObject

const mayHaveDefaults = (schema: JsonObject) => JSON.stringify(schema).includes('"default":')

const fillings = new WeakMap<JsonObject, Map<Dialect, FillDefaults | undefined>>()

/** Undefined for a schema without defaults: there is nothing to do for its calls. Looked for once for each schema. */
export function fillDefaultsOf(schema: JsonObject, dialect: Dialect = '2020-12'): FillDefaults | undefined {
  const byDialect = fillings.get(schema) ?? new Map<Dialect, FillDefaults | undefined>()
  fillings.set(schema, byDialect)
  if (!byDialect.has(dialect))
    byDialect.set(dialect, mayHaveDefaults(schema) ? createFilling(schema, dialect) : undefined)
  return byDialect.get(dialect)
}

function createFilling(schema: JsonObject, dialect: Dialect): FillDefaults {
  const places = createPlaces(schema, dialect)
  // One call asks several times for the same arguments.
  const done = new WeakMap<JsonObject, JsonObject>()
  return (args) => {
    const known = done.get(args)
    if (known !== undefined) return known
    const filled = fillOnce(args, places)
    done.set(args, filled)
    return filled
  }
}

function fillOnce(args: JsonObject, places: ArgumentPlaces): JsonObject {
  let { values, text }: { values: number; text: number } = fillBounds
  const isSpent = () => values < 0 || text < 0

  const fill = (value: JsonValue, place: ArgumentPlace, depth: number): JsonValue => {
    if (depth > fillBounds.depth && typeof value === 'object' && value !== null) values = -1
    if (isSpent()) return value
    if (isObject(value)) return fillObject(value, place, depth)
    const inner = Array.isArray(value) ? places.items(place) : undefined
    if (!Array.isArray(value) || inner === undefined) return value
    const items: readonly JsonValue[] = value
    values -= items.length
    if (isSpent()) return value
    const filled = items.map((item) => fill(item, inner, depth + 1))
    return filled.some((item, index) => item !== items[index]) ? filled : value
  }
  const fillObject = (value: JsonObject, place: ArgumentPlace, depth: number): JsonObject => {
    const left = [...places.defaults(place)].filter(([key]) => !Object.hasOwn(value, key))
    const given = Object.entries(value)
    values -= given.length + left.length
    for (const [, { size }] of left) text -= size
    if (isSpent()) return value
    let isSame = left.length === 0
    const added = left.map(([key, declared]): [string, JsonValue] => [key, declared.value])
    const filled = [...given, ...added].map(([key, member]): [string, JsonValue] => {
      if (typeof member !== 'object' || member === null) return [key, member]
      const inner = places.member(place, key)
      const whole = inner === undefined ? member : fill(member, inner, depth + 1)
      isSame &&= whole === member
      return [key, whole]
    })
    return isSame ? value : Object.fromEntries(filled)
  }
  const root = places.root()
  const filled = root === undefined ? args : fillObject(args, root, 0)
  return isSpent() ? args : filled
}

/** One argument with where it stands, or what the schema declares for one that was left out. */
export interface DeclaredArgument {
  readonly pointer: string
  readonly value: JsonValue
  readonly origin: 'given' | 'default'
}

/** Every argument down to what is no object, then what was left out and has a default; beyond the bounds no defaults. */
export function concreteArguments(
  args: JsonObject,
  schema: JsonObject,
  dialect: Dialect = '2020-12',
): readonly DeclaredArgument[] {
  const places = createPlaces(schema, dialect)
  return listArguments(args, places, places.root()) ?? listArguments(args, places, undefined) ?? []
}

/** Undefined where the defaults would go beyond the bounds. */
function listArguments(args: JsonObject, places: ArgumentPlaces, root: ArgumentPlace | undefined) {
  const rows: DeclaredArgument[] = []
  let { values, text }: { values: number; text: number } = fillBounds
  const visit = (value: JsonValue, pointer: string, place: ArgumentPlace | undefined) => {
    if (!isObject(value)) {
      rows.push({ pointer, value, origin: 'given' })
      return
    }
    const before = rows.length
    for (const [key, member] of Object.entries(value)) {
      visit(member, appendPointer(pointer, key), place === undefined ? undefined : places.member(place, key))
    }
    const declared: ReadonlyMap<string, DeclaredDefault> = place === undefined ? new Map() : places.defaults(place)
    for (const [key, { value: own, size }] of values < 0 || text < 0 ? [] : declared) {
      if (Object.hasOwn(value, key)) continue
      values -= 1
      text -= size
      rows.push({ pointer: appendPointer(pointer, key), value: own, origin: 'default' })
    }
    if (rows.length === before && pointer !== '') rows.push({ pointer, value, origin: 'given' })
  }
  visit(args, '', root)
  return values < 0 || text < 0 ? undefined : rows
}
