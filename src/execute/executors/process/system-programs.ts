// The programs of the system that stand before the tool's own: prlimit and setpriv of util-linux, and bubblewrap.
import { existsSync } from 'node:fs'

const folders = ['/usr/bin', '/bin', '/usr/local/bin']

/** Looked for in fixed places: PATH is no authority on what is run. */
export function systemProgram(name: 'prlimit' | 'setpriv' | 'bwrap' | 'true'): string | undefined {
  return folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path))
}
