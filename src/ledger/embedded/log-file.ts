// The server's log, postgres.log in its home: opened for the server by us, and quoted when something fails.
import { constants, type PathLike } from 'node:fs'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errno } from '../files/private-file.ts'

const largest = 16 * 1024 * 1024
const tail = 2_000

export const logFileOf = (home: string) => join(home, 'postgres.log')

/** Opened to append; a large one is put aside first, one generation being kept. */
export async function openLogFile(home: string): Promise<FileHandle> {
  const path = logFileOf(home)
  if ((await sizeOf(path)) > largest) await rename(path, `${path}.old`)
  return open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
}

/** The last lines of the log. */
export async function logTail(home: string): Promise<string> {
  try {
    const file = await open(logFileOf(home), 'r')
    try {
      const { size } = await file.stat()
      const from = Math.max(0, size - tail)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(tail), 0, tail, from)
      const text = buffer.toString('utf8', 0, bytesRead)
      return (from === 0 ? text : text.slice(text.indexOf('\n') + 1)).trimEnd()
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errno(error) === 'ENOENT') return ''
    throw error
  }
}

async function sizeOf(path: PathLike): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (errno(error) === 'ENOENT') return 0
    throw error
  }
}
