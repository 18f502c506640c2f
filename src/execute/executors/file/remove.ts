// Deletes softly: the file is renamed into the trash folder in one step, its note first. What is there can be restored.
import { lstat, rename } from 'node:fs/promises'
import type { ExecutionContext } from '../../../contract/tool/tool.ts'
import { readPointer } from '../../../json/pointer.ts'
import type { JsonObject } from '../../../json/value.ts'
import { lastLook } from '../../last-look.ts'
import { asFileError, fileError } from './failure.ts'
import { readPlainFile } from './plain-file.ts'
import type { FileSettings } from './settings.ts'
import { noteOwner, trashId, writeNote } from './trash.ts'
import { atWork, partsAt } from './workplace.ts'

export function removeFileAt(settings: FileSettings, args: JsonObject, context: ExecutionContext): Promise<JsonObject> {
  const parts = partsAt(args, settings.path, settings)
  return atWork(settings, context.tenant, async (place) => {
    const { folder, name } = await place.parentOf(parts)
    const size = await sizeOf(folder.at(name))
    await holdVersion(settings, args, folder.at(name))
    const trash = await place.trash()
    const id = trashId(context.idempotencyKey)
    await writeNote(trash, id, { operation: 'delete', path: parts.join('/'), bytes: size, ...noteOwner(context) })
    lastLook(context)
    await rename(folder.at(name), trash.at(id))
    await Promise.all([folder.sync(), trash.sync()]).catch((error: unknown) => {
      throw asFileError(error, 'unknown')
    })
    return { path: parts.join('/'), bytes: size, trash_id: id }
  })
}

/** How large a plain file is; anything else is refused. */
export async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) throw fileError('symbolic_link')
  if (!found.isFile()) throw fileError('not_regular')
  return found.size
}

/** Refuses another version than the one that the arguments name, where they name one. */
export async function holdVersion(settings: FileSettings, args: JsonObject, path: string): Promise<void> {
  const expected = settings.expect === undefined ? undefined : readPointer(args, settings.expect)
  if (expected === undefined || expected === null) return
  const file = await readPlainFile(path, { maxBytes: settings.maxBytes, hardLinks: 'accept' })
  if (file?.hash !== expected) throw fileError('changed')
}
