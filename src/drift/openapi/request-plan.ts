// The request of an operation as the http executor takes it. What it could not send faithfully is named, and then there is no plan: a
// parameter that is silently left out would change what the call means.
import { type HttpFile, httpMethods } from '../../contract/tool/executor-files/http-file.ts'
import { framing } from '../../contract/tool/framing.ts'
import { escapeToken } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { Argument, DerivedInput } from './derive-input.ts'
import type { OpenApiDocument, OpenApiGap } from './document.ts'
import type { Operation } from './operations.ts'
import { type SecurityPlan, securityPlan } from './security.ts'

export interface RequestPlan {
  readonly executor: HttpFile
  /** Credentials that it names, with the security scheme that each is for. */
  readonly credentials: SecurityPlan['credentials']
  /** The arguments that the request can carry: the input of the operation without what is withheld. */
  readonly input: JsonObject
  /** Optional arguments that the executor cannot send: they are not offered, so that none is dropped in silence. */
  readonly withheld: readonly { readonly argument: string; readonly gap: OpenApiGap }[]
}

export type Planning =
  | { readonly ok: true; readonly plan: RequestPlan }
  | { readonly ok: false; readonly gaps: readonly OpenApiGap[] }

export function planRequest(document: OpenApiDocument, operation: Operation, input: DerivedInput): Planning {
  // A parameter or a body that cannot be read would be missing from every request.
  const gaps: OpenApiGap[] = [...input.unread]
  const miss = (construct: string, message: string, pointer = operation.pointer): void => {
    gaps.push({ pointer, construct, message })
  }
  const method = httpMethods.find((one) => one === operation.method.toUpperCase())
  if (method === undefined) miss('method', `${operation.method.toUpperCase()} requests are not sent.`)
  // Right behind the host, anything but a slash would make it another host.
  if (!operation.path.startsWith('/')) miss('path', 'The path does not begin with a slash.')
  if (operation.server === undefined) miss('servers', 'The document does not say where it is served.')
  const security = securityPlan(document, operation)
  if (!security.ok) gaps.push(security.gap)
  const withheld: { argument: string; gap: OpenApiGap }[] = []
  const refuse = (
    { name, required }: Argument,
    construct: string,
    message: string,
    pointer = operation.pointer,
  ): void => {
    if (required) miss(construct, message, pointer)
    else withheld.push({ argument: name, gap: { pointer, construct, message } })
  }
  const query: [string, string][] = []
  const headers: [string, string][] = []
  const path = new Map<string, string>()
  const ofCredentials = new Set(security.ok ? security.plan.query.map(([name]) => name) : [])
  for (const argument of input.arguments) {
    if (argument.parameter === undefined) continue
    const { name } = argument.parameter
    const unfit = unsendable(document, argument)
    if (unfit !== undefined) refuse(argument, argument.place, unfit, argument.parameter.pointer)
    else if (argument.place === 'path') path.set(name, reference(argument.name))
    else if (argument.place === 'query' && ofCredentials.has(name))
      refuse(argument, 'query', 'A credential stands there.', argument.parameter.pointer)
    else if (argument.place === 'query') query.push([name, reference(argument.name)])
    else headers.push([name, reference(argument.name)])
  }
  const filled = operation.path.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const found = path.get(name)
    if (found === undefined) miss('path', `The path names ${whole.slice(0, 80)}, which no parameter describes.`)
    return found ?? whole
  })
  const body = bodyPlan(input, method, refuse)
  if (method === undefined || operation.server === undefined || !security.ok || gaps.length > 0)
    return { ok: false, gaps }
  const lines = [...headers, ...security.plan.headers].map(([name]) => name.toLowerCase())
  if (new Set(lines).size < lines.length) {
    miss('header', 'A header would stand twice.')
    return { ok: false, gaps }
  }
  const allQuery = [...query, ...security.plan.query]
  const allHeaders = [...headers, ...security.plan.headers]
  const executor: HttpFile = {
    kind: 'http',
    method,
    url: `${operation.server}${filled}`,
    ...(allQuery.length === 0 ? {} : { query: Object.fromEntries(allQuery) }),
    ...(allHeaders.length === 0 ? {} : { headers: Object.fromEntries(allHeaders) }),
    ...body,
  }
  const offered = without(input.schema, new Set(withheld.map(({ argument }) => argument)))
  return { ok: true, plan: { executor, credentials: security.plan.credentials, input: offered, withheld } }
}

const reference = (name: string): string =>
  /^[A-Za-z_$][A-Za-z0-9_$.-]{0,127}$/.test(name) ? `{${name}}` : `{/${escapeToken(name)}}`

/** Lines that say who the caller is are never filled by a model. */
const identifying: ReadonlySet<string> = new Set(['cookie', 'forwarded', 'origin', 'referer'])

function isHeader(given: string): boolean {
  const name = given.toLowerCase()
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && !framing.has(name) && !identifying.has(name)
}

/** Why the executor cannot put the argument where it belongs. */
function unsendable(document: OpenApiDocument, { place, parameter, name, schema }: Argument): string | undefined {
  if (/[{}]/.test(name)) return 'Its name has braces.'
  if (place === 'cookie') return 'No argument may stand in a cookie.'
  if (place === 'header' && !isHeader(parameter?.name ?? '')) return 'No argument may stand in a header of this name.'
  const { style, explode, collectionFormat, content } = parameter?.value ?? {}
  if (content !== undefined) return 'Its value is a document of its own.'
  const type = parameterType(document, schema, parameter?.value)
  if (type === 'object') return 'An object has no plain form there.'
  if (place === 'query') {
    const isRepeated =
      document.version === '2.0' ? collectionFormat === 'multi' : (style ?? 'form') === 'form' && explode !== false
    return type === 'array' && !isRepeated ? 'A list is sent only as a repeated parameter.' : undefined
  }
  if (type === 'array') return 'A list has no plain form there.'
  return style === undefined || style === 'simple'
    ? undefined
    : `The style ${String(style).slice(0, 40)} is not written.`
}

function parameterType(
  document: OpenApiDocument,
  schema: JsonValue,
  parameter: JsonObject | undefined,
): JsonValue | undefined {
  const named = isObject(schema) ? schema.type : undefined
  const read = parameter === undefined ? undefined : document.resolve(parameter.schema, '')
  const type = named ?? (read?.ok ? read.value.type : undefined)
  return Array.isArray(type) ? type.find((one) => one === 'object' || one === 'array') : type
}

type Refuse = (argument: Argument, construct: string, message: string) => void

function bodyPlan(input: DerivedInput, method: string | undefined, refuse: Refuse): Pick<HttpFile, 'json' | 'form'> {
  const { body } = input
  const argument = input.arguments.find(({ place }) => place === 'body')
  if (body === undefined || argument === undefined) return {}
  if (method === 'GET' || method === 'HEAD') {
    refuse(argument, 'requestBody', `A ${method} request is sent without a body.`)
    return {}
  }
  if (body.kind === 'json') return { json: reference(argument.name) }
  if (body.kind === 'form' && body.fields?.every((field) => !/[{}]/.test(field))) {
    const at = (field: string): string => `{/${escapeToken(argument.name)}/${escapeToken(field)}}`
    return { form: Object.fromEntries(body.fields.map((field) => [field, at(field)])) }
  }
  refuse(argument, 'requestBody', `A body of this kind is not sent: ${body.kind}.`)
  return {}
}

function without(schema: JsonObject, names: ReadonlySet<string>): JsonObject {
  if (names.size === 0 || !isObject(schema.properties)) return schema
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !names.has(name)))
  return { ...schema, properties }
}
