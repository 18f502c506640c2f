// Gives a file another name, deletes it softly, and brings back what was deleted. A new name is a link and then a removal: unlike a rename,
// a link never replaces a file that came to the new place meanwhile. Deleting is one rename into the trash folder, after its note.
import { lstat, rm } from 'node:fs/promises'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import { readPointer } from '../../../json/pointer.ts'
import type { JsonObject } from '../../../json/value.ts'
import { lastLook } from '../../attempt/may-act.ts'
import { asFileError, fileError } from './failure.ts'
import type { Folder } from './folder.ts'
import { whileLocked } from './lock.ts'
import { readPlainFile } from './plain-file.ts'
import { readRelativePath } from './relative-path.ts'
import type { FileSettings } from './settings.ts'
import { giveSecondName, takeName } from './step.ts'
import { isTrashId, noteOwner, readTrashNote, trashId, writeTrashNote } from './trash.ts'
import { atWork, partsAt } from './workplace.ts'

export function moveFileAt(settings: FileSettings, args: JsonObject, context: ExecutionContext): Promise<JsonObject> {
  const parts = partsAt(args, settings.path, settings)
  const target = partsAt(args, settings.to, settings)
  return atWork(settings, context.tenant, async (place) => {
    const from = await place.parentOf(parts)
    // Before any folder is made for it.
    await sizeOf(from.folder.at(from.name))
    const to = await place.parentOf(target, settings.createFolders)
    return whileLocked([from.folder, to.folder], context.signal, async () => {
      const bytes = await sizeOf(from.folder.at(from.name))
      await holdVersion(settings, args, from.folder.at(from.name))
      lastLook(context)
      await giveName(from, to)
      return { path: target.join('/'), from: parts.join('/'), bytes }
    })
  })
}

export function restoreFileAt(
  settings: FileSettings,
  args: JsonObject,
  context: ExecutionContext,
): Promise<JsonObject> {
  const id = readPointer(args, settings.id)
  if (!isTrashId(id)) throw fileError('not_found')
  return atWork(settings, context.tenant, async (place) => {
    const trash = await place.trash()
    const target = await restoredTo(settings, args, trash, context.tenant)
    if (target === undefined) throw fileError('not_found')
    await sizeOf(trash.at(id))
    const to = await place.parentOf(target, true)
    return whileLocked([trash, to.folder], context.signal, async () => {
      const bytes = await sizeOf(trash.at(id))
      lastLook(context)
      await giveName({ folder: trash, name: id }, to)
      return { path: target.join('/'), bytes, trash_id: id }
    })
  })
}

/** Where the arguments say, else where it was; undefined where nothing of this tenant is known by the id. */
export async function restoredTo(
  settings: FileSettings,
  args: JsonObject,
  trash: Folder,
  tenant: string,
): Promise<readonly string[] | undefined> {
  const id = readPointer(args, settings.id)
  const note = isTrashId(id) ? await readTrashNote(trash, id, tenant) : undefined
  if (note === undefined) return undefined
  if (readPointer(args, settings.path) !== undefined) return partsAt(args, settings.path, settings)
  const reading = readRelativePath(note.path, { hidden: settings.trash })
  return reading.ok ? reading.parts : undefined
}

interface Name {
  readonly folder: Folder
  readonly name: string
}

async function giveName(from: Name, to: Name): Promise<void> {
  await giveSecondName(from.folder.at(from.name), to.folder.at(to.name))
  try {
    await rm(from.folder.at(from.name))
    await Promise.all([from.folder.sync(), to.folder.sync()])
  } catch (error) {
    throw asFileError(error, 'unknown')
  }
}

export function removeFileAt(settings: FileSettings, args: JsonObject, context: ExecutionContext): Promise<JsonObject> {
  const parts = partsAt(args, settings.path, settings)
  return atWork(settings, context.tenant, async (place) => {
    const { folder, name } = await place.parentOf(parts)
    const trash = await place.trash()
    return whileLocked([folder], context.signal, async () => {
      const size = await sizeOf(folder.at(name))
      await holdVersion(settings, args, folder.at(name))
      const id = trashId(context.idempotencyKey)
      await writeTrashNote(trash, id, {
        operation: 'delete',
        path: parts.join('/'),
        bytes: size,
        ...noteOwner(context),
      })
      lastLook(context)
      await takeName(folder.at(name), trash.at(id))
      await Promise.all([folder.sync(), trash.sync()]).catch((error: unknown) => {
        throw asFileError(error, 'unknown')
      })
      return { path: parts.join('/'), bytes: size, trash_id: id }
    })
  })
}

/** How large a plain file is; anything else is refused. */
async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) throw fileError('symbolic_link')
  if (!found.isFile()) throw fileError('not_regular')
  return found.size
}

/** Refuses another version than the one that the arguments name, where they name one. */
async function holdVersion(settings: FileSettings, args: JsonObject, path: string): Promise<void> {
  const expected = settings.expect === undefined ? undefined : readPointer(args, settings.expect)
  if (expected === undefined || expected === null) return
  const file = await readPlainFile(path, { maxBytes: settings.maxBytes, hardLinks: 'accept' })
  if (file?.hash !== expected) throw fileError('changed')
}
