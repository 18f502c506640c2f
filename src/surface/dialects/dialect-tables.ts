// The tables of the providers, one each.
import { anthropic } from './anthropic.ts'
import type { DialectTable, Provider } from './dialect-table.ts'
import { gemini } from './gemini.ts'
import { mcp } from './mcp.ts'
import { openai } from './openai.ts'

export const dialectTables = { openai, anthropic, gemini, mcp } as const satisfies Readonly<
  Record<Provider, DialectTable>
>
