// The names of a server's tools, page by page, as they are on the wire: one tool that breaks the protocol does not hide the others.
import type { Client } from '@modelcontextprotocol/client'
import { isObject } from '../../../json/value.ts'
import { whatever } from './whatever.ts'

const maxPages = 64

export async function listTools(client: Client, timeout: number): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const listed: unknown = await client.request({ method: 'tools/list', params }, whatever, { timeout })
    if (!isObject(listed) || !Array.isArray(listed.tools)) break
    for (const tool of listed.tools) if (isObject(tool) && typeof tool.name === 'string') names.add(tool.name)
    if (typeof listed.nextCursor !== 'string' || listed.nextCursor === cursor) break
    cursor = listed.nextCursor
  }
  return names
}
