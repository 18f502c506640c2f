// Makes `.proviso` with a .gitignore in it: calls hold data of real systems, and keys say who decides. Whoever makes the folder first does
// this, because a folder that exists is taken for one whose owner has chosen what git sees of it.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export async function hideFromGit(folder: string): Promise<void> {
  if ((await mkdir(folder, { recursive: true })) !== undefined)
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => {})
}
