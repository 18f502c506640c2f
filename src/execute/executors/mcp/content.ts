// What a server answers to a call, as the tool's value. It is read by hand and held to its size: nothing that a server says of its own
// output is believed, the contract's output schema decides.

import { ToolError } from '../../../contract/fault.ts'
import { withoutEnd } from '../../../json/text-end.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../json/value.ts'

export interface McpResult {
  readonly isError: boolean
  readonly value: JsonValue
  /** What it says in words; for errors. */
  readonly text: string
}

const maxItems = 1_000

export function readMcpResult(result: unknown, maxContentBytes: number): McpResult {
  if (!isObject(result)) throw garbage('no object')
  // What says nothing of its type is complete: so it was before the revision of 2026, which keeps to that.
  const { resultType = 'complete', structuredContent, isError = false } = result
  if (resultType !== 'complete') throw garbage('no complete one')
  if (result.content === undefined && structuredContent === undefined) throw garbage('neither content nor data')
  const { content = [] } = result
  if (!Array.isArray(content) || content.length > maxItems) throw garbage('no list of content')
  if (typeof isError !== 'boolean') throw garbage('no word on whether it is an error')
  const items = content.map((item) => itemOf(item, maxContentBytes))
  const text = items.flatMap((item) => (typeof item.text === 'string' ? [item.text] : [])).join('\n')
  const value = structuredContent === undefined ? contentValue(items) : structuredContent
  return { isError, value, text }
}

/** One text is that text; anything more is a list. */
function contentValue(items: readonly JsonObject[]): JsonValue {
  const [first] = items
  if (first === undefined) return null
  return items.length === 1 && first.type === 'text' ? (first.text ?? '') : { content: items }
}

function itemOf(item: unknown, maxContentBytes: number): JsonObject {
  if (!isObject(item) || typeof item.type !== 'string') throw garbage('content of no type')
  switch (item.type) {
    case 'text':
      if (typeof item.text !== 'string') throw garbage('a text that is none')
      return { type: 'text', text: item.text }
    case 'image':
    case 'audio':
      return { type: item.type, ...mimeOf(item), ...bytesOf(item.data, 'data', maxContentBytes) }
    case 'resource':
      return { type: 'resource', ...resourceOf(item.resource, maxContentBytes) }
    case 'resource_link':
      return { type: 'resource_link', ...textsOf(item, ['uri', 'name', 'title', 'description']), ...mimeOf(item) }
    default:
      throw garbage('content of an unknown type')
  }
}

function resourceOf(resource: unknown, maxContentBytes: number): JsonObject {
  if (!isObject(resource)) throw garbage('a resource that is none')
  const named = { ...textsOf(resource, ['uri']), ...mimeOf(resource) }
  if (typeof resource.text !== 'string') return { ...named, ...bytesOf(resource.blob, 'blob', maxContentBytes) }
  const bytes = Buffer.byteLength(resource.text)
  return bytes > maxContentBytes ? { ...named, bytes, omitted: true } : { ...named, text: resource.text }
}

function bytesOf(data: unknown, key: 'data' | 'blob', maxContentBytes: number): JsonObject {
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw garbage('bytes that are not base64')
  const bytes = Math.floor((withoutEnd(data, '=').length * 3) / 4)
  return bytes > maxContentBytes ? { bytes, omitted: true } : { [key]: data }
}

const mimeOf = (item: JsonObject): JsonObject => (typeof item.mimeType === 'string' ? { mimeType: item.mimeType } : {})

const textsOf = (item: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.flatMap((key) => (typeof item[key] === 'string' ? [[key, item[key]]] : [])))

/** It may have been done all the same: an unreadable answer says nothing about that. */
const garbage = (what: string): ToolError =>
  new ToolError('mcp_bad_result', `The server answered what is no result of a tool: ${what}.`, { effect: 'unknown' })
