// Reads the effect of a file tool back: the hash of what is there, or that it is gone and lies in the trash. Where an attempt was lost,
// its note tells the version it found from the one it wrote, so that "not done" is said only of a file that was not touched since.
import { lstat } from 'node:fs/promises'
import type { Verification, VerifierContext } from '../../../contract/tool/executor.ts'
import { sha256 } from '../../../json/hash.ts'
import { readPointer } from '../../../json/pointer.ts'
import type { JsonObject } from '../../../json/value.ts'
import { nothingThere } from './failure.ts'
import type { Folder } from './folder.ts'
import { restoredTo } from './move.ts'
import { readPlainFile } from './plain-file.ts'
import type { FileSettings } from './settings.ts'
import { readTrashNote, trashId } from './trash.ts'
import { atWork, partsAt, type Workplace } from './workplace.ts'

export function verifyFile(settings: FileSettings, args: JsonObject, context: VerifierContext): Promise<Verification> {
  return atWork(settings, context.tenant, async (place) => {
    const trash = await place.trash()
    const id = trashId(context.idempotencyKey)
    const look: Look = { settings, args, context, place, trash, id }
    switch (settings.operation) {
      case 'write':
      case 'append':
        return written(look)
      case 'delete':
        return removed(look)
      case 'move':
        return moved(look)
      case 'restore':
        return restored(look)
      case 'read':
      case 'list':
        return verified
    }
  })
}

interface Look {
  readonly settings: FileSettings
  readonly args: JsonObject
  readonly context: VerifierContext
  readonly place: Workplace
  readonly trash: Folder
  readonly id: string
}

const verified: Verification = { status: 'verified' }
const absent = (message: string): Verification => ({ status: 'absent', message })
const failed = (message: string): Verification => ({ status: 'failed', message })

async function written({ settings, args, context, place, trash, id }: Look): Promise<Verification> {
  const parts = partsAt(args, settings.path, settings)
  const note = await readTrashNote(trash, id, context.tenant)
  const file = await contentAt(place, parts, settings)
  const wanted = settings.operation === 'append' ? note?.after : wantedHash(args, settings)
  if (file === undefined) return absent('There is no such file.')
  if (file.hash === wanted) return verified
  // What others have added since does not undo what was added.
  if (settings.operation === 'append' && note !== undefined && sha256(file.bytes.subarray(0, note.bytes)) === wanted)
    return verified
  if (note === undefined) return absent('The file holds other content, and nothing was begun here.')
  return file.hash === note.before
    ? absent('The file is as it was before.')
    : failed('The file holds neither what was written nor what was there before.')
}

async function removed({ settings, args, place, trash, id }: Look): Promise<Verification> {
  if (await isThere(trash, id)) return verified
  const { folder, name } = await place.parentOf(partsAt(args, settings.path, settings))
  return (await isThere(folder, name))
    ? absent('The file is where it was.')
    : failed('The file is gone, and is not in the trash.')
}

async function moved({ settings, args, place }: Look): Promise<Verification> {
  const from = await identityAt(place, partsAt(args, settings.path, settings))
  const to = await identityAt(place, partsAt(args, settings.to, settings))
  if (from === undefined) return to === undefined ? failed('The file has neither name.') : verified
  if (from === to) return { status: 'partial', message: 'The file has the new name, and still the old one too.' }
  return absent('The file has its old name.')
}

async function restored({ settings, args, context, place, trash }: Look): Promise<Verification> {
  const target = await restoredTo(settings, args, trash, context.tenant)
  if (target === undefined) return failed('Nothing is known under this id.')
  if (await isThere(trash, String(readPointer(args, settings.id)))) return absent('It is still in the trash.')
  return (await identityAt(place, target)) === undefined ? failed('It is in neither place.') : verified
}

async function contentAt(place: Workplace, parts: readonly string[], { maxBytes }: FileSettings) {
  const parent = await place.parentOf(parts).catch(nothingThere)
  return parent && readPlainFile(parent.folder.at(parent.name), { maxBytes, hardLinks: 'accept' })
}

function wantedHash(args: JsonObject, { content, encoding }: FileSettings): string | undefined {
  const given = readPointer(args, content)
  return typeof given === 'string' ? sha256(Buffer.from(given, encoding)) : undefined
}

const isThere = async (folder: Folder, name: string) => (await statAt(folder, name)) !== undefined

const statAt = (folder: Folder, name: string) => lstat(folder.at(name), { bigint: true }).catch(nothingThere)

async function identityAt(place: Workplace, parts: readonly string[]): Promise<string | undefined> {
  const parent = await place.parentOf(parts).catch(nothingThere)
  const found = parent && (await statAt(parent.folder, parent.name))
  return found && `${found.dev}:${found.ino}`
}
