// The dialects of JSON Schema as one table of keywords: in which dialects a word exists, and how it is read there.
// Invariant: a word without a row in a dialect means nothing there, even if other dialects know it.
import type { Dialect } from '../normal.ts'

/** How a keyword's value is read; each kind has one reader. */
export type KeywordKind =
  | 'type'
  | 'values'
  | 'value'
  | 'number'
  | 'positive'
  | 'count'
  | 'flag'
  | 'exclusive-flag'
  | 'nullable'
  | 'pattern'
  | 'format'
  | 'text'
  | 'names'
  | 'names-map'
  | 'schema'
  | 'schemas'
  | 'schema-map'
  | 'pattern-map'
  | 'dependencies'
  | 'items-or-tuple'
  | 'additional-items'
  /** Counts items without marking them as evaluated. */
  | 'contains-silent'
  | 'reference'
  | 'dynamic-reference'
  | 'recursive-reference'
  /** Names a schema; read while indexing, not while validating. */
  | 'identity'
  /** Holds schemas for others to reference. */
  | 'definitions'
  /** Describes; never asserts. */
  | 'note'
  /** Describes by a schema: never asserts, but identifiers in it count. */
  | 'note-schema'

/** The vocabularies of 2020-12; 2019-09 groups the same words a little differently. */
export type Vocabulary = 'core' | 'applicator' | 'unevaluated' | 'validation' | 'format' | 'content' | 'meta-data'

export interface KeywordRow {
  readonly kind: KeywordKind
  readonly vocabulary: Vocabulary
}

const only04 = ['draft-04'] as const
const only2019 = ['2019-09'] as const
const only2020 = ['2020-12'] as const
const openapi = ['openapi-3.0'] as const
const from2019 = [...only2019, ...only2020] as const
const from07 = ['draft-07', ...from2019] as const
const from06 = ['draft-06', ...from07] as const
const from04 = [...only04, ...from06] as const
const every = [...from04, ...openapi] as const
const to07 = ['draft-04', 'draft-06', 'draft-07'] as const

type Row = readonly [words: string, kind: KeywordKind, dialects: readonly Dialect[], vocabulary: Vocabulary]

const table: readonly Row[] = [
  ['$ref', 'reference', every, 'core'],
  ['$dynamicRef', 'dynamic-reference', only2020, 'core'],
  ['$recursiveRef', 'recursive-reference', only2019, 'core'],
  ['id', 'identity', only04, 'core'],
  ['$id', 'identity', from06, 'core'],
  ['$schema', 'identity', from04, 'core'],
  ['$anchor $vocabulary', 'identity', from2019, 'core'],
  ['$recursiveAnchor', 'identity', only2019, 'core'],
  ['$dynamicAnchor', 'identity', only2020, 'core'],
  ['definitions', 'definitions', from04, 'core'],
  ['$defs', 'definitions', from2019, 'core'],
  ['$comment', 'note', from07, 'core'],

  ['type', 'type', every, 'validation'],
  ['enum', 'values', every, 'validation'],
  ['const', 'value', from06, 'validation'],
  ['multipleOf', 'positive', every, 'validation'],
  ['maximum minimum', 'number', every, 'validation'],
  ['exclusiveMaximum exclusiveMinimum', 'exclusive-flag', [...only04, ...openapi], 'validation'],
  ['exclusiveMaximum exclusiveMinimum', 'number', from06, 'validation'],
  ['maxLength minLength maxItems minItems maxProperties minProperties', 'count', every, 'validation'],
  ['maxContains minContains', 'count', from2019, 'validation'],
  ['pattern', 'pattern', every, 'validation'],
  ['uniqueItems', 'flag', every, 'validation'],
  ['required', 'names', every, 'validation'],
  ['dependentRequired', 'names-map', from2019, 'validation'],
  ['nullable', 'nullable', openapi, 'validation'],
  ['format', 'format', every, 'format'],

  ['properties', 'schema-map', every, 'applicator'],
  ['patternProperties', 'pattern-map', from04, 'applicator'],
  ['additionalProperties', 'schema', every, 'applicator'],
  ['propertyNames', 'schema', from06, 'applicator'],
  ['dependencies', 'dependencies', to07, 'applicator'],
  ['dependentSchemas', 'schema-map', from2019, 'applicator'],
  ['items', 'items-or-tuple', [...to07, ...only2019], 'applicator'],
  ['additionalItems', 'additional-items', [...to07, ...only2019], 'applicator'],
  ['items', 'schema', [...only2020, ...openapi], 'applicator'],
  ['prefixItems', 'schemas', only2020, 'applicator'],
  ['contains', 'schema', ['draft-06', 'draft-07', ...only2020], 'applicator'],
  ['contains', 'contains-silent', only2019, 'applicator'],
  ['allOf anyOf oneOf', 'schemas', every, 'applicator'],
  ['not', 'schema', every, 'applicator'],
  ['if then else', 'schema', from07, 'applicator'],
  ['unevaluatedProperties unevaluatedItems', 'schema', from2019, 'unevaluated'],

  ['contentEncoding contentMediaType', 'note', from07, 'content'],
  ['contentSchema', 'note-schema', from2019, 'content'],
  ['title description', 'text', every, 'meta-data'],
  ['default', 'note', every, 'meta-data'],
  ['examples', 'note', from06, 'meta-data'],
  ['readOnly writeOnly', 'note', [...from07, ...openapi], 'meta-data'],
  ['deprecated', 'note', [...from2019, ...openapi], 'meta-data'],
  ['example discriminator xml externalDocs', 'note', openapi, 'meta-data'],
]

