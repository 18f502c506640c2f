// The file executor from its declaration in a tool file.
import { resolve } from 'node:path'
import type { FileFile } from '../../../contract/tool/executor-files/file-file.ts'
import type { Executor } from '../../../contract/tool/tool.ts'
import { file } from '../file.ts'

export function fileFromFile(declared: FileFile, folder: string): Executor {
  const { kind: _kind, root, max_bytes, max_entries, create_folders, tenant_folders, ...same } = declared
  return file({
    ...same,
    root: resolve(folder, root),
    maxBytes: max_bytes,
    maxEntries: max_entries,
    createFolders: create_folders,
    tenantFolders: tenant_folders,
  })
}
