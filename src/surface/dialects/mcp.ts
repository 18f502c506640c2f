// The Model Context Protocol: entries of tools/list. A client may enforce what it likes, so the schema goes out whole.
import type { DialectTable } from './dialect-table.ts'

export const mcpDialect: DialectTable = {
  provider: 'mcp',
  date: '2026-11-15',
  sources: ['https://modelcontextprotocol.io/specification/2026-07-28/server/tools'],
  names: { pattern: /^[a-zA-Z0-9_.-]{1,128}$/, longest: 128 },
  subset: undefined,
}