const rows = new Map<Dialect, ReadonlyMap<string, KeywordRow>>()

/** The keywords of a dialect by name. */
export function keywordsOf(dialect: Dialect): ReadonlyMap<string, KeywordRow> {
  const known = rows.get(dialect)
  if (known !== undefined) return known
  const keywords = new Map<string, KeywordRow>()
  for (const [words, kind, dialects, vocabulary] of table) {
    if (!dialects.includes(dialect)) continue
    for (const word of words.split(' ')) keywords.set(word, { kind, vocabulary })
  }
  rows.set(dialect, keywords)
  return keywords
}

/** Up to draft-07, and in OpenAPI 3.0, a `$ref` switches off the words beside it. */
export function ignoresReferenceSiblings(dialect: Dialect): boolean {
  return dialect !== '2020-12' && dialect !== '2019-09'
}

const schemaUris: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
  ['json-schema.org/draft-04/schema', 'draft-04'],
  // OpenAPI 3.1 describes its schemas in 2020-12 and adds only annotations.
  ['spec.openapis.org/oas/3.1/dialect/base', '2020-12'],
])

/** The `$schema` values to offer in a message. */
export const knownSchemaUris: readonly string[] = [
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2019-09/schema',
  'http://json-schema.org/draft-07/schema#',
  'http://json-schema.org/draft-06/schema#',
  'http://json-schema.org/draft-04/schema#',
]

/** The dialect that a `$schema` value names; http or https, with or without an empty fragment. */
export function dialectOf(schemaUri: string): Dialect | undefined {
  return schemaUris.get(schemaUri.replace(/^https?:\/\//, '').replace(/#$/, ''))
}

const vocabularyUris: ReadonlyMap<string, readonly Vocabulary[]> = new Map([
  ['https://json-schema.org/draft/2020-12/vocab/core', ['core']],
  ['https://json-schema.org/draft/2020-12/vocab/applicator', ['applicator']],
  ['https://json-schema.org/draft/2020-12/vocab/unevaluated', ['unevaluated']],
  ['https://json-schema.org/draft/2020-12/vocab/validation', ['validation']],
  ['https://json-schema.org/draft/2020-12/vocab/format-annotation', ['format']],
  ['https://json-schema.org/draft/2020-12/vocab/format-assertion', ['format']],
  ['https://json-schema.org/draft/2020-12/vocab/content', ['content']],
  ['https://json-schema.org/draft/2020-12/vocab/meta-data', ['meta-data']],
  ['https://json-schema.org/draft/2019-09/vocab/core', ['core']],
  ['https://json-schema.org/draft/2019-09/vocab/applicator', ['applicator', 'unevaluated']],
  ['https://json-schema.org/draft/2019-09/vocab/validation', ['validation']],
  ['https://json-schema.org/draft/2019-09/vocab/format', ['format']],
  ['https://json-schema.org/draft/2019-09/vocab/content', ['content']],
  ['https://json-schema.org/draft/2019-09/vocab/meta-data', ['meta-data']],
])

/** The groups of keywords that a `$vocabulary` URI switches on; undefined for an unknown URI. */
export function vocabulariesOf(uri: string): readonly Vocabulary[] | undefined {
  return vocabularyUris.get(uri)
}
