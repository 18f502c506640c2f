// A disk that can be filled without harm: a small file system of its own, where this process may mount one.
import { execFile } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface SmallDisk {
  readonly path: string
  /** Takes all the room that is left. */
  fill(): void
  free(): void
  unmount(): Promise<void>
}

/** The reason where there can be none. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | string> {
  const path = mkdtempSync(join(tmpdir(), 'proviso-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', path])
  } catch (error) {
    await rm(path, { recursive: true })
    return `no file system of its own could be mounted (${error instanceof Error ? error.message.trim().split('\n').at(-1) : error})`
  }
  const ballast = join(path, 'ballast')
  const block = Buffer.alloc(65_536)
  return {
    path,
    fill() {
      const file = openSync(ballast, 'a')
      try {
        for (let size = block.length; size >= 1; ) {
          try {
            if (writeSync(file, block, 0, size) < size) size = Math.floor(size / 2)
          } catch {
            size = Math.floor(size / 2)
          }
        }
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast, { force: true }),
    async unmount() {
      await run('umount', [path])
      await rm(path, { recursive: true })
    },
  }
}
