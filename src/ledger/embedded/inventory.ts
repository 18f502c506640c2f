// What of the npm package a server needs, file by file, and whether a copy of it is whole. Static libraries are left out.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'

export interface PackedFile {
  /** From the folder that holds bin/, lib/ and share/. */
  readonly path: string
  readonly size: number
  readonly executable: boolean
}

export interface PackedLink {
  readonly path: string
  readonly target: string
}

export interface Inventory {
  readonly files: readonly PackedFile[]
  readonly links: readonly PackedLink[]
}

/** About 1,000 files; reading it synchronously takes 10 ms against 50 through the thread pool, and only a process that starts a server needs it. */
export function takeInventory(native: string): Inventory {
  const files: PackedFile[] = []
  const links = new Map(listedLinks(native).map((link) => [link.path, link.target]))
  for (const top of ['bin', 'lib', 'share']) {
    for (const entry of readdirSync(join(native, top), { recursive: true, withFileTypes: true })) {
      const full = join(entry.parentPath, entry.name)
      const path = relative(native, full)
      if (entry.isSymbolicLink()) links.set(path, readlinkSync(full))
      else if (entry.isFile() && !/\.(?:a|pc)$/.test(entry.name)) {
        const { size } = lstatSync(full)
        files.push({ path, size, executable: top !== 'share' })
      }
    }
  }
  return { files, links: [...links].map(([path, target]) => ({ path, target })) }
}

/** Whether every file is there in its size and every link leads where it should. */
export function isWholeCopy(copy: string, { files, links }: Inventory): boolean {
  try {
    return (
      files.every(({ path, size }) => lstatSync(join(copy, path)).size === size) &&
      links.every(({ path, target }) => readlinkSync(join(copy, path)) === target)
    )
  } catch {
    return false
  }
}

/** npm packs no links; the package lists them, and makes them in an install script that many forbid. */
function listedLinks(native: string): readonly PackedLink[] {
  const listed = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string
    readonly target: string
  }[]
  return listed.map(({ source, target }) => ({
    path: posix.relative('native', target),
    target: posix.relative(dirname(target), source),
  }))
}
