// The mcp executor of a tool file.
import { resolve } from 'node:path'
import type { McpFile } from '../../../contract/tool/executor-files/mcp-file.ts'
import type { Executor } from '../../../contract/tool/tool.ts'
import { mcp } from '../mcp.ts'

/** The folder is that of the tool file. */
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
