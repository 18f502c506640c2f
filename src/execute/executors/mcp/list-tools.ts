// A server's tools, page by page, as they are on the wire: one tool that breaks the protocol does not hide the others.
import type { Client } from '@modelcontextprotocol/client'
import { ToolError } from '../../../contract/fault.ts'
import type { Egress } from '../../../contract/tool/executor.ts'
import { isObject, type JsonObject } from '../../../json/value.ts'
import { type McpServer, readServer } from './server.ts'
import { endSession, modeOf, transportTo } from './transport.ts'

/** A schema that takes anything: what a server sends is read by hand, and not by what the SDK expects of it. */
export const anyResult = {
  '~standard': { version: 1, vendor: 'proviso', validate: (value: unknown) => ({ value }) },
} as const

const maxPages = 64

async function listEntries(client: Client, timeout: number): Promise<readonly unknown[]> {
  const entries: unknown[] = []
  let cursor: string | undefined
  for (let page = 1; ; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const listed: unknown = await client.request({ method: 'tools/list', params }, anyResult, { timeout })
    if (!isObject(listed) || !Array.isArray(listed.tools)) {
      if (page === 1) return entries
      throw cutOff(`Page ${page} of the server's tools is no list.`)
    }
    for (const entry of listed.tools) entries.push(entry)
    // Some write an empty one where there is nothing more; asked for it, they would list everything twice.
    if (typeof listed.nextCursor !== 'string' || listed.nextCursor === '' || listed.nextCursor === cursor)
      return entries
    // A list that is cut off would hide tools, and changes of them, when it is compared with what was approved.
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
  const { Client } = await import('@modelcontextprotocol/client')
  const rendered = readServer(server)(credentials)
  const { transport, http } = await transportTo(rendered, egress, maxBytes)
  const client = new Client(
    { name: 'proviso', version: '1' },
    { capabilities: { ...capabilities }, versionNegotiation: { mode: modeOf(rendered) } },
  )
  client.onerror = () => undefined
  try {
    await client.connect(transport, { timeout: timeoutMs })
    return await listEntries(client, timeoutMs)
  } finally {
    await endSession(http)
    // What was listed stands, and what failed is thrown, however the parting goes.
    await client.close().catch(() => undefined)
  }
}
