// Small files that appear whole or not at all, and that no other user may read. Readers never see half a file, and of
// several processes that create the same file one wins and the others find its work.
import { randomBytes } from 'node:crypto'
import { type FileHandle, link, mkdir, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

export type FileReading =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string }

const maxBytes = 1_048_576

/** Creates the folder, for its owner alone, where it is missing. */
export async function makeFolderOf(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
}

/** False where the file exists already, which is then left as it is. */
export async function createWhole(file: string, text: string, mode: number): Promise<boolean> {
  const staged = await stage(file, text, mode)
  try {
    // Unlike a rename, a link does not replace what another process has put there meanwhile.
    await link(staged, file)
    await syncFolder(file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await unlink(staged)
  }
}

export async function replaceWhole(file: string, text: string, mode: number): Promise<void> {
  await moveInto(await stage(file, text, mode), file)
}

export async function moveInto(from: string, file: string): Promise<void> {
  await rename(from, file)
  await syncFolder(file)
}

export async function readWhole(file: string, { secret }: { readonly secret: boolean }): Promise<FileReading> {
  let handle: FileHandle
  try {
    handle = await open(file, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'absent' }
    return { kind: 'refused', reason: `${file} cannot be opened (${codeOf(error)}).` }
  }
  try {
    // Judged on the open file, which cannot be exchanged between the look and the reading.
    const status = await handle.stat()
    if (!status.isFile()) return { kind: 'refused', reason: `${file} is not a file.` }
    if (status.size > maxBytes) return { kind: 'refused', reason: `${file} is too large.` }
    const open = secret ? tooOpen(file, status.mode, status.uid) : undefined
    if (open !== undefined) return { kind: 'refused', reason: open }
    return { kind: 'read', text: await handle.readFile('utf8') }
  } finally {
    await handle.close()
  }
}

/** The rule of Postgres: owner only; but a key that root put there for a service may be read by the service's group. */
function tooOpen(file: string, mode: number, owner: number): string | undefined {
  const self = process.geteuid?.()
  if (self === undefined) return undefined
  if (owner !== self && owner !== 0)
    return `${file} belongs to another user (${owner}), who could exchange it. Make it yours: chown ${self} ${file}`
  const forbidden = owner === self ? 0o077 : 0o027
  if ((mode & forbidden) === 0) return undefined
  const found = (mode & 0o777).toString(8).padStart(4, '0')
  return `${file} may be used by others (mode ${found}). Keep it to yourself: chmod 600 ${file}`
}

async function stage(file: string, text: string, mode: number): Promise<string> {
  const staged = `${file}.${randomBytes(8).toString('hex')}.tmp`
  const handle = await open(staged, 'wx', mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return staged
}

/** A name is durable only once its folder is. Where folders cannot be opened, the file system sees to it. */
async function syncFolder(file: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** The code of a failed system call. */
export const codeOf = (error: unknown): string => errno(error) ?? 'unknown'

/** The same, for the few codes that are expected branches. */
export function errno(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
