// The official meta-schemas as known documents. They are not part of this package: ajv, an optional peer, carries them, and they
// are read from there when a schema references one. Without ajv such a reference is refused like any other document that was
// not given.
import { createRequire } from 'node:module'
import type { JsonValue } from '../../json/value.ts'

const folder = 'ajv/dist/refs'

const files: ReadonlyMap<string, string> = new Map([
  ...withVocabularies('2020-12', [
    'applicator',
    'content',
    'core',
    'format-annotation',
    'meta-data',
    'unevaluated',
    'validation',
  ]),
  ...withVocabularies('2019-09', ['applicator', 'content', 'core', 'format', 'meta-data', 'validation']),
  ['http://json-schema.org/draft-07/schema', `${folder}/json-schema-draft-07.json`],
  ['http://json-schema.org/draft-06/schema', `${folder}/json-schema-draft-06.json`],
])

const require = createRequire(import.meta.url)

/** The meta-schema at an absolute URI without fragment; draft-04's has to be given among the resources. */
export function metaSchema(uri: string): JsonValue | undefined {
  const file = files.get(uri)
  if (file === undefined) return undefined
  try {
    return require(file) as JsonValue
  } catch {
    return undefined
  }
}

function withVocabularies(release: string, names: readonly string[]): [string, string][] {
  const base = `https://json-schema.org/draft/${release}`
  const local = `${folder}/json-schema-${release}`
  return [
    [`${base}/schema`, `${local}/schema.json`],
    ...names.map((name): [string, string] => [`${base}/meta/${name}`, `${local}/meta/${name}.json`]),
  ]
}
