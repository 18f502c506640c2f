// Reads every schema reachable from the root into the normal form. A definition is a place in a dynamic scope, so that
// dynamic references become plain ones; definitions come from a queue, so that only nesting recurses.
import { appendPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { ownValue } from '../json-type.ts'
import type { Dialect, FormatMode, NormalSchema, SchemaRefusal } from '../normal.ts'
import { dialectOf, ignoresReferenceSiblings } from './dialects.ts'
import { type Endless, findEndlessReferences } from './endless-references.ts'
import { finishNode } from './finish-node.ts'
import { keywordReaders, type NormalBuilder, type ReadContext } from './keyword-readers.ts'
import {
  type DocumentPlace,
  type DynamicScope,
  emptyScope,
  enterScope,
  findDynamicPlace,
  findPlace,
  findRecursivePlace,
  locationOf,
} from './references.ts'
import { enterNode, maxDepth, type Resource } from './resources.ts'
import type { SchemaLibrary } from './schema-library.ts'

export interface ReadResult {
  readonly root: NormalSchema
  readonly defs: ReadonlyMap<string, NormalSchema>
  readonly sources: WeakMap<object, string>
  readonly ignored: readonly string[]
  readonly refusals: readonly SchemaRefusal[]
}

const maxDefinitions = 20_000
/** Copies of one place for different dynamic scopes; the official meta-schemas need no copy. */
const maxSpecialized = 2000
const maxNodes = 200_000
const maxRefusals = 50

/** Where a schema lies while it is read. */
interface ReadingPlace {
  readonly resource: Resource
  readonly scope: DynamicScope
  readonly pointer: string
  readonly depth: number
}

interface Definition {
  readonly key: string
  readonly place: DocumentPlace
  readonly scope: DynamicScope
}

export function readSchema(library: SchemaLibrary, formats: FormatMode): ReadResult {
  const refusals = new Map<string, SchemaRefusal>()
  const defs = new Map<string, NormalSchema>()
  const sources = new WeakMap<object, string>()
  const ignored = new Set<string>()
  const queue: Definition[] = []
  const keys = new Map<string, string>()
  const variants = new Map<string, number>()
  let nodes = 0
  let specialized = 0
  let unevaluatedItems: boolean | undefined
  let rootIsReferenced = false
  let exhausted = false

  const { root: whole } = library
  const rootKey = define({ resource: whole, pointer: '', node: whole.node }, emptyScope())
  for (let index = 0; index < queue.length; index++) {
    const { key, place, scope } = queue[index] as Definition
    defs.set(key, read({ resource: place.resource, scope, pointer: place.pointer, depth: 0 }, place.node))
    if (exhausted || refusals.size >= maxRefusals) break
  }
  const root = defs.get(rootKey) ?? true
  const endless = refusals.size === 0 ? findEndlessReferences(defs) : undefined
  if (endless !== undefined) refuse(pointerOf(endless.keys[0] as string), '$ref', endlessMessage(endless))
  if (!rootIsReferenced) defs.delete(rootKey)
  return { root, defs, sources, ignored: [...ignored], refusals: [...refusals.values()] }

  /** The key of the schema at a place, seen in a scope; the first scope met keeps the plain name. */
  function define(place: DocumentPlace, outer: DynamicScope): string {
    const scope = enterScope(outer, place.resource)
    const location = locationOf(place)
    const identity = `${location}\n${scope.id}`
    const known = keys.get(identity)
    if (known !== undefined) {
      rootIsReferenced ||= known === rootKey
      return known
    }
    const variant = (variants.get(location) ?? 0) + 1
    variants.set(location, variant)
    const name = place.resource.document.given ? `#${location}` : location
    const key = variant === 1 ? name : `${name} (${variant})`
    keys.set(identity, key)
    if (variant > 1) specialized++
    if (queue.length < maxDefinitions && specialized <= maxSpecialized) queue.push({ key, place, scope })
    else {
      exhausted = true
      const limit = specialized > maxSpecialized ? maxSpecialized : maxDefinitions
      const message = `More than ${limit} definitions are needed to make the references static; simplify the schema`
      refuse(location, specialized > maxSpecialized ? '$dynamicRef' : '$ref', message)
    }
    return key
  }

  function read(place: ReadingPlace, source: JsonValue): NormalSchema {
    if (typeof source === 'boolean') return source
    if (exhausted) return true
    const here = locationOf(place)
    if (!isObject(source)) {
      refuse(
        here,
        'schema',
        `A schema must be an object, true or false, not ${Array.isArray(source) ? 'an array' : JSON.stringify(source)}`,
      )
      return true
    }
    if (place.depth > maxDepth || ++nodes > maxNodes) {
      exhausted = true
      refuse(
        here,
        'size',
        `The schema is too large: more than ${maxDepth} levels or ${maxNodes} parts. Split it, or simplify it`,
      )
      return true
    }
    const inside = enter(place, source)
    const { reading } = inside.resource
    if (reading.problem !== undefined) {
      refuse(locationOf({ ...inside.resource, resource: inside.resource }), '$schema', `${reading.problem}`)
      return true
    }
    const out: NormalBuilder = {}
    sources.set(out, here)
    readKeywords(inside, source, out)
    finishNode(out, { source, keywords: reading.keywords, asksForUnevaluatedItems })
    return out
  }

  /** A nested identifier opens a resource of its own, and with it a new part of the dynamic scope. */
  function enter(place: ReadingPlace, source: JsonObject): ReadingPlace {
    const { resource: outer, pointer } = place
    const resource = pointer === outer.pointer ? outer : enterNode(source, pointer, outer, library)
    return resource === outer ? place : { ...place, resource, scope: enterScope(place.scope, resource) }
  }

  function readKeywords(place: ReadingPlace, source: JsonObject, out: NormalBuilder): void {
    const { keywords, dialect } = place.resource.reading
    const context = contextOf(place, source, out)
    if (ignoresReferenceSiblings(dialect) && typeof ownValue(source, '$ref') === 'string') {
      keywordReaders.reference(context, '$ref', source.$ref as JsonValue)
      return
    }
    for (const word of Object.keys(source)) {
      const value = source[word]
      if (value === undefined) continue
      const row = keywords.get(word)
      if (row === undefined) ignored.add(locationOf({ ...place, pointer: appendPointer(place.pointer, word) }))
      else keywordReaders[row.kind](context, word, value)
    }
    if (place.pointer !== place.resource.pointer) refuseOtherDialect(context, source, dialect)
    refuseIdentifier(context, source, dialect === 'draft-04' ? 'id' : '$id', ignoresReferenceSiblings(dialect))
  }

  function contextOf(place: ReadingPlace, source: JsonObject, out: NormalBuilder): ReadContext {
    const below = (tokens: readonly (string | number)[]): string => tokens.reduce<string>(appendPointer, place.pointer)
    return {
      source,
      out,
      formats,
      child: (tokens, value) => read({ ...place, pointer: below(tokens), depth: place.depth + 1 }, value),
      refuse: (word, message, tokens = []) =>
        refuse(locationOf({ ...place, pointer: below([word, ...tokens]) }), word, message),
      refer: (word, reference) => refer(place, out, word, reference),
    }
  }

  function refer(place: ReadingPlace, out: NormalBuilder, word: string, reference: string): void {
    const { resource, scope } = place
    const found =
      word === '$recursiveRef'
        ? { ok: true as const, place: findRecursivePlace(resource, scope) }
        : word === '$dynamicRef'
          ? findDynamicPlace(library, resource, reference, scope)
          : findPlace(library, resource, reference)
    if (!found.ok) {
      const pointer = locationOf({ resource, pointer: appendPointer(place.pointer, word) })
      refuse(pointer, word, `${word} ${JSON.stringify(reference)} leads nowhere: ${found.reason}`)
      return
    }
    const key = define(found.place, scope)
    if (out.$ref === undefined) out.$ref = key
    else out.allOf = [...(out.allOf ?? []), { $ref: key }]
  }

  function refuse(pointer: string, construct: string, message: string): void {
    if (refusals.size < maxRefusals) refusals.set(`${construct} ${pointer} ${message}`, { pointer, construct, message })
  }

  function pointerOf(key: string): string {
    const node = defs.get(key)
    return (typeof node === 'object' ? sources.get(node) : undefined) ?? key
  }

  function asksForUnevaluatedItems(): boolean {
    unevaluatedItems ??= library.values.some((value) => mentions(value, 'unevaluatedItems'))
    return unevaluatedItems
  }
}

/** Only a resource has a dialect; a subschema that names another dialect would be read with the wrong words. */
function refuseOtherDialect(context: ReadContext, source: JsonObject, dialect: Dialect): void {
  const named = ownValue(source, '$schema')
  if (typeof named !== 'string' || (dialectOf(named) ?? dialect) === dialect) return
  context.refuse(
    '$schema',
    '$schema names another dialect inside a schema without an identifier; give this part its own $id',
  )
}

/** An identifier with a fragment names nothing in this dialect, so it is refused. */
function refuseIdentifier(context: ReadContext, source: JsonObject, word: string, mayHoldAnchor: boolean): void {
  const identifier = ownValue(source, word)
  if (typeof identifier !== 'string' || mayHoldAnchor || !/#./s.test(identifier)) return
  context.refuse(word, `${word} ${JSON.stringify(identifier)} has a fragment; write the name as $anchor`)
}

function mentions(value: JsonValue, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Object.hasOwn(value, name)) return true
  return Object.values(value).some((child) => mentions(child, name))
}

function endlessMessage({ kind, keys }: Endless): string {
  return kind === 'cycle'
    ? `The references ${[...keys, keys[0]].join(' → ')} lead back without going into the value; remove one of them`
    : 'Here begins a chain of more than 500 references that all apply to one value; shorten it'
}
