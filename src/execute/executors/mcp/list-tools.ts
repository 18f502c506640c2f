// A server's tools, page by page, as they are on the wire: one tool that breaks the protocol does not hide the others.
import type { Client } from '@modelcontextprotocol/client'
import { ToolError } from '../../../contract/fault.ts'
import { isObject } from '../../../json/value.ts'
import { whatever } from './whatever.ts'

const maxPages = 64

export async function listEntries(client: Client, timeout: number): Promise<readonly unknown[]> {
  const entries: unknown[] = []
  let cursor: string | undefined
  for (let page = 1; ; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const listed: unknown = await client.request({ method: 'tools/list', params }, whatever, { timeout })
    if (!isObject(listed) || !Array.isArray(listed.tools)) {
      if (page === 1) return entries
      throw cutOff(`Page ${page} of the server's tools is no list.`)
    }
    for (const entry of listed.tools) entries.push(entry)
    // Some write an empty one where there is nothing more; asked for it, they would list everything twice.
    if (typeof listed.nextCursor !== 'string' || listed.nextCursor === '' || listed.nextCursor === cursor)
      return entries
    // A list that is cut off would hide tools, and changes of them, from whoever compares it with what was approved.
    if (page === maxPages) throw cutOff(`The server lists its tools on more than ${maxPages} pages.`)
    cursor = listed.nextCursor
  }
}

const cutOff = (message: string): ToolError =>
  new ToolError('mcp_list_cut_off', `${message} Nothing was sent.`, { effect: 'none', class: 'DEPENDENCY_UNAVAILABLE' })

/** By name; a name that stands there twice has both. */
export async function listTools(client: Client, timeout: number): Promise<ReadonlyMap<string, unknown>> {
  const tools = new Map<string, unknown>()
  for (const tool of await listEntries(client, timeout)) {
    if (!isObject(tool) || typeof tool.name !== 'string') continue
    const same = tools.get(tool.name)
    tools.set(tool.name, same === undefined ? tool : [same, tool].flat())
  }
  return tools
}
