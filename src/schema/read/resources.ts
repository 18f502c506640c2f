// Finds the identified parts of one document: resources (`$id`), anchors and dynamic anchors, each by its place.
// Invariant: only schema positions of the dialect are entered, so an identifier inside data or unknown words is data.
import { appendPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { ownValue } from '../json-type.ts'
import type { Dialect } from '../normal.ts'
import { ignoresReferenceSiblings, type KeywordRow } from './dialects.ts'
import { resolveUri } from './uri.ts'

/** How the words of a resource are read; `problem` says why they cannot be. */
export interface DialectReading {
  readonly dialect: Dialect
  readonly keywords: ReadonlyMap<string, KeywordRow>
  readonly problem?: string
}

export interface SchemaDocument {
  readonly uri: string
  readonly value: JsonValue
  /** The document the caller asked about: its places are plain pointers. */
  readonly given: boolean
  /** By pointer; the root is always one. */
  readonly resources: Map<string, Resource>
}

export interface Resource {
  readonly uri: string
  readonly document: SchemaDocument
  readonly pointer: string
  readonly node: JsonValue
  readonly reading: DialectReading
  /** Pointer by name; null where two places claim the name. */
  readonly anchors: Map<string, string | null>
  readonly dynamicAnchors: Map<string, string>
  /** `$recursiveAnchor: true` at its root. */
  readonly recursive: boolean
}

export interface IndexOptions {
  readonly uri: string
  readonly given: boolean
  readonly fallback: DialectReading
  readingOf(schemaUri: string): DialectReading
}

/** Schemas nested deeper than this are refused when they are reached. */
export const maxDepth = 256

/** Positions looked at per document; a document that shares parts may have far more positions than objects. */
const maxPositions = 500_000

export function indexDocument(value: JsonValue, options: IndexOptions): SchemaDocument {
  const document: SchemaDocument = { uri: options.uri, value, given: options.given, resources: new Map() }
  let positions = 0
  const root = addResource(document, '', value, { base: options.uri, reading: rootReading(value, options) })
  visit(value, '', root, 0)
  return document

  function visit(node: JsonValue, pointer: string, outer: Resource, depth: number): void {
    if (!isObject(node) || depth > maxDepth || ++positions > maxPositions) return
    const resource = pointer === '' ? outer : enterNode(node, pointer, outer, options)
    recordAnchors(node, pointer, resource)
    const onlyReference = ignoresReferenceSiblings(resource.reading.dialect) && hasText(node, '$ref')
    for (const word of Object.keys(node)) {
      const kind = resource.reading.keywords.get(word)?.kind
      if (kind === undefined || (onlyReference && kind !== 'definitions')) continue
      for (const [child, place] of childSchemas(kind, node[word] as JsonValue, appendPointer(pointer, word))) {
        visit(child, place, resource, depth + 1)
      }
    }
  }
}

/** The resource a node belongs to: a new one where it carries an identifier. */
export function enterNode(
  node: JsonObject,
  pointer: string,
  outer: Resource,
  options: Pick<IndexOptions, 'readingOf'>,
): Resource {
  const { document } = outer
  const known = document.resources.get(pointer)
  if (known !== undefined) return known
  const schemaUri = ownValue(node, '$schema')
  const reading = typeof schemaUri === 'string' ? options.readingOf(schemaUri) : outer.reading
  const uri = identifierOf(node, reading.dialect, outer.uri)?.uri
  return uri === undefined ? outer : addResource(document, pointer, node, { base: outer.uri, reading })
}

function addResource(
  document: SchemaDocument,
  pointer: string,
  node: JsonValue,
  { base, reading }: { base: string; reading: DialectReading },
): Resource {
  const own = isObject(node) ? identifierOf(node, reading.dialect, base)?.uri : undefined
  const resource: Resource = {
    uri: own ?? base,
    document,
    pointer,
    node,
    reading,
    anchors: new Map(),
    dynamicAnchors: new Map(),
    recursive: isObject(node) && reading.dialect === '2019-09' && ownValue(node, '$recursiveAnchor') === true,
  }
  document.resources.set(pointer, resource)
  return resource
}

/** What `$id` (draft-04: `id`) gives: a new URI, an anchor in it, or both; undefined where it gives neither. */
function identifierOf(
  node: JsonObject,
  dialect: Dialect,
  base: string,
): { readonly uri?: string; readonly anchor?: string } | undefined {
  if (dialect === 'openapi-3.0') return undefined
  if (ignoresReferenceSiblings(dialect) && hasText(node, '$ref')) return undefined
  const text = ownValue(node, dialect === 'draft-04' ? 'id' : '$id')
  if (typeof text !== 'string') return undefined
  const resolved = resolveUri(text, base)
  if (resolved === undefined) return undefined
  const named = ignoresReferenceSiblings(dialect) && resolved.fragment !== '' && !resolved.fragment.startsWith('/')
  return {
    ...(text === '' || text.startsWith('#') ? {} : { uri: resolved.uri }),
    ...(named ? { anchor: resolved.fragment } : {}),
  }
}

function recordAnchors(node: JsonObject, pointer: string, resource: Resource): void {
  const { dialect } = resource.reading
  const named = identifierOf(node, dialect, resource.uri)?.anchor
  if (named !== undefined) addAnchor(resource, named, pointer)
  if (dialect !== '2020-12' && dialect !== '2019-09') return
  const anchor = ownValue(node, '$anchor')
  if (typeof anchor === 'string') addAnchor(resource, anchor, pointer)
  const dynamic = dialect === '2020-12' ? ownValue(node, '$dynamicAnchor') : undefined
  if (typeof dynamic !== 'string') return
  addAnchor(resource, dynamic, pointer)
  resource.dynamicAnchors.set(dynamic, pointer)
}

function addAnchor(resource: Resource, name: string, pointer: string): void {
  const known = resource.anchors.get(name)
  resource.anchors.set(name, known === undefined || known === pointer ? pointer : null)
}

function rootReading(value: JsonValue, options: IndexOptions): DialectReading {
  const schemaUri = isObject(value) ? ownValue(value, '$schema') : undefined
  return typeof schemaUri === 'string' ? options.readingOf(schemaUri) : options.fallback
}

/** The schemas directly inside a keyword's value, with their places. */
function childSchemas(kind: string, value: JsonValue, pointer: string): [JsonValue, string][] {
  switch (kind) {
    case 'schema':
    case 'contains-silent':
    case 'additional-items':
    case 'note-schema':
      return [[value, pointer]]
    case 'schemas':
      return Array.isArray(value) ? value.map((item, index) => [item, appendPointer(pointer, index)]) : []
    case 'items-or-tuple':
      return Array.isArray(value)
        ? value.map((item, index) => [item, appendPointer(pointer, index)])
        : [[value, pointer]]
    case 'schema-map':
    case 'pattern-map':
    case 'definitions':
    case 'dependencies':
      return isObject(value)
        ? Object.keys(value).map((name) => [value[name] as JsonValue, appendPointer(pointer, name)])
        : []
    default:
      return []
  }
}

function hasText(node: JsonObject, name: string): boolean {
  return typeof ownValue(node, name) === 'string'
}
