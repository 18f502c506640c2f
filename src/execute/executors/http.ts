// The executor of an HTTP request: made from templates once, sent over checked connections, its reply mapped to a result or to an error
// that says whether the effect can be there.
import { Fault, ToolError } from '../../contract/fault.ts'
import type { ExecutionContext, Executor, Upstream } from '../../contract/tool/executor.ts'
import type { acceptingStatuses, HttpFile, httpMethods } from '../../contract/tool/executor-files/http-file.ts'
import { tokensOf } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { Network } from '../egress/allowed-host.ts'
import type { OutgoingRequest } from '../egress/exchange.ts'
import { acceptedEncodings, isSafe } from '../egress/method.ts'
import { type BodyTemplate, formBody, jsonBody } from './http/body-template.ts'
import { headerTemplates } from './http/header-templates.ts'
import type { ResultForm } from './http/response.ts'
import type { RequestTraits } from './http/send.ts'
import { urlTemplate } from './http/url-template.ts'
import { namesIn, type TextTemplate } from './text-template.ts'

export interface HttpOptions {
  readonly method: (typeof httpMethods)[number]
  /** `https://api.example.com/orders/{order_id}`: {name} and {/pointer} stand for arguments, {credential:name} for a secret. */
  readonly url: string
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body as JSON: true for the arguments that stand nowhere else, or a value whose texts are templates. */
  readonly json?: JsonValue | undefined
  /** A form submission: never below HIGH_RISK_EXTERNAL. */
  readonly form?: boolean | Readonly<Record<string, string>> | undefined
  /** A POST that only asks, such as a search. */
  readonly readsOnly?: boolean | undefined
  readonly result?: ResultForm | undefined
  readonly maxResponseBytes?: number | undefined
  readonly redirects?: number | undefined
  /** Statuses with which this provider says that nothing was done, such as 503. */
  readonly withoutEffect?: readonly number[] | undefined
  /** Those of 202, 207, 301, 302 and 303 with which this provider says that it was done; by themselves they do not say so. */
  readonly withEffect?: readonly (typeof acceptingStatuses)[number][] | undefined
  /**
   * Which operation of which pinned OpenAPI document it is: then it is sent only while that operation is, as far as is known, what a person
   * approved.
   */
  readonly pin?: HttpPin | undefined
  readonly version?: string | undefined
  /** A resolver of one's own, and certificates to trust. */
  readonly network?: Partial<Network> | undefined
}

interface HttpPin {
  /** The name under which the document is pinned. */
  readonly source: string
  /** The operation, by the name that `proviso drift show` lists it under. */
  readonly operation: string
}

const defaultMaxBytes = 10 * 1024 * 1024
const defaultRedirects = 5
const userAgent = 'proviso'

/** Throws a Fault where a template cannot be taken. */
export function http(options: HttpOptions): Executor {
  const { method, readsOnly = false, result = 'body', withoutEffect = [], withEffect = [] } = options
  const url = urlTemplate(options.url, options.query)
  const headers = headerTemplates(options.headers)
  const body = bodyOf(options, [...url.templates, ...headers.templates])
  const mutates = !isSafe(method) && !readsOnly
  const isForm = options.form !== undefined && options.form !== false
  if (isForm && readsOnly) throw new Fault('bad_options', 'A form submission is no read.')
  const both = withEffect.find((status) => withoutEffect.includes(status))
  if (both !== undefined)
    throw new Fault('bad_options', `${both} cannot say both that it was done and that it was not.`)
  const upstream = upstreamOf(options.pin)
  const request: RequestTraits = {
    mutates,
    isForm,
    result,
    withoutEffect,
    withEffect,
    maxBytes: options.maxResponseBytes ?? defaultMaxBytes,
    redirects: options.redirects ?? defaultRedirects,
    network: options.network ?? {},
  }

  const sendingOf = (args: JsonObject, context: ExecutionContext): OutgoingRequest => {
    const source = { args, credentials: context.credentials }
    const text = body?.fill(source)
    return {
      method,
      url: url.fill(source),
      headers: {
        accept: 'application/json, text/*;q=0.9, */*;q=0.1',
        'user-agent': userAgent,
        ...(body === undefined || text === undefined ? {} : { 'content-type': body.type }),
        ...headers.fill(source),
        'accept-encoding': acceptedEncodings,
        ...keyHeaderOf(context),
      },
      body: text === undefined ? undefined : Buffer.from(text),
    }
  }

  return {
    kind: 'http',
    isolated: false,
    connects: true,
    readsOnly: !mutates,
    leastEffect: isForm ? 'HIGH_RISK_EXTERNAL' : mutates ? 'EPHEMERAL_WRITE' : undefined,
    names: namesIn([...url.templates, ...headers.templates, ...(body?.templates ?? [])]),
    version: options.version,
    upstream,
    async run(args, context) {
      if (upstream !== undefined) await vetted(context)
      const sending = sendingOf(args, context)
      const { sendRequest } = await import('./http/send.ts')
      return sendRequest(sending, request, context)
    },
  }
}

function upstreamOf(pin: HttpPin | undefined): Upstream | undefined {
  if (pin === undefined) return undefined
  const { source, operation } = pin
  if (typeof source !== 'string' || source === '')
    throw new Fault('bad_options', 'pin.source is the name under which the OpenAPI document is pinned.')
  // A name that no operation can have would be blocked for ever, and no message would say why.
  if (typeof operation !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(operation))
    throw new Fault(
      'bad_options',
      'pin.operation is the name that `proviso drift show` lists the operation under, such as charges_refund for charges.refund.',
    )
  return { source, tool: operation }
}

/** A surface that is kept for a while may be older than what is known by now. */
async function vetted({ vetUnseen }: ExecutionContext): Promise<void> {
  if (vetUnseen === undefined)
    throw new ToolError('http_unvetted', 'It is not known here what a person has approved of this operation.', {
      effect: 'none',
      class: 'DEPENDENCY_UNAVAILABLE',
    })
  await vetUnseen()
}

function bodyOf({ method, json, form }: HttpOptions, others: readonly TextTemplate[]): BodyTemplate | undefined {
  const hasJson = json !== undefined && json !== false
  const hasForm = form !== undefined && form !== false
  if (!hasJson && !hasForm) return undefined
  if (hasJson && hasForm) throw new Fault('bad_options', 'A request has one body: json or form.')
  if (isSafe(method)) throw new Fault('bad_options', `A ${method} request has no body.`)
  const elsewhere = new Set(
    others.flatMap((template) =>
      template.flatMap((part) => (part.kind === 'argument' ? tokensOf(part.pointer).slice(0, 1) : [])),
    ),
  )
  return hasForm ? formBody(form, elsewhere) : jsonBody(json as JsonValue, elsewhere)
}

/** The provider's own guard against doing it twice. */
function keyHeaderOf({ keyHeader, idempotencyKey }: ExecutionContext): Record<string, string> {
  return keyHeader === undefined || idempotencyKey === undefined ? {} : { [keyHeader.toLowerCase()]: idempotencyKey }
}

/** The http executor from its declaration in a tool file. */
export function httpFromFile(file: HttpFile): Executor {
  const { kind: _kind, reads_only, max_response_bytes, without_effect, with_effect, ...same } = file
  return http({
    ...same,
    readsOnly: reads_only,
    maxResponseBytes: max_response_bytes,
    withoutEffect: without_effect,
    withEffect: with_effect,
  })
}
