// A private folder for one call: where a program without a root works, and where a credential lies that it reads from a file. It is
// its user's alone, and gone when the call is.
import { chown, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunAs } from './run-as.ts'

export interface Scratch {
  readonly path: string
  /** A file that only the program's user can read. */
  secret(name: string, value: string): Promise<string>
  remove(): Promise<void>
}

export async function makeScratch(user: RunAs | undefined): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), 'proviso-call-'))
  if (user !== undefined) await chown(path, user.uid, user.gid)
  return {
    path,
    async secret(name, value) {
      const file = join(path, name)
      const handle = await open(file, 'wx', 0o600)
      try {
        if (user !== undefined) await handle.chown(user.uid, user.gid)
        await handle.writeFile(value)
      } finally {
        await handle.close()
      }
      return file
    },
    remove: () => rm(path, { recursive: true, force: true }),
  }
}
