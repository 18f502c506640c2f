// The programs that are started: those of the system, looked for in fixed places, and the one of a tool, found once. Links are followed,
// and a program that another user could have changed is not run.

import { existsSync } from 'node:fs'
import { access, constants, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isShell } from './settings.ts'

const folders = ['/usr/bin', '/bin', '/usr/local/bin']

/** Looked for in fixed places: PATH is no authority on what is run. */
export function systemProgram(name: 'prlimit' | 'setpriv' | 'bwrap' | 'true' | 'flock'): string | undefined {
  return folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path))
}

export type ProgramFinding =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string }

export async function findProgram(program: string): Promise<ProgramFinding> {
  // What we may not look at is as good as not there: it is refused either way.
  const path = await realpath(program).catch(() => undefined)
  if (path === undefined) return refuse('is not there')
  if (isShell(path)) return refuse('leads to a shell')
  const found = await stat(path)
  if (!found.isFile()) return refuse('is no plain file')
  if (await isUnreachable(path)) return refuse('cannot be executed')
  // A user that may write it decides what we run. A group of the system is trusted like its owner.
  if ((found.mode & 0o002) !== 0 || ((found.mode & 0o020) !== 0 && found.gid !== 0))
    return refuse('can be written by others')
  if (found.uid !== 0 && found.uid !== process.geteuid?.()) return refuse('belongs to another user')
  if ((found.mode & 0o6000) !== 0) return refuse('would run as another user (setuid or setgid)')
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode } = await stat(folder)
    // In a sticky folder such as /tmp only the owner of a file can replace it.
    if ((mode & 0o002) !== 0 && (mode & 0o1000) === 0) return refuse('lies in a folder that others can write to')
    if (folder === '/') return { ok: true, path }
  }
}

const isUnreachable = (path: string) =>
  access(path, constants.X_OK).then(
    () => false,
    () => true,
  )

const refuse = (why: string): ProgramFinding => ({ ok: false, message: `The program of this tool ${why}.` })
