// Turns a schema of any dialect into the normal form, or refuses it by name: construct, place, what to write instead.
// Invariant: work is bounded, nothing is fetched, and no part that cannot be read exactly is left out silently.
import { hashJson } from '../json/hash.ts'
import type { JsonValue } from '../json/value.ts'
import {
  type Dialect,
  type FormatMode,
  type NormalSchema,
  nameMap,
  type Preprocessed,
  type SchemaRefusal,
} from './normal.ts'
import { readSchema } from './read/read-schema.ts'
import { openLibrary } from './read/schema-library.ts'

export interface PreprocessOptions {
  /** For documents that do not name one with `$schema`; 2020-12 unless given. */
  readonly dialect?: Dialect
  /** `assert` unless given. */
  readonly formats?: FormatMode
  /** Documents that may be referenced, by absolute URI. */
  readonly resources?: ReadonlyMap<string, JsonValue>
}

export type Preprocessing =
  | { readonly ok: true; readonly schema: Preprocessed }
  | { readonly ok: false; readonly refusals: readonly SchemaRefusal[] }

export function preprocess(schema: JsonValue, options: PreprocessOptions = {}): Preprocessing {
  const { dialect = '2020-12', formats = 'assert', resources = new Map<string, JsonValue>() } = options
  const refusals = refuseLimits(schema, resources)
  if (refusals.length > 0) return { ok: false, refusals }
  const library = openLibrary(schema, { dialect, resources })
  const read = readSchema(library, formats)
  if (read.refusals.length > 0) return { ok: false, refusals: read.refusals }
  const { root, defs, sources, ignored } = read
  return {
    ok: true,
    schema: {
      dialect: library.root.reading.dialect,
      root,
      defs,
      formats,
      hash: hashNormal(root, defs, formats),
      ignored,
      sourcePointer: (node) => (typeof node === 'boolean' ? undefined : sources.get(node)),
    },
  }
}

const maxNesting = 512
const maxValues = 2_000_000

function refuseLimits(schema: JsonValue, resources: ReadonlyMap<string, JsonValue>): readonly SchemaRefusal[] {
  const refusals: SchemaRefusal[] = []
  for (const [uri, value] of [['', schema] as const, ...resources]) {
    const exceeded = exceededLimit(value)
    if (exceeded === undefined) continue
    const pointer = uri === '' ? '' : `${uri}#`
    refusals.push({
      pointer,
      construct: 'size',
      message: `The schema is too large: ${exceeded}. Split it, or simplify it`,
    })
  }
  return refusals
}

/**
 * What is too much about a document, in words, before anything recurses over it. Values are counted by position, because
 * an object that is shared, or contains itself, has more positions than its own size tells.
 */
export function exceededLimit(value: JsonValue): string | undefined {
  let values = 0
  return visit(value, 0)

  function visit(here: JsonValue, depth: number): string | undefined {
    if (++values > maxValues) return `it has more than ${maxValues} values`
    if (typeof here !== 'object' || here === null) return undefined
    if (depth > maxNesting) return `it nests deeper than ${maxNesting} levels`
    for (const child of Object.values(here)) {
      const exceeded = visit(child, depth + 1)
      if (exceeded !== undefined) return exceeded
    }
    return undefined
  }
}

function hashNormal(root: NormalSchema, defs: ReadonlyMap<string, NormalSchema>, formats: FormatMode): string {
  const named = nameMap<NormalSchema>()
  for (const [key, node] of defs) named[key] = node
  // The normal form is JSON, which its interface types do not show.
  return hashJson(['normal-schema', formats, root, named] as unknown as JsonValue)
}
