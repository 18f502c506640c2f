// What may run a tool, as a tool file declares it: a function by module and export, or one of the executors.
import type { JsonObject } from '../../../json/value.ts'
import { closed, text } from '../../closed-schema.ts'
import { type EmailFile, emailFileSchema } from './email-file.ts'
import { type FileFile, fileFileSchema } from './file-file.ts'
import type { FnFile } from './fn-file.ts'
import { type HttpFile, httpFileSchema } from './http-file.ts'
import { type McpFile, mcpFileSchema } from './mcp-file.ts'
import { type ProcessFile, processFileSchema } from './process-file.ts'
import { type SqlFile, sqlFileSchema } from './sql-file.ts'

export interface CodeRef {
  readonly module: string
  readonly export: string
}

/** What runs the tool, by its kind. */
export type FileExecutor = FnFile | HttpFile | EmailFile | SqlFile | ProcessFile | FileFile | McpFile

/** Code is named by module and export. */
export const code = (description: string): JsonObject =>
  closed(description, {
    module: text('Path of the module, relative to this file.'),
    export: text('Name of the export.'),
  })

/** Executors that a file declares by itself. */
export const declaredExecutors = [
  httpFileSchema,
  emailFileSchema,
  sqlFileSchema,
  processFileSchema,
  fileFileSchema,
  mcpFileSchema,
] as const
