// The operations of an OpenAPI document, each with everything that its path and the document say for it.

import { appendPointer } from '../../json/pointer.ts'
import { withoutEnd } from '../../json/text-end.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { OpenApiDocument, OpenApiGap } from './document.ts'

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace', 'query'] as const

export const parameterPlaces = ['path', 'query', 'header', 'cookie', 'formData', 'body'] as const

export type ParameterPlace = (typeof parameterPlaces)[number]

export interface Parameter {
  readonly name: string
  readonly place: ParameterPlace
  readonly value: JsonObject
  readonly pointer: string
}

export interface Operation {
  readonly method: (typeof methods)[number]
  readonly path: string
  readonly pointer: string
  readonly value: JsonObject
  readonly parameters: readonly Parameter[]
  /** Where it is served, the most particular first; undefined where the document does not say. */
  readonly server: string | undefined
  /** The same as the whole document writes it, every server, readable or not; null where operation or path say it themselves. */
  readonly servers: JsonValue
  readonly security: readonly JsonObject[]
  /** What its path says for all of its operations. */
  readonly above: JsonValue
  readonly gaps: readonly OpenApiGap[]
}

const maxOperations = 10_000

export function operationsOf(
  document: OpenApiDocument,
  base?: string,
): { readonly operations: readonly Operation[]; readonly gaps: readonly OpenApiGap[] } {
  const gaps: OpenApiGap[] = []
  const operations: Operation[] = []
  for (const [path, given] of isObject(document.root.paths) ? Object.entries(document.root.paths) : []) {
    if (path.startsWith('x-')) continue
    const item = document.resolve(given, appendPointer('/paths', path))
    if (!item.ok) {
      gaps.push(item.gap)
      continue
    }
    const above = aboveOf(given, item.value)
    for (const method of methods) {
      const value = item.value[method]
      if (!isObject(value)) continue
      if (operations.length >= maxOperations) {
        gaps.push({ pointer: '/paths', construct: 'size', message: `There are more than ${maxOperations} operations.` })
        return { operations, gaps }
      }
      operations.push(
        operationAt(document, item.value, { method, path, value, pointer: `${item.pointer}/${method}`, above }, base),
      )
    }
  }
  return { operations, gaps }
}

/** What stands beside a reference is not followed here, and others may go by it. */
function aboveOf(given: JsonValue, item: JsonObject): JsonValue {
  const words = (of: JsonValue) =>
    isObject(of) ? Object.entries(of).filter(([word]) => word !== '$ref' && !methods.some((one) => one === word)) : []
  return given === item ? Object.fromEntries(words(item)) : [given, item].map((of) => Object.fromEntries(words(of)))
}

function operationAt(
  document: OpenApiDocument,
  item: JsonObject,
  own: Pick<Operation, 'method' | 'path' | 'value' | 'pointer' | 'above'>,
  base: string | undefined,
): Operation {
  const gaps: OpenApiGap[] = []
  const holder = own.pointer.slice(0, own.pointer.lastIndexOf('/'))
  const parameters = new Map<string, Parameter>()
  // What the operation says of a parameter stands in for what its path says.
  for (const [list, at] of [
    [item.parameters, `${holder}/parameters`],
    [own.value.parameters, `${own.pointer}/parameters`],
  ] as const) {
    for (const [index, given] of (Array.isArray(list) ? (list as readonly JsonValue[]) : []).entries()) {
      const read = document.resolve(given, `${at}/${index}`)
      if (!read.ok) {
        gaps.push(read.gap)
        continue
      }
      const { name, in: place } = read.value
      const known = placesOf(document).find((one) => one === place)
      if (typeof name !== 'string' || known === undefined) {
        gaps.push({
          pointer: read.pointer,
          construct: 'parameter',
          message: 'The parameter has no name, or no known place.',
        })
      } else parameters.set(`${known} ${name}`, { name, place: known, value: read.value, pointer: read.pointer })
    }
  }
  const security = own.value.security ?? document.root.security
  return {
    ...own,
    parameters: [...parameters.values()],
    server: serverOf(document, [own.value, item], base),
    servers: serversOf(document, [own.value, item]),
    security: Array.isArray(security) ? security.filter(isObject) : [],
    gaps,
  }
}

/** Bodies were parameters once, and are not any more. */
const placesOf = ({ version }: OpenApiDocument): readonly ParameterPlace[] =>
  version === '2.0' ? parameterPlaces : parameterPlaces.filter((place) => place !== 'body' && place !== 'formData')

function serverOf(
  document: OpenApiDocument,
  particular: readonly JsonObject[],
  base: string | undefined,
): string | undefined {
  const { root, version } = document
  if (version === '2.0') {
    const schemes = Array.isArray(root.schemes) ? root.schemes : ['https']
    const scheme = schemes.includes('https') ? 'https' : schemes.includes('http') ? 'http' : undefined
    const path = typeof root.basePath === 'string' ? root.basePath : ''
    if (typeof root.host === 'string' && scheme !== undefined) return absolute(`${scheme}://${root.host}${path}`, base)
    return base === undefined ? undefined : absolute(path || '/', base)
  }
  for (const holder of [...particular, root]) {
    const first = firstServer(holder)
    if (first !== undefined) return absolute(filled(first.url, first.variables), base)
  }
  return base === undefined ? undefined : absolute('/', base)
}

function firstServer({ servers }: JsonObject) {
  const [first] = Array.isArray(servers) ? (servers as readonly JsonValue[]) : []
  return isObject(first) && typeof first.url === 'string' ? { url: first.url, variables: first.variables } : undefined
}

function serversOf({ root, version }: OpenApiDocument, particular: readonly JsonObject[]): JsonValue {
  if (version === '2.0') return [root.schemes ?? null, root.host ?? null, root.basePath ?? null]
  return particular.some((holder) => firstServer(holder) !== undefined) ? null : (root.servers ?? null)
}

/** Variables stand for their defaults. */
function filled(url: string, variables: JsonValue | undefined): string {
  return url.slice(0, 2_000).replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
    return isObject(variable) && typeof variable.default === 'string' ? variable.default : whole
  })
}

function absolute(url: string, base: string | undefined): string | undefined {
  if (url.includes('{') || !URL.canParse(url, base)) return undefined
  const parsed = new URL(url, base)
  const isPlain = parsed.username === '' && parsed.password === '' && parsed.search === '' && parsed.hash === ''
  if (!/^https?:$/.test(parsed.protocol) || !isPlain) return undefined
  return withoutEnd(`${parsed.origin}${parsed.pathname}`, '/')
}
