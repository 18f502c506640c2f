// Plain files alone: no link is followed, no pipe is waited for, no device is touched, and what is read is bounded.
import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { sha256 } from '../../../json/hash.ts'
import { errnoOf, fileError } from './failure.ts'

export interface PlainFile {
  readonly bytes: Buffer
  readonly hash: string
  readonly mode: number
  readonly modifiedMs: number
}

export interface ReadBounds {
  readonly maxBytes: number
  /** A second name may lie outside of the root: then the content is not shown. The function counts the names that are our own. */
  readonly hardLinks: 'accept' | ((file: FileIdentity) => Promise<number>)
}

export interface FileIdentity {
  readonly dev: number
  readonly ino: number
}

/** The whole file; undefined where there is none. */
export async function readPlainFile(path: string, bounds: ReadBounds): Promise<PlainFile | undefined> {
  const handle = await openPlain(path)
  if (handle === undefined) return undefined
  try {
    const found = await handle.stat()
    const { size, nlink, mode, mtimeMs } = found
    if (nlink > 1 && bounds.hardLinks !== 'accept' && nlink - (await bounds.hardLinks(found)) > 1)
      throw fileError('hard_link')
    if (size > bounds.maxBytes) throw tooLarge(size, bounds.maxBytes)
    const bytes = await readUpTo(handle, bounds.maxBytes, size)
    return { bytes, hash: sha256(bytes), mode: mode & 0o777, modifiedMs: mtimeMs }
  } finally {
    await handle.close()
  }
}

/** Nothing of it is given: half a file looks like a whole one. */
export const tooLarge = (bytes: number, most: number) =>
  fileError('too_large', 'none', `The file has ${bytes} bytes. This tool handles ${most} at most.`)

async function openPlain(path: string): Promise<FileHandle | undefined> {
  try {
    // Looked at first: opening a pipe or a device may already do something.
    const before = await lstat(path)
    if (before.isSymbolicLink()) throw fileError('symbolic_link')
    if (!before.isFile()) throw fileError('not_regular')
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const isFile = await handle.stat().then(
      (found) => found.isFile(),
      (error: unknown) => closeAfter(handle, error),
    )
    return isFile ? handle : closeAfter(handle, fileError('not_regular'))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function closeAfter(handle: FileHandle, error: unknown): Promise<never> {
  await handle.close()
  throw error
}

/** A file may grow while it is read; not beyond the bound. */
async function readUpTo(handle: FileHandle, maxBytes: number, expected: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(expected + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
    length += bytesRead
    if (length > maxBytes) throw tooLarge(length, maxBytes)
    if (bytesRead === 0) return buffer.subarray(0, length)
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
  }
}

/** A new file with these bytes, on the disk when this returns. */
export async function writeNewFile(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const handle = await open(path, flags, mode ?? 0o666)
  try {
    if (mode !== undefined) await handle.chmod(mode)
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
