// The folder of the server's socket, open to the server's user alone: home/socket, or a short one in /tmp to which home/socket is a link,
// because a socket's path may have 107 bytes on Linux and 103 on macOS.
import { chmod, chown, lstat, mkdir, mkdtemp, readlink, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../contract/fault.ts'
import { errno } from '../files/private-file.ts'
import type { ServerUser } from './server-user.ts'

/** A server has its folder for itself, so that the port is only part of the socket's name. */
export const socketPort = 5432

const longest = 103

/** Makes the folder, or takes the one of an earlier start. */
export async function makeSocketFolder(home: string, user: ServerUser): Promise<string> {
  if (!isShortEnough(home)) return makeShort(home, user)
  const folder = join(home, 'socket')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await giveTo(folder, user)
  return folder
}

/** The folder of a server that runs; refused unless it is the server user's own. */
export async function findSocketFolder(home: string, user: ServerUser): Promise<string> {
  const folder = isShortEnough(home) ? join(home, 'socket') : await shortOf(home)
  if (folder === undefined || !(await isPrivate(folder, user))) {
    throw new Fault(
      'embedded_failed',
      `The socket folder of the server in ${home} is gone or not private: stop the server.`,
    )
  }
  return folder
}

/** What lies outside home goes when the server stops. */
export async function removeShortSocketFolder(home: string): Promise<void> {
  if (isShortEnough(home)) return
  const folder = await shortOf(home)
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  await rm(join(home, 'socket'), { force: true })
}

/** Postgres takes a list of folders, in which commas and quotes have a meaning. */
function isShortEnough(home: string): boolean {
  const path = join(home, 'socket', `.s.PGSQL.${socketPort}`)
  return Buffer.byteLength(path) <= longest && !/[",\n]/.test(path)
}

async function shortOf(home: string): Promise<string | undefined> {
  try {
    return await readlink(join(home, 'socket'))
  } catch (error) {
    if (errno(error) === 'ENOENT') return undefined
    throw error
  }
}

async function makeShort(home: string, user: ServerUser): Promise<string> {
  const earlier = await shortOf(home)
  if (earlier !== undefined && (await isPrivate(earlier, user))) return earlier
  await rm(join(home, 'socket'), { force: true })
  const folder = await mkdtemp('/tmp/proviso-')
  await giveTo(folder, user)
  await symlink(folder, join(home, 'socket'))
  return folder
}

async function giveTo(folder: string, user: ServerUser): Promise<void> {
  await chmod(folder, 0o700)
  if (user.isOther) await chown(folder, user.uid, user.gid)
}

async function isPrivate(folder: string, user: ServerUser): Promise<boolean> {
  try {
    const stat = await lstat(folder)
    return stat.isDirectory() && stat.uid === user.uid && (stat.mode & 0o077) === 0
  } catch (error) {
    if (errno(error) === 'ENOENT') return false
    throw error
  }
}
