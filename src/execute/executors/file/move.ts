// Gives a file another name, and brings back what was deleted. Both are a link and then a removal: unlike a rename, a link never
// replaces what came to the new place meanwhile.
import { link, rm } from 'node:fs/promises'
import type { ExecutionContext } from '../../../contract/tool/tool.ts'
import { readPointer } from '../../../json/pointer.ts'
import type { JsonObject } from '../../../json/value.ts'
import { lastLook } from '../../last-look.ts'
import { asFileError, errnoOf, fileError } from './failure.ts'
import type { Folder } from './folder.ts'
import { readRelativePath } from './relative-path.ts'
import { holdVersion, sizeOf } from './remove.ts'
import type { FileSettings } from './settings.ts'
import { isTrashId, readNote } from './trash.ts'
import { atWork, partsAt } from './workplace.ts'

export function moveFileAt(settings: FileSettings, args: JsonObject, context: ExecutionContext): Promise<JsonObject> {
  const parts = partsAt(args, settings.path, settings)
  const target = partsAt(args, settings.to, settings)
  return atWork(settings, context.tenant, async (place) => {
    const from = await place.parentOf(parts)
    const bytes = await sizeOf(from.folder.at(from.name))
    await holdVersion(settings, args, from.folder.at(from.name))
    const to = await place.parentOf(target, settings.createFolders)
    lastLook(context)
    await rename(from, to)
    return { path: target.join('/'), from: parts.join('/'), bytes }
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
    const bytes = await sizeOf(trash.at(id))
    const to = await place.parentOf(target, true)
    lastLook(context)
    await rename({ folder: trash, name: id }, to)
    return { path: target.join('/'), bytes, trash_id: id }
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
  const note = isTrashId(id) ? await readNote(trash, id, tenant) : undefined
  if (note === undefined) return undefined
  if (readPointer(args, settings.path) !== undefined) return partsAt(args, settings.path, settings)
  const reading = readRelativePath(note.path, { hidden: settings.trash })
  return reading.ok ? reading.parts : undefined
}

interface Name {
  readonly folder: Folder
  readonly name: string
}

async function rename(from: Name, to: Name): Promise<void> {
  try {
    await link(from.folder.at(from.name), to.folder.at(to.name))
  } catch (error) {
    throw errnoOf(error) === 'EEXIST' ? fileError('exists') : asFileError(error, 'none')
  }
  try {
    await rm(from.folder.at(from.name))
    await Promise.all([from.folder.sync(), to.folder.sync()])
  } catch (error) {
    throw asFileError(error, 'unknown')
  }
}
