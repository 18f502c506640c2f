// The tables of all executors.
import type { EffectTable } from './effect-table.ts'
import { fileTable } from './file-table.ts'
import { fnTable } from './fn-table.ts'
import { httpTable } from './http-table.ts'
import { mailTable } from './mail-table.ts'
import { mcpTable } from './mcp-table.ts'
import { processTable } from './process-table.ts'
import { sqlTable } from './sql-table.ts'

export const effectTables: readonly EffectTable[] = [
  fnTable,
  httpTable,
  mcpTable,
  fileTable,
  sqlTable,
  processTable,
  mailTable,
]
