// A server's tools, page by page, as they are on the wire: one tool that breaks the protocol does not hide the others.
import { ToolError } from '../../../contract/fault.ts'
import type { Egress } from '../../../contract/tool/executor.ts'
import { isObject, type JsonObject } from '../../../json/value.ts'
import { anyResult, type OpenClient, openClient } from './client.ts'
import { type McpServer, readServer } from './server.ts'
import { endSession } from './transport.ts'

const maxPages = 64
const maxEntries = 20_000

async function listEntries(
  { client, watch }: Pick<OpenClient, 'client' | 'watch'>,
  timeout: number,
): Promise<readonly unknown[]> {
  const entries: unknown[] = []
  let cursor: string | undefined
  for (let page = 1; ; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const request = { method: 'tools/list', params }
    const listed = await watch.ask(() => client.request(request, anyResult, { timeout }))
    if (!isObject(listed) || !Array.isArray(listed.tools)) {
      if (page === 1) return entries
      throw cutOff(`Page ${page} of the server's tools is no list.`)
    }
    for (const entry of listed.tools) entries.push(entry)
    // Some write an empty one where there is nothing more; asked for it, they would list everything twice.
    if (typeof listed.nextCursor !== 'string' || listed.nextCursor === '' || listed.nextCursor === cursor)
      return entries
    // A list that is cut off would hide tools, and changes of them, when it is compared with what was approved.
    if (entries.length > maxEntries) throw cutOff(`The server lists more than ${maxEntries} tools.`)
    if (page === maxPages) throw cutOff(`The server lists its tools on more than ${maxPages} pages.`)
    cursor = listed.nextCursor
  }
}

const cutOff = (message: string): ToolError =>
  new ToolError('mcp_list_cut_off', `${message} Nothing was sent.`, { effect: 'none', class: 'DEPENDENCY_UNAVAILABLE' })

/** By name; a name that stands there twice has both. */
export async function listTools(opened: OpenClient, timeout: number): Promise<ReadonlyMap<string, unknown>> {
  const tools = new Map<string, unknown>()
  for (const tool of await listEntries(opened, timeout)) {
    if (!isObject(tool) || typeof tool.name !== 'string') continue
    const same = tools.get(tool.name)
    tools.set(tool.name, same === undefined ? tool : [same, tool].flat())
  }
  return tools
}

export interface ServedToolsInput {
  readonly server: McpServer
  readonly credentials: ReadonlyMap<string, string>
  readonly egress: Egress
  readonly capabilities: JsonObject
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** What a server lists to a client that declares these capabilities, raw, to compare it with what was approved. Nothing is called. */
export async function servedTools(input: ServedToolsInput): Promise<readonly unknown[]> {
  const { server, credentials, egress, capabilities, timeoutMs, maxBytes } = input
  const rendered = readServer(server)(credentials)
  const opened = await openClient({ server: rendered, egress, capabilities, timeoutMs, maxBytes })
  try {
    return await listEntries(opened, timeoutMs)
  } finally {
    await endSession(opened.http)
    // What was listed stands, and what failed is thrown, however the parting goes.
    await opened.client.close().catch(() => undefined)
  }
}
