// The tool files at the paths a person named: a file as it is, a folder with everything below it but packages and hidden folders.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const toolFile = /\.tool\.(?:ya?ml|json)$/

export type Search =
  | { readonly ok: true; readonly files: readonly string[] }
  | { readonly ok: false; readonly message: string }

export async function findToolFiles(path: string): Promise<Search> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return { ok: false, message: `${path}: there is no such file or folder.` }
  if (found.isFile()) return { ok: true, files: [path] }
  if (!found.isDirectory()) return { ok: false, message: `${path}: neither a file nor a folder.` }
  return { ok: true, files: await filesBelow(path) }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const lists = await Promise.all(
    entries.map(async (entry): Promise<readonly string[]> => {
      const path = join(folder, entry.name)
      if (entry.isDirectory())
        return entry.name === 'node_modules' || entry.name.startsWith('.') ? [] : filesBelow(path)
      return toolFile.test(entry.name) ? [path] : []
    }),
  )
  return lists.flat().sort()
}
