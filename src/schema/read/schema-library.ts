// All documents a schema may reference, by absolute URI: the given one, the caller's resources, the meta-schemas.
// Invariant: nothing is ever fetched, and an identifier that two different schemas claim is never resolved silently.
import { canonicalize } from '../../json/canonical.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import type { Dialect } from '../normal.ts'
import { dialectOf, type KeywordRow, keywordsOf, knownSchemaUris, type Vocabulary, vocabulariesOf } from './dialects.ts'
import { metaSchema } from './meta-schemas.ts'
import { type DialectReading, indexDocument, type Resource, type SchemaDocument } from './resources.ts'
import { absoluteUri, anonymousBase } from './uri.ts'

export interface SchemaLibrary {
  readonly root: Resource
  /** The resource at an absolute URI without fragment. */
  find(uri: string): Resource | 'ambiguous' | undefined
  readingOf(schemaUri: string): DialectReading
  /** Every document a reference may reach, meta-schemas left out. */
  readonly values: readonly JsonValue[]
}

export interface LibraryOptions {
  readonly dialect: Dialect
  readonly resources: ReadonlyMap<string, JsonValue>
}

export function openLibrary(schema: JsonValue, options: LibraryOptions): SchemaLibrary {
  const fallback: DialectReading = { dialect: options.dialect, keywords: keywordsOf(options.dialect) }
  const documents = new Map<string, JsonValue>()
  for (const [uri, value] of options.resources) documents.set(absoluteUri(uri) ?? uri, value)
  const byUri = new Map<string, Resource | 'ambiguous'>()
  const indexed = new Map<string, SchemaDocument>()
  const readings = new Map<string, DialectReading>()

  const root = addDocument(anonymousBase, schema, true)
  return { root, find, readingOf, values: [schema, ...documents.values()] }

  function addDocument(uri: string, value: JsonValue, isGiven = false): Resource {
    const document = indexDocument(value, { uri, given: isGiven, fallback, readingOf })
    indexed.set(uri, document)
    for (const resource of document.resources.values()) register(resource.uri, resource)
    const whole = document.resources.get('') as Resource
    if (!byUri.has(uri)) byUri.set(uri, whole)
    return whole
  }

  function register(uri: string, resource: Resource): void {
    const known = byUri.get(uri)
    if (known === undefined) byUri.set(uri, resource)
    else if (known !== 'ambiguous' && canonicalize(known.node) !== canonicalize(resource.node)) {
      byUri.set(uri, 'ambiguous')
    }
  }

  function find(uri: string): Resource | 'ambiguous' | undefined {
    const known = byUri.get(uri)
    if (known !== undefined) return known
    const resource = documents.get(uri)
    if (resource !== undefined && !indexed.has(uri)) return addDocument(uri, resource)
    const meta = metaSchema(uri)
    if (meta !== undefined) return addDocument(uri, meta)
    // A given document may carry an identifier that differs from the address it was given under.
    for (const [address, value] of documents) if (!indexed.has(address)) addDocument(address, value)
    return byUri.get(uri)
  }

  function readingOf(schemaUri: string): DialectReading {
    const known = readings.get(schemaUri)
    if (known !== undefined) return known
    // Holds while the meta-schema is being read, so that a chain of meta-schemas cannot go round in circles.
    readings.set(schemaUri, {
      ...fallback,
      problem: `$schema ${JSON.stringify(schemaUri)} describes itself in a circle`,
    })
    const reading = standardReading(schemaUri) ?? customReading(schemaUri)
    readings.set(schemaUri, reading)
    return reading
  }

  function customReading(schemaUri: string): DialectReading {
    const uri = absoluteUri(schemaUri)
    const meta = uri === undefined ? undefined : documents.get(uri)
    if (!isObject(meta) || typeof meta.$schema !== 'string') {
      const problem = `$schema ${JSON.stringify(schemaUri)} is not known; write one of ${knownSchemaUris.join(', ')}, or give that meta-schema among the resources`
      return { ...fallback, problem }
    }
    const base = readingOf(meta.$schema)
    if (base.problem !== undefined || !isObject(meta.$vocabulary)) return base
    const enabled = new Set<Vocabulary>(['core'])
    for (const [name, required] of Object.entries(meta.$vocabulary)) {
      const vocabularies = vocabulariesOf(name)
      for (const vocabulary of vocabularies ?? []) enabled.add(vocabulary)
      if (vocabularies === undefined && required === true) {
        return {
          ...base,
          problem: `$schema ${JSON.stringify(schemaUri)} requires the vocabulary ${name}, which is not known`,
        }
      }
    }
    const keywords = new Map<string, KeywordRow>()
    for (const [word, row] of base.keywords) if (enabled.has(row.vocabulary)) keywords.set(word, row)
    return { dialect: base.dialect, keywords }
  }
}

function standardReading(schemaUri: string): DialectReading | undefined {
  const dialect = dialectOf(schemaUri)
  return dialect === undefined ? undefined : { dialect, keywords: keywordsOf(dialect) }
}
