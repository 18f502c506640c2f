// Folders that hold what we run or read back must be ours: a folder that another user made could make us run their code.
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises'
import { Fault } from '../../contract/fault.ts'
import { errno } from '../files/private-file.ts'

const writableByOthers = 0o022

/** Makes the folder if absent, with exactly this mode; refuses one of another user, and one in which others may have left something. */
export async function ownFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
    await chmod(path, mode)
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error
  }
  const stat = await lstat(path)
  const self = process.geteuid?.()
  if (!stat.isDirectory()) throw new Fault('bad_options', `${path} is not a folder.`)
  if (stat.uid !== self) {
    throw new Fault(
      'bad_options',
      `${path} belongs to user ${stat.uid} and this process runs as user ${self}: run it as that user, or choose another folder.`,
    )
  }
  if ((stat.mode & writableByOthers) === 0) return
  await chmod(path, stat.mode & 0o7777 & ~writableByOthers)
  if ((await readdir(path)).length === 0) return
  await chmod(path, stat.mode & 0o7777)
  throw new Fault('bad_options', `Others may write to ${path}: see that all in it is yours, then chmod go-w.`)
}

/** Whether only we could have written into the folder. */
export async function isOwnFolder(path: string): Promise<boolean> {
  try {
    const stat = await lstat(path)
    return stat.isDirectory() && stat.uid === process.geteuid?.() && (stat.mode & writableByOthers) === 0
  } catch (error) {
    if (errno(error) === 'ENOENT') return false
    throw error
  }
}
