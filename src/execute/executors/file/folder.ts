// Folders opened part by part, never through a symbolic link. Node has no openat; Linux has /proc/self/fd, where a name is looked up in
// the very folder that is open. So a link swapped in between looking and using finds nothing left to lead astray: what was opened stays
// what it was. A realpath compared before and after would only have noticed some of that.
import { constants } from 'node:fs'
import { access, type FileHandle, lstat, mkdir, open, stat } from 'node:fs/promises'
import { fileError, unlessThere } from './failure.ts'

export interface Folder {
  /** Where a name of this folder is found, for as long as the folder is open. */
  at(name: string): string
  /** Makes what was renamed in it outlast a crash. */
  sync(): Promise<void>
  close(): Promise<void>
}

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY

/** Whether this system can open folders so; undefined is no problem. */
export async function folderProblem(root: string): Promise<string | undefined> {
  const opens = await access('/proc/self/fd').then(
    () => true,
    () => false,
  )
  if (!opens) return 'Files are handled on Linux alone, where folders can be held open against being swapped.'
  // The reason is given by the call that needs the root; a model learns no more than this.
  const found = await stat(root).catch(() => undefined)
  return found?.isDirectory() ? undefined : 'The root of this tool is not there, or is no folder.'
}

/** The root may be reached through links: an operator chose it. Nothing below it may. */
export async function openRoot(root: string): Promise<Folder> {
  return open(root, asFolder).then(folderOf, () => Promise.reject(fileError('root_missing')))
}

/** A folder below one that is open, which stays open; with `create`, those that are missing are made. */
export async function openBelow(root: Folder, parts: readonly string[], create = false): Promise<Folder> {
  let here = folderOf(await open(root.at('.'), asFolder))
  for (const part of parts) {
    const path = here.at(part)
    try {
      if (create) await mkdir(path).catch(unlessThere)
      const next = folderOf(await open(path, asFolder | constants.O_NOFOLLOW))
      await here.close()
      here = next
    } catch (error) {
      // Only to name the reason better; where the look fails, the first error stays.
      const found = await lstat(path).catch(() => undefined)
      await here.close()
      throw found?.isSymbolicLink() ? fileError('symbolic_link') : error
    }
  }
  return here
}

function folderOf(handle: FileHandle): Folder {
  return {
    at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
    sync: () => handle.sync(),
    close: () => handle.close(),
  }
}
