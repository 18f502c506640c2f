// What a good reply becomes: the value of its body, or the whole response. Integers that JavaScript cannot hold stay text, digit by digit.
import type { IncomingHttpHeaders } from 'node:http'
import { ToolError } from '../../../contract/fault.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'

export type ResultForm = 'body' | 'response'

export interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

export function responseResult(received: Received, form: ResultForm, mutates: boolean): JsonValue {
  const body = bodyValue(received, mutates)
  return form === 'body' ? body : { status: received.status, headers: tellingHeaders(received.headers), body }
}

function bodyValue({ headers, bytes }: Received, mutates: boolean): JsonValue {
  if (bytes.byteLength === 0) return null
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const isJson = /^(?:application|text)\/(?:[a-z0-9.+-]+\+)?json$/.test(type)
  const isText =
    type.startsWith('text/') || /^application\/(?:[a-z0-9.+-]+\+)?(?:xml|yaml|x-www-form-urlencoded)$/.test(type)
  if (!isJson && !isText && type !== '')
    throw unreadableReply(
      'response_type',
      `The response is ${type.slice(0, 64)}, which is neither JSON nor text.`,
      mutates,
    )
  const text = bodyText(headers, bytes)
  if (text === undefined)
    throw unreadableReply('response_encoding', 'The response is not in the characters it claims.', mutates)
  if (!isJson) return text
  try {
    return parse(text)
  } catch {
    throw unreadableReply('response_not_json', 'The response claims to be JSON and is not.', mutates)
  }
}

/** The effect is there; only the report of it cannot be read. */
export const unreadableReply = (code: string, message: string, mutates: boolean): ToolError =>
  new ToolError(code, message, { effect: mutates ? 'happened' : 'none', class: 'DEPENDENCY_UNAVAILABLE' })

function bodyText(headers: IncomingHttpHeaders, bytes: Buffer): string | undefined {
  const charset = /;\s*charset="?([A-Za-z0-9_-]{1,40})"?/.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function parse(text: string): JsonValue {
  // Asking about every value costs time; only long runs of digits can be inexact.
  if (!/[0-9]{16}/.test(text)) return JSON.parse(text)
  return JSON.parse(text, exactly)
}

function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const { source } = context ?? {}
  const isInexact = typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined
  return isInexact && /^-?[0-9]+$/.test(source) ? source : value
}

const telling = ['content-type', 'etag', 'last-modified', 'location', 'link'] as const

function tellingHeaders(headers: IncomingHttpHeaders): JsonObject {
  return Object.fromEntries(
    telling.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}
