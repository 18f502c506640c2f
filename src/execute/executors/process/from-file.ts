// The process executor from its declaration in a tool file.
import { resolve } from 'node:path'
import type { ProcessFile } from '../../../contract/tool/executor-files/process-file.ts'
import type { Executor } from '../../../contract/tool/tool.ts'
import { runProcess } from '../process.ts'

export function processFromFile(file: ProcessFile, folder: string): Executor {
  const { kind: _kind, root, limits, ...same } = file
  return runProcess({
    ...same,
    root: root === undefined ? undefined : resolve(folder, root),
    limits: {
      cpuSeconds: limits?.cpu_seconds,
      memoryBytes: limits?.memory_bytes,
      addressSpaceBytes: limits?.address_space_bytes,
      fileBytes: limits?.file_bytes,
      processes: limits?.processes,
      openFiles: limits?.open_files,
      stdoutBytes: limits?.stdout_bytes,
      stderrBytes: limits?.stderr_bytes,
      graceMs: limits?.grace_ms,
    },
  })
}
