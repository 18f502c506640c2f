// The programs that are started: those of the system, looked for in fixed places, and the one of a tool. Before each start the way to it is
// walked anew: a link is followed only out of a folder, and a file is run only if neither could have been changed by another user.
import { existsSync, lstatSync, readlinkSync, type Stats } from 'node:fs'
import { join, resolve } from 'node:path'
import { isShell } from './settings.ts'

const folders = ['/usr/bin', '/bin', '/usr/local/bin']

/** Looked for in fixed places: PATH is no authority on what is run. */
export function systemProgram(
  name: 'prlimit' | 'setpriv' | 'bwrap' | 'true' | 'flock' | 'find' | 'chmod' | 'ipcrm' | 'perl',
): string | undefined {
  return folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path))
}

export type ProgramFinding =
  | { readonly ok: true; readonly path: string; readonly identity: string }
  | { readonly ok: false; readonly message: string }

const groupWrites = 0o020
const othersWrite = 0o002
const sticky = 0o1000
const asAnother = 0o6000
const mayExecute = 0o111
/** More links than this are a circle. */
const mostLinks = 40

/** By what it is known again: a file that was replaced or changed has another one. */
const identityOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats) => [dev, ino, size, mtimeMs, ctimeMs].join(':')

/** @param setuid Whether it may run as another user, as bubblewrap does on some systems. */
export function findProgram(program: string, { setuid = false } = {}): ProgramFinding {
  const walk = looked(() => walkTo(program))
  if ('problem' in walk) return refuse(walk.problem)
  const { path, found } = walk
  if (isShell(path)) return refuse('leads to a shell')
  if (!found.isFile()) return refuse('is no plain file')
  if ((found.mode & mayExecute) === 0) return refuse('cannot be executed')
  // A user that may write it decides what we run. A group of the system is trusted like its owner.
  if (isWritable(found)) return refuse('can be written by others')
  if (!isTrusted(found)) return refuse('belongs to another user')
  if (!setuid && (found.mode & asAnother) !== 0) return refuse('would run as another user (setuid or setgid)')
  return { ok: true, path, identity: identityOf(found) }
}

/** What we may not look at is as good as not there: it is refused either way. */
function looked(walk: () => Walk): Walk {
  try {
    return walk()
  } catch {
    return { problem: 'is not there' }
  }
}

type Walk = { readonly path: string; readonly found: Stats } | { readonly problem: string }

/** Part by part from the root of the file system, so that each folder that is passed is judged, on the way through links too. */
function walkTo(program: string): Walk {
  const partsLeft = partsOf(resolve(program))
  let here = '/'
  let links = 0
  let problem = folderProblem('/')
  while (problem === undefined) {
    const part = partsLeft.shift()
    if (part === undefined) return { problem: 'is no plain file' }
    const path = join(here, part)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return { problem: 'is not there' }
    if (found.isSymbolicLink()) {
      if (++links > mostLinks) return { problem: 'is not there' }
      partsLeft.unshift(...partsOf(resolve(here, readlinkSync(path))))
      here = '/'
    } else if (partsLeft.length === 0) return { path, found }
    else {
      problem = folderProblem(path)
      here = path
    }
  }
  return { problem }
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '')

function folderProblem(path: string): string | undefined {
  const found = lstatSync(path)
  if (!found.isDirectory()) return 'is not there'
  if (!isTrusted(found)) return 'lies in a folder that belongs to another user'
  // In a sticky folder such as /tmp only the owner of a file can replace it.
  return isWritable(found) && (found.mode & sticky) === 0 ? 'lies in a folder that others can write to' : undefined
}

const isTrusted = ({ uid }: Stats) => uid === 0 || uid === process.geteuid?.()

const isWritable = ({ mode, gid }: Stats) => (mode & othersWrite) !== 0 || ((mode & groupWrites) !== 0 && gid !== 0)

const refuse = (why: string): ProgramFinding => ({ ok: false, message: `The program of this tool ${why}.` })
