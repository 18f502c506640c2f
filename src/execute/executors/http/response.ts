// What a good reply becomes: the value of its body, or the whole response. Integers that JavaScript cannot hold stay text, digit by digit.
import type { IncomingHttpHeaders } from 'node:http'
import { ToolError } from '../../../contract/fault.ts'
import { parseInSteps, Unparsed } from '../../../json/parse-in-steps.ts'
import { mostMembers } from '../../../json/refusal.ts'
import { inSlices } from '../../../json/slices.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'

export type ResultForm = 'body' | 'response'

export interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

export async function responseResult(received: Received, form: ResultForm, mutates: boolean): Promise<JsonValue> {
  const body = await bodyValue(received, mutates)
  return form === 'body' ? body : { status: received.status, headers: tellingHeaders(received.headers), body }
}

async function bodyValue({ headers, bytes }: Received, mutates: boolean): Promise<JsonValue> {
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
    return await inSlices(parseInSteps(text, { exact: true, mostMembers }))
  } catch (error) {
    if (error instanceof Unparsed && error.reason === 'too_many_members')
      throw unreadableReply(
        'response_members',
        `The response has an object of more than ${mostMembers} members, which is the most that is read of one.`,
        mutates,
      )
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

const telling = ['content-type', 'etag', 'last-modified', 'location', 'link'] as const

function tellingHeaders(headers: IncomingHttpHeaders): JsonObject {
  return Object.fromEntries(
    telling.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}
