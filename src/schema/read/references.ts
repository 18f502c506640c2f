// Follows references to places, and keeps the dynamic scope that `$dynamicRef` and `$recursiveRef` are looked up in.
// Invariant: a scope is a value; the same place in an equal scope always means the same schema.
import { nearestNames } from '../../json/nearest.ts'
import { appendPointer, isPointer, tokensOf } from '../../json/pointer.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import { ownValue } from '../json-type.ts'
import { enterNode, type Resource } from './resources.ts'
import type { SchemaLibrary } from './schema-library.ts'
import { anonymousBase, resolveUri } from './uri.ts'

export interface DocumentPlace {
  /** The innermost resource around the place: its base URI and its dialect. */
  readonly resource: Resource
  readonly pointer: string
  readonly node: JsonValue
}

export type PlaceLookup =
  | { readonly ok: true; readonly place: DocumentPlace }
  | { readonly ok: false; readonly reason: string }

/** For every dynamic anchor the outermost resource entered so far that declares it; `''` is `$recursiveAnchor`. */
export interface DynamicScope {
  readonly id: string
  readonly outermost: ReadonlyMap<string, DocumentPlace>
}

/** A new one for every reading: inner scopes are kept under it, and must be forgotten with it. */
export function emptyScope(): DynamicScope {
  return { id: '', outermost: new Map() }
}

const recursive = ''

/** Where in its document a place lies: a pointer in the given document, `uri#pointer` in another. */
export function locationOf(place: Pick<DocumentPlace, 'resource' | 'pointer'>): string {
  const { document } = place.resource
  return document.given ? place.pointer : `${document.uri}#${place.pointer}`
}

const entered = new WeakMap<DynamicScope, Map<Resource, DynamicScope>>()

/** The scope inside a resource: what is already bound stays, because the outermost declaration wins. */
export function enterScope(scope: DynamicScope, resource: Resource): DynamicScope {
  if (resource.dynamicAnchors.size === 0 && !resource.recursive) return scope
  const known = entered.get(scope) ?? new Map<Resource, DynamicScope>()
  entered.set(scope, known)
  const inside = known.get(resource) ?? extendScope(scope, resource)
  known.set(resource, inside)
  return inside
}

function extendScope(scope: DynamicScope, resource: Resource): DynamicScope {
  const outermost = new Map(scope.outermost)
  for (const [name, pointer] of resource.dynamicAnchors) {
    if (!outermost.has(name)) outermost.set(name, placeAt(resource, pointer))
  }
  if (resource.recursive && !outermost.has(recursive)) outermost.set(recursive, placeAt(resource, resource.pointer))
  if (outermost.size === scope.outermost.size) return scope
  const entries = [...outermost].map(([name, place]): [string, string] => [name, locationOf(place)])
  return { id: JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1))), outermost }
}

/** `$ref`: the place a reference names, seen from a resource. */
export function findPlace(library: SchemaLibrary, from: Resource, reference: string): PlaceLookup {
  const resolved = resolveUri(reference, from.uri)
  if (resolved === undefined) return { ok: false, reason: 'it is no URI reference' }
  const { uri, fragment } = resolved
  // The resource itself comes first: an anonymous copy need not be found by name.
  const resource = uri === from.uri ? from : library.find(uri)
  if (resource === 'ambiguous') return { ok: false, reason: `two different schemas call themselves ${uri}` }
  if (resource === undefined) return { ok: false, reason: unknownUri(uri) }
  if (fragment === '') return { ok: true, place: placeAt(resource, resource.pointer) }
  if (fragment.startsWith('/')) return walk(library, resource, fragment)
  const pointer = resource.anchors.get(fragment)
  if (pointer === null) return { ok: false, reason: `two places of ${uri} claim the anchor ${fragment}` }
  if (pointer === undefined) {
    const near = nearestNames(fragment, resource.anchors.keys(), 1)[0]
    return {
      ok: false,
      reason: `there is no anchor ${fragment}${near === undefined ? '' : `; did you mean #${near}?`}`,
    }
  }
  return { ok: true, place: placeAt(resource, pointer) }
}

/** `$dynamicRef`: like `$ref`, unless it lands on a dynamic anchor; then the outermost one of that name. */
export function findDynamicPlace(
  library: SchemaLibrary,
  from: Resource,
  reference: string,
  scope: DynamicScope,
): PlaceLookup {
  const found = findPlace(library, from, reference)
  if (!found.ok) return found
  const name = resolveUri(reference, from.uri)?.fragment ?? ''
  if (name === '' || found.place.resource.dynamicAnchors.get(name) !== found.place.pointer) return found
  return { ok: true, place: scope.outermost.get(name) ?? found.place }
}

/** `$recursiveRef`: like `$ref: "#"`, unless that root is a recursive anchor; then the outermost one. */
export function findRecursivePlace(from: Resource, scope: DynamicScope): DocumentPlace {
  const root = placeAt(from, from.pointer)
  return from.recursive ? (scope.outermost.get(recursive) ?? root) : root
}

function placeAt(resource: Resource, pointer: string): DocumentPlace {
  return { resource, pointer, node: readInside(resource, pointer) }
}

/** An anchor's pointer always exists; it was found by walking the document. */
function readInside(resource: Resource, pointer: string): JsonValue {
  let node = resource.document.value
  for (const token of tokensOf(pointer)) node = step(node, token) ?? null
  return node
}

function walk(library: SchemaLibrary, start: Resource, fragment: string): PlaceLookup {
  if (!isPointer(fragment)) return { ok: false, reason: `${fragment} is no JSON Pointer` }
  let resource = start
  let { node, pointer } = start
  for (const token of tokensOf(fragment)) {
    const next = step(node, token)
    if (next === undefined) return { ok: false, reason: missing(node, token, pointer) }
    node = next
    pointer = appendPointer(pointer, token)
    resource = resource.document.resources.get(pointer) ?? resource
  }
  // A place that only this reference treats as a schema may still carry an identifier of its own.
  if (isObject(node)) resource = enterNode(node, pointer, resource, library)
  return { ok: true, place: { resource, pointer, node } }
}

function step(node: JsonValue, token: string): JsonValue | undefined {
  if (Array.isArray(node)) return /^(?:0|[1-9][0-9]*)$/.test(token) ? node[Number(token)] : undefined
  return isObject(node) ? ownValue(node, token) : undefined
}

function missing(node: JsonValue, token: string, pointer: string): string {
  const near = isObject(node) ? nearestNames(token, Object.keys(node), 1)[0] : undefined
  const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`
  return `there is no ${JSON.stringify(token)} at ${pointer === '' ? 'the root' : pointer}${hint}`
}

function unknownUri(uri: string): string {
  if (uri.startsWith(anonymousBase)) {
    return `no schema here has the $id ${JSON.stringify(uri.slice(anonymousBase.length))}; put it into $defs, or give it among the resources`
  }
  return `nothing is fetched, and no document is known as ${uri}; put it into $defs, or give it among the resources`
}
