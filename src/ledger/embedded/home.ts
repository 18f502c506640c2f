// Where a server's files lie: in the folder that the caller names. Root may name one that the server's user may not enter: then in a
// folder of its own in /var/lib/proviso (systemd empties /var/tmp of old files). For root the link `home` in the named folder says which
// of the two; the first process makes it, and all others follow it. So a removed folder means a new server.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readlink, realpath, rmdir, symlink, unlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Fault } from '../../contract/fault.ts'
import { errno } from '../files/private-file.ts'
import { ownFolder } from './own-folder.ts'
import type { ServerUser } from './server-user.ts'

const elsewhere = '/var/lib/proviso'
const run = promisify(execFile)

/** The folder of the server that belongs to `dir`: an absolute path without links, ours alone to write. */
export async function findHome(dir: string, user: ServerUser): Promise<string> {
  const named = resolve(dir)
  await mkdir(dirname(named), { recursive: true })
  // Others may pass through root's folder to reach their own part of it, and list nothing.
  await ownFolder(named, user.isOther ? 0o711 : 0o700)
  const folder = await realpath(named)
  if (!user.isOther) return folder
  const chosen = (await linkOf(folder)) ?? (await choose(folder, user))
  if (chosen === '.') return folder
  if (dirname(chosen) !== elsewhere)
    throw new Fault('bad_options', `${folder}/home leads to ${chosen}: we did not make it.`)
  await ownFolder(chosen, 0o711)
  return chosen
}

async function linkOf(folder: string): Promise<string | undefined> {
  try {
    return await readlink(join(folder, 'home'))
  } catch (error) {
    if (errno(error) === 'ENOENT') return undefined
    throw error
  }
}

async function choose(folder: string, user: ServerUser): Promise<string> {
  if (await mayEnter(folder, user)) return record(folder, '.')
  await mkdir(dirname(elsewhere), { recursive: true })
  await ownFolder(elsewhere, 0o711)
  const made = await mkdtemp(`${elsewhere}/`)
  await chmod(made, 0o711)
  await writeFile(join(made, 'belongs-to'), `${folder}\n`)
  const chosen = await record(folder, made)
  if (chosen !== made) {
    await unlink(join(made, 'belongs-to'))
    await rmdir(made)
  }
  return chosen
}

/** The first record wins; the others follow it. */
async function record(folder: string, target: string): Promise<string> {
  try {
    await symlink(target, join(folder, 'home'))
    return target
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error
    return readlink(join(folder, 'home'))
  }
}

/** Asked of the system rather than read from mode bits: access lists count, too. */
async function mayEnter(folder: string, user: ServerUser): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { cwd: '/', ...user.spawnAs })
    return true
  } catch (error) {
    if (errno(error) !== undefined) throw error
    return false
  }
}
