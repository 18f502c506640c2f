// Makes `.proviso` with a .gitignore in it: calls hold data of real systems, and keys say who decides. Whoever makes the folder first does
// this, because a folder that exists is taken for one whose owner has chosen what git sees of it.
import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Throws where git would see what is kept there. */
export async function hideFromGit(folder: string): Promise<void> {
  if ((await mkdir(folder, { recursive: true })) === undefined) return
  try {
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch (error) {
    // Somebody else was faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    // The next attempt must not take it for one whose owner has chosen. One that others use already stays: it is theirs.
    await rmdir(folder).catch(() => undefined)
    throw error
  }
}
