// A tool of an MCP server, over standard input and output or streamable HTTP. A call is sent once; what the server says of its tools is
// never taken for what they do.

import { resolve } from 'node:path'
import { Fault, ToolError } from '../../contract/fault.ts'
import type { Executor, Preflight } from '../../contract/tool/executor.ts'
import type { McpFile } from '../../contract/tool/executor-files/mcp-file.ts'
import type { OnElicit } from './mcp/elicit.ts'
import type { McpPlan } from './mcp/run-call.ts'
import { type McpServer, readServer, serverNames } from './mcp/server.ts'

export interface McpOptions {
  readonly server: McpServer
  /** Its name at the server. */
  readonly tool: string
  /** What the server must call itself; another one is not used. */
  readonly serverName?: string | undefined
  /** The key of `_meta` in which the server takes the idempotency key. */
  readonly keyMeta?: string | undefined
  /** It only reads, by your own knowledge of it: what the server says of itself is not taken. */
  readonly readsOnly?: boolean | undefined
  /** Codes with which this server says that nothing was done, such as `mcp_tool_error`. */
  readonly withoutEffect?: readonly string[] | undefined
  /** Answers what the server asks a person in the middle of a call. Without it a server is told that no person can be asked. */
  readonly onElicit?: OnElicit | undefined
  /** A longer answer is refused; 10 MiB by default. */
  readonly maxResponseBytes?: number | undefined
  /** Longer images, sounds and files are left out of the result, which says so; 1 MiB by default. */
  readonly maxContentBytes?: number | undefined
  /** The name under which what this server publishes is pinned: then only what a person has approved of the tool is called. */
  readonly pin?: string | undefined
  readonly version?: string | undefined
}

const mebibyte = 1_048_576

/** Throws a Fault where the server or the tool cannot be one. */
export function mcp(options: McpOptions): Executor {
  const { server, tool, serverName, keyMeta, pin, withoutEffect = [] } = options
  if (pin === '') throw new Fault('bad_options', 'pin is the name under which the server is pinned.')
  if (tool === '') throw new Fault('bad_options', 'tool is the name of a tool at the server.')
  const plan: McpPlan = {
    render: readServer(server),
    tool,
    serverName,
    keyMeta,
    pinned: pin !== undefined,
    onElicit: options.onElicit,
    maxBytes: options.maxResponseBytes ?? 10 * mebibyte,
    maxContentBytes: options.maxContentBytes ?? mebibyte,
  }
  /** The connections of this executor are kept open under this object. */
  const owner = {}
  return {
    kind: 'mcp',
    isolated: false,
    connects: 'url' in server || server.network !== false,
    unwatched: !('url' in server),
    readsOnly: options.readsOnly,
    names: serverNames(server),
    version: options.version,
    upstream: pin === undefined ? undefined : { source: pin, tool },
    preflight: findPeer,
    async run(args, context) {
      const { runCall } = await import('./mcp/run-call.ts')
      try {
        return await runCall(owner, plan, args, context)
      } catch (error) {
        if (!(error instanceof ToolError) || !withoutEffect.includes(error.code)) throw error
        const { code, message, retryAfterMs } = error
        throw new ToolError(code, message, { effect: 'none', class: error.class, retryAfterMs, cause: error })
      }
    },
    async close() {
      await (await import('./mcp/run-call.ts')).releaseConnections(owner)
    },
  }
}

let peer: Promise<boolean> | undefined

/** The SDK is an optional peer: hosts that use this executor install it. */
const findPeer: Preflight = async () => {
  peer ??= import('@modelcontextprotocol/client').then(
    () => true,
    () => false,
  )
  if (await peer) return undefined
  return { reason: 'setup_required', message: 'Tools of MCP servers need @modelcontextprotocol/client; install it.' }
}

/** The mcp executor from its declaration in a tool file, which lies in the folder. */
export function mcpFromFile(file: McpFile, folder: string): Executor {
  const { server, tool, version } = file
  return mcp({
    server:
      'url' in server ? server : { ...server, cwd: server.cwd === undefined ? undefined : resolve(folder, server.cwd) },
    tool,
    version,
    serverName: file.server_name,
    keyMeta: file.key_meta,
    pin: file.pin,
    readsOnly: file.reads_only,
    withoutEffect: file.without_effect,
    maxResponseBytes: file.max_response_bytes,
    maxContentBytes: file.max_content_bytes,
  })
}
