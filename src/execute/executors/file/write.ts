// Writes a whole file so that a reader, and a crash, sees the old version or the new one and nothing between: into the trash folder,
// onto the disk, then under its name in one step. What was there before is kept beside its note. Appending is the same with the old
// content in front, because half-written bytes at the end of a file look like whole ones.
import { rm } from 'node:fs/promises'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import { sha256 } from '../../../json/hash.ts'
import { readPointer } from '../../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'
import { lastLook } from '../../attempt/may-act.ts'
import { asFileError, fileError } from './failure.ts'
import type { Folder } from './folder.ts'
import { whileLocked } from './lock.ts'
import { type FileIdentity, type PlainFile, readPlainFile, tooLarge, writeNewFile } from './plain-file.ts'
import type { FileSettings } from './settings.ts'
import { giveSecondName, takeName } from './step.ts'
import { namesHere, noteOwner, trashId, writeTrashNote } from './trash.ts'
import { atWork, partsAt } from './workplace.ts'

export function writeFileAt(settings: FileSettings, args: JsonObject, context: ExecutionContext): Promise<JsonObject> {
  const { operation, maxBytes, encoding, createFolders } = settings
  const parts = partsAt(args, settings.path, settings)
  const given = contentOf(readPointer(args, settings.content), encoding)
  return atWork(settings, context.tenant, async (place) => {
    const { folder, name } = await place.parentOf(parts, createFolders)
    const trash = await place.trash()
    return whileLocked([folder], context.signal, async () => {
      const ownNames = (found: FileIdentity) => namesHere(trash, found)
      // A version that is replaced is not shown; one that is added to is.
      const hardLinks = operation === 'append' ? ownNames : 'accept'
      const before = await readPlainFile(folder.at(name), { maxBytes, hardLinks })
      checkBefore(settings, before, settings.expect === undefined ? undefined : readPointer(args, settings.expect))
      const content = operation === 'append' && before !== undefined ? Buffer.concat([before.bytes, given]) : given
      if (content.length > maxBytes) throw tooLarge(content.length, maxBytes)
      const id = trashId(context.idempotencyKey)
      const after = sha256(content)
      const draft = trash.at(`${id}.new`)
      const drafted = writeOver(draft, content, before?.mode)
      if (operation === 'write' && settings.mode === 'create') await drafted
      else {
        const old =
          before === undefined || operation === 'append' ? [] : [writeOver(trash.at(id), before.bytes, before.mode)]
        const hashes = { before: before?.hash ?? null, after }
        const note = { operation, path: parts.join('/'), ...hashes, bytes: content.length, ...noteOwner(context) }
        await writeTrashNote(trash, id, note, [drafted, ...old])
      }
      lastLook(context)
      await takePlace(draft, folder, name, before === undefined)
      const replaced = before === undefined ? {} : { replaced: before.hash }
      return { path: parts.join('/'), bytes: content.length, sha256: after, ...replaced }
    })
  })
}

function checkBefore(
  { operation, mode }: FileSettings,
  before: PlainFile | undefined,
  expected: JsonValue | undefined,
): void {
  if (operation === 'write' && mode === 'create' && before !== undefined) throw fileError('exists')
  if (operation === 'write' && mode === 'replace') {
    if (before === undefined) throw fileError('not_found')
    if (expected !== before.hash) throw fileError('changed')
  }
  if (expected !== undefined && expected !== null && expected !== before?.hash) throw fileError('changed')
}

/** Also where a lost attempt of the same operation has left something under the name. */
async function writeOver(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  await rm(path, { force: true })
  await writeNewFile(path, bytes, mode)
}

/** One step, and the only one that changes anything. A new file is linked, because a link never replaces what came meanwhile. */
async function takePlace(draft: string, folder: Folder, name: string, isNew: boolean): Promise<void> {
  await (isNew ? giveSecondName : takeName)(draft, folder.at(name))
  try {
    if (isNew) await rm(draft)
    await folder.sync()
  } catch (error) {
    throw asFileError(error, 'unknown')
  }
}

function contentOf(value: JsonValue | undefined, encoding: 'utf8' | 'base64'): Buffer {
  if (typeof value !== 'string') throw fileError('bad_content')
  if (encoding === 'utf8') return Buffer.from(value, 'utf8')
  const bytes = Buffer.from(value, 'base64')
  // Node skips characters that are not base64; the caller may have meant them as content.
  if (bytes.toString('base64') !== value) throw fileError('bad_content')
  return bytes
}
