// The tables of the providers, one each.
import { anthropicDialect } from './anthropic.ts'
import type { DialectTable, Provider } from './dialect-table.ts'
import { geminiDialect } from './gemini.ts'
import { mcpDialect } from './mcp.ts'
import { openaiDialect } from './openai.ts'

export const dialectTables = {
  openai: openaiDialect,
  anthropic: anthropicDialect,
  gemini: geminiDialect,
  mcp: mcpDialect,
} as const satisfies Readonly<Record<Provider, DialectTable>>
