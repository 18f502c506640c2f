// The private folder of one call: where a program without a root works, and where a credential lies that it reads from a file. What the
// program may change lies below a folder that it may not change: root follows no name that a program could have put there. What is left in it
// is removed as the program's own user, who can reach by any trick only what is its own.
import { execFile } from 'node:child_process'
import { constants, readlinkSync } from 'node:fs'
import { chmod, chown, type FileHandle, lstat, mkdir, open, readdir, realpath, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isAlive, nameOfThisProcess } from '../../../ledger/files/process-identity.ts'
import { systemProgram } from './program.ts'
import type { RunAs } from './run-as.ts'

const run = promisify(execFile)

export interface Scratch {
  /** Where the program works. */
  readonly folder: string
  /** Where its secrets lie. */
  readonly secrets: string
  /** A file that only the program's user can read. */
  secret(name: string, value: string): Promise<string>
  /** Never throws: the call has ended, and its result stands. Gives where something is left that cannot be removed now. */
  remove(): Promise<string | undefined>
}

/** Whether the process of a folder still runs can be told within one namespace of processes alone: containers may share a /tmp. */
const prefix = () => `proviso-call-${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}-`
/** Of root's folder only the call's own group may use what it holds, by name; none but root may list or change it. */
const passable = 0o710
const own = 0o700

export async function makeScratch(user: RunAs | undefined): Promise<Scratch> {
  const place = await temporaryFolder()
  await removeLeft(place)
  const top = join(place, `${prefix()}${nameOfThisProcess()}`)
  await mkdir(top, { mode: own })
  const held = await hold(top)
  const [folder, secrets] = [join(top, 'work'), join(top, 'secrets')]
  await mkdir(folder, { mode: own })
  await mkdir(secrets, { mode: own })
  if (user !== undefined) {
    await chown(folder, user.uid, user.gid)
    // No program of this call runs yet, and its group has no other member.
    for (const path of [secrets, top]) {
      await chown(path, 0, user.gid)
      await chmod(path, passable)
    }
  }
  return {
    folder,
    secrets,
    async secret(name, value) {
      const file = join(secrets, name)
      const handle = await open(file, 'wx', 0o600)
      try {
        if (user !== undefined) await handle.chown(user.uid, user.gid)
        await handle.writeFile(value)
      } finally {
        await handle.close()
      }
      return file
    },
    async remove() {
      const isGone = await removed(top, held, user)
      await held.close().catch(() => undefined)
      if (isGone) return undefined
      left.set(top, user)
      return top
    },
  }
}

/** Held open from the start to the end: beside us a program is of our own user, and may put another folder in its place. */
const hold = (path: string) => open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)

/** Throws where another user could put a folder of their own in the place of ours. */
async function temporaryFolder(): Promise<string> {
  const place = await realpath(tmpdir())
  const { uid, mode } = await lstat(place)
  const isTrusted = uid === 0 || uid === process.geteuid?.()
  if (isTrusted && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0)) return place
  throw Object.assign(new Error(`${place} can be changed by other users.`), { code: 'EACCES' })
}

/** Folders of calls that have ended, with the user that may remove what is in them. */
const left = new Map<string, RunAs | undefined>()
let looked = false

/** Tries again what could not be removed, and once for a process what processes have left that were killed. */
async function removeLeft(place: string): Promise<void> {
  const again = [...left]
  left.clear()
  for (const [top, user] of again) await removeLater(top, user)
  if (looked) return
  looked = true
  const before = prefix()
  for (const name of await readdir(place).catch(() => [])) {
    if (!name.startsWith(before) || isAlive(name.slice(before.length))) continue
    const top = join(place, name)
    const found = await lstat(top).catch(() => undefined)
    if (found?.isDirectory() !== true || found.uid !== process.geteuid?.()) continue
    const work = await lstat(join(top, 'work')).catch(() => undefined)
    await removeLater(top, work === undefined || work.uid === found.uid ? undefined : { uid: work.uid, gid: work.gid })
  }
}

async function removeLater(top: string, user: RunAs | undefined): Promise<void> {
  const held = await hold(top).catch(() => undefined)
  if (held === undefined) return
  if (!(await removed(top, held, user))) left.set(top, user)
  await held.close()
}

async function removed(top: string, held: FileHandle, user: RunAs | undefined): Promise<boolean> {
  const here = `/proc/${process.pid}/fd/${held.fd}`
  try {
    if (user === undefined) await empty(here, undefined)
    else {
      // A folder of root's own: `work` is what root has made, and only what lies in it is the program's.
      const work = await hold(join(here, 'work'))
      try {
        await empty(`/proc/${process.pid}/fd/${work.fd}`, user)
      } finally {
        await work.close()
      }
      await rm(join(here, 'secrets'), { recursive: true, force: true })
      await rmdir(join(here, 'work'))
    }
    await rmdir(top)
    return true
  } catch {
    return false
  }
}

/** As its user, and from within, so that no name on the way to it matters. */
async function empty(folder: string, user: RunAs | undefined): Promise<void> {
  if ((await readdir(folder)).length === 0) return
  const [find, allow] = [systemProgram('find'), systemProgram('chmod')]
  const as = { cwd: folder, env: {}, ...user }
  const remove = () => run(find ?? 'find', ['.', '-mindepth', '1', '-delete'], as)
  try {
    await remove()
  } catch {
    // Some programs leave folders that not even their owner may change.
    await run(allow ?? 'chmod', ['-R', 'u+rwx', '.'], as).catch(() => undefined)
    await remove()
  }
}
