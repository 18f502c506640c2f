// What a server lists to a client that declares these capabilities, raw: for whoever compares it with what was approved. Nothing is called.
import type { Egress } from '../../../contract/tool/tool.ts'
import type { JsonObject } from '../../../json/value.ts'
import { modeOf, partingMs, waitAtMost } from './connection.ts'
import { listEntries } from './list-tools.ts'
import { type McpServer, readServer } from './server.ts'
import { transportTo } from './transport.ts'

export interface ServedToolsInput {
  readonly server: McpServer
  readonly credentials: ReadonlyMap<string, string>
  readonly egress: Egress
  readonly capabilities: JsonObject
  readonly timeoutMs: number
  readonly maxBytes: number
}

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
    if (http?.sessionId !== undefined) await waitAtMost(http.terminateSession(), partingMs)
    // What was listed stands, and what failed is thrown, however the parting goes.
    await client.close().catch(() => undefined)
  }
}
