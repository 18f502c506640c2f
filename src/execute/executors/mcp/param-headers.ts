// Arguments that a tool wants mirrored into header lines: `x-mcp-header` in the input schema that the server lists, by the revision of 2026
// over HTTP. A schema that places it wrongly makes the tool one that is not called.
import { isObject, type JsonObject, type JsonValue } from '../../../json/value.ts'

interface MirroredArgument {
  readonly path: readonly string[]
  readonly header: string
}

export type ParamHeaders =
  | { readonly ok: true; readonly arguments: readonly MirroredArgument[] }
  | { readonly ok: false; readonly reason: string }

const annotation = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/
const primitives: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
/** The author of the schema cannot keep this process busy: what is larger is not searched, and so not called. */
const maxNodes = 100_000
/** Keywords that hold one schema or a list of them, and those that hold schemas by name. */
const schemas = [
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
] as const
const namedSchemas = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'] as const

interface Place {
  readonly schema: JsonValue | undefined
  /** Undefined where it is not reached by `properties` alone. */
  readonly path: readonly string[] | undefined
}

export function readParamHeaders(inputSchema: unknown): ParamHeaders {
  const found: MirroredArgument[] = []
  const names = new Set<string>()
  const places: Place[] = [{ schema: inputSchema as JsonValue, path: [] }]
  for (let at = 0; at < places.length; at++) {
    if (places.length > maxNodes) return { ok: false, reason: `its schema has more than ${maxNodes} parts` }
    const { schema, path } = places[at] as Place
    if (!isObject(schema)) continue
    if (Object.hasOwn(schema, annotation)) {
      const header = schema[annotation]
      const problem = problemOf(schema, path, names)
      if (problem !== undefined) return { ok: false, reason: problem }
      names.add(String(header).toLowerCase())
      found.push({ path: path ?? [], header: String(header) })
    }
    for (const place of placesIn(schema, path)) places.push(place)
  }
  return { ok: true, arguments: found }
}

function problemOf(schema: JsonObject, path: Place['path'], names: ReadonlySet<string>): string | undefined {
  const header = schema[annotation]
  if (path === undefined || path.length === 0) return 'a header is named where no argument stands'
  if (typeof header !== 'string' || !token.test(header)) return 'a header has a name that is none'
  if (!primitives.has(schema.type)) return `the header ${header} is not of a text, an integer or a yes or no`
  return names.has(header.toLowerCase()) ? `two arguments have the header ${header}` : undefined
}

function* placesIn(schema: JsonObject, path: Place['path']): Generator<Place> {
  const { properties } = schema
  if (isObject(properties))
    for (const [name, child] of Object.entries(properties))
      yield { schema: child, path: path === undefined ? undefined : [...path, name] }
  for (const keyword of schemas) {
    const value = schema[keyword]
    for (const child of Array.isArray(value) ? value : [value])
      if (isObject(child)) yield { schema: child, path: undefined }
  }
  for (const keyword of namedSchemas) {
    const value = schema[keyword]
    if (isObject(value)) for (const child of Object.values(value)) yield { schema: child, path: undefined }
  }
}

/** What is not there, or null, has no header. */
export function headersFor(mirrored: readonly MirroredArgument[], args: JsonObject): Readonly<Record<string, string>> {
  const lines = mirrored.flatMap(({ path, header }) => {
    const text = textOf(valueAt(args, path))
    return text === undefined ? [] : [[`Mcp-Param-${header}`, encoded(text)] as const]
  })
  return Object.fromEntries(lines)
}

function valueAt(args: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = args
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value))
    ? String(value)
    : undefined
}

/** As it is where it is plain text; a server that reads `=?base64?…?=` takes that for an encoding. */
function encoded(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text.trim() === text
  const looksEncoded = text.startsWith('=?base64?') && text.endsWith('?=')
  return isPlain && !looksEncoded ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}
