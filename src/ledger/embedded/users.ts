// Who uses a server: one empty file per process in users/, named after it. Invariant: a dead process never counts.
// Callers hold the start lock, so that no process joins while another decides that none is left.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from './process-identity.ts'

const folderOf = (home: string) => join(home, 'users')

export async function addUser(home: string, name: string): Promise<void> {
  await mkdir(folderOf(home), { recursive: true, mode: 0o700 })
  await writeFile(join(folderOf(home), name), '')
}

export async function removeUser(home: string, name: string): Promise<void> {
  await rm(join(folderOf(home), name), { force: true })
}

/** Whether any living process is registered; clears away those that died without saying goodbye. */
export async function anyUserLeft(home: string): Promise<boolean> {
  const names = await readdir(folderOf(home))
  const dead = names.filter((name) => !isAlive(name))
  await Promise.all(dead.map((name) => removeUser(home, name)))
  return dead.length < names.length
}
