// The folder in the root where nothing is lost: what was deleted or replaced, with a note of who did it. The note is on the disk before
// the change is made, under a name that follows from the idempotency key; so a lost attempt can be judged from it.
import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import type { ToolContext } from '../../../contract/tool/executor.ts'
import { sha256 } from '../../../json/hash.ts'
import { readJson } from '../../../json/read.ts'
import { isObject } from '../../../json/value.ts'
import { nothingThere, unlessThere } from './failure.ts'
import { type Folder, openBelow } from './folder.ts'
import { type FileIdentity, readPlainFile, writeNewFile } from './plain-file.ts'

export interface TrashNote {
  readonly operation: string
  readonly path: string
  /** SHA-256 of the content before and after; null: no file, undefined: not looked at. */
  readonly before?: string | null | undefined
  readonly after?: string | undefined
  readonly bytes: number
  readonly tenant: string
  readonly user: string | undefined
  readonly call: string
}

export const noteOwner = ({ tenant, user, callId }: ToolContext) => ({ tenant, user, call: callId })

/** One name for everything that one operation leaves here. */
export function trashId(idempotencyKey: string | undefined): string {
  return sha256(idempotencyKey ?? randomBytes(16)).slice(0, 32)
}

export const isTrashId = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)

export async function openTrash(root: Folder, name: string): Promise<Folder> {
  await mkdir(root.at(name), 0o700)
    .then(() => root.sync())
    .catch(unlessThere)
  return openBelow(root, [name])
}

/** The note is in its place, and on the disk with everything that is written beside it, when this returns. */
export async function writeTrashNote(
  trash: Folder,
  id: string,
  note: TrashNote,
  beside: readonly Promise<void>[] = [],
): Promise<void> {
  const draft = trash.at(`${id}.json.new`)
  const bytes = Buffer.from(`${JSON.stringify(note, undefined, 2)}\n`)
  const drafted = rm(draft, { force: true }).then(() => writeNewFile(draft, bytes, 0o600))
  const written = await Promise.allSettled([drafted, ...beside])
  for (const one of written) if (one.status === 'rejected') throw one.reason
  await rename(draft, trash.at(`${id}.json`))
  await trash.sync()
}

const noteLimits = { maxBytes: 64 * 1024, hardLinks: 'accept' } as const

/** Undefined where there is none, or none of this tenant that can be read. */
export async function readTrashNote(trash: Folder, id: string, tenant: string): Promise<TrashNote | undefined> {
  const file = await readPlainFile(trash.at(`${id}.json`), noteLimits)
  if (file === undefined) return undefined
  const reading = readJson(file.bytes.toString('utf8'))
  if (!reading.ok || !isObject(reading.value)) return undefined
  const { operation, path, before, after, bytes, call, user, tenant: owner } = reading.value
  if (owner !== tenant || typeof path !== 'string' || typeof operation !== 'string') return undefined
  return {
    operation,
    path,
    ...(typeof before === 'string' || before === null ? { before } : {}),
    ...(typeof after === 'string' ? { after } : {}),
    bytes: typeof bytes === 'number' ? bytes : 0,
    tenant,
    user: typeof user === 'string' ? user : undefined,
    call: typeof call === 'string' ? call : '',
  }
}

/** How many names here lead to a file: an attempt that was lost between its last two steps leaves one behind. */
export async function namesHere(trash: Folder, { dev, ino }: FileIdentity): Promise<number> {
  const names = await readdir(trash.at('.'))
  const found = await Promise.all(names.map((name) => lstat(trash.at(name)).catch(nothingThere)))
  return found.filter((one) => one?.ino === ino && one.dev === dev).length
}
