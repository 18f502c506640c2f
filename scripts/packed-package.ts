// Packs the built package and installs it into an empty folder outside the project, as its users have it.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from './generated-files.ts'

const run = promisify(execFile)

export interface PackedPackage {
  readonly tarball: string
  readonly packedBytes: number
  /** An empty project in which the package is installed. */
  readonly consumer: string
  readonly installedBytes: number
  remove(): Promise<void>
}

export type Packing = { readonly ok: true; readonly package: PackedPackage } | Unreachable

/** The registry could not be asked, so nothing can be said about the package. */
export interface Unreachable {
  readonly ok: false
  readonly reason: string
}

const npmFlags = [
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--loglevel=error',
  '--fetch-retries=1',
  '--fetch-timeout=30000',
]
const unreachable =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/

export async function packAndInstall(): Promise<Packing> {
  const home = await mkdtemp(join(tmpdir(), 'proviso-package-'))
  const remove = () => rm(home, { recursive: true, force: true })
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home], {
    cwd: projectRoot,
  })
  const packed: unknown = JSON.parse(stdout)
  const tarball = join(home, filenameOf(packed))
  const consumer = join(home, 'consumer')
  await writeProject(consumer, {})
  const installed = await npmInstall(consumer, [tarball])
  if (!installed.ok) {
    await remove()
    return installed
  }
  const installedBytes = await folderBytes(join(consumer, 'node_modules'))
  return { ok: true, package: { tarball, packedBytes: (await stat(tarball)).size, consumer, installedBytes, remove } }
}

/** Installs one version of Node by npm; the folder that holds its `node` goes first on PATH. */
export async function installNode(
  home: string,
  version: string,
): Promise<{ readonly ok: true; readonly bin: string } | Unreachable> {
  const folder = join(home, `node-${version}`)
  await writeProject(folder, { allowScripts: { node: true } })
  const installed = await npmInstall(folder, [`node@${version}`])
  return installed.ok ? { ok: true, bin: join(folder, 'node_modules', '.bin') } : installed
}

async function writeProject(folder: string, fields: object): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module', ...fields }),
  )
}

async function npmInstall(cwd: string, packages: readonly string[]): Promise<{ readonly ok: true } | Unreachable> {
  try {
    await run('npm', ['install', ...npmFlags, ...packages], { cwd })
    return { ok: true }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (unreachable.test(text))
      return { ok: false, reason: `the package registry cannot be reached: ${text.split('\n').at(-1)}` }
    throw error
  }
}

/** npm prints a list of packages, or since version 12 an object by name. */
function filenameOf(packed: unknown): string {
  const [first] = Array.isArray(packed) ? packed : Object.values(packed as object)
  return (first as { readonly filename: string }).filename
}

async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
