// The executors that a tool file declares by itself, one row per kind. Each is loaded only when a file names it; a declaration that
// cannot be taken is a problem of the file.

import { Fault } from '../contract/fault.ts'
import type { Executor } from '../contract/tool/executor.ts'
import type { FileExecutor } from '../contract/tool/executor-files/executor-file.ts'

type Declared = Exclude<FileExecutor, { readonly kind: 'fn' }>

/** The folder is that of the tool file: paths in it are relative to it. */
type Makers = {
  readonly [Kind in Declared['kind']]: (
    file: Extract<Declared, { readonly kind: Kind }>,
    folder: string,
  ) => Promise<Executor>
}

const makers: Makers = {
  http: async (file) => (await import('../execute/executors/http.ts')).httpFromFile(file),
  email: async (file, folder) => (await import('../execute/executors/email.ts')).emailFromFile(file, folder),
  process: async (file, folder) => (await import('../execute/executors/process.ts')).processFromFile(file, folder),
  file: async (file, folder) => (await import('../execute/executors/file.ts')).fileFromFile(file, folder),
  mcp: async (file, folder) => (await import('../execute/executors/mcp.ts')).mcpFromFile(file, folder),
  sql: async (file) => (await import('../execute/executors/sql.ts')).sqlFromFile(file),
}

export async function declaredExecutor(
  file: Declared,
  folder: string,
): Promise<Executor | { readonly problem: string }> {
  try {
    const make = makers[file.kind] as (file: Declared, folder: string) => Promise<Executor>
    const executor = await make(file, folder)
    const problems = (await executor.examine?.()) ?? []
    return problems.length === 0 ? executor : { problem: problems.join(' ') }
  } catch (error) {
    if (error instanceof Fault) return { problem: error.message }
    throw error
  }
}
