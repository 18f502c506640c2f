// Reads one plain file whole, with the hash by which a later write names this version, or names what is in one folder.

import { lstat, opendir } from 'node:fs/promises'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import type { JsonObject } from '../../../json/value.ts'
import { fileError, nothingThere } from './failure.ts'
import { type FileIdentity, readPlainFile } from './plain-file.ts'
import { readRelativePath } from './relative-path.ts'
import type { FileSettings } from './settings.ts'
import { namesHere } from './trash.ts'
import { atWork, partsAt } from './workplace.ts'

export function readFileAt(
  settings: FileSettings,
  args: JsonObject,
  { tenant }: ExecutionContext,
): Promise<JsonObject> {
  const parts = partsAt(args, settings.path, settings)
  return atWork(settings, tenant, async (place) => {
    const { folder, name } = await place.parentOf(parts)
    const hardLinks = async (found: FileIdentity) => namesHere(await place.trash(), found)
    const file = await readPlainFile(folder.at(name), { maxBytes: settings.maxBytes, hardLinks })
    if (file === undefined) throw fileError('not_found')
    return {
      path: parts.join('/'),
      bytes: file.bytes.length,
      sha256: file.hash,
      modified: new Date(file.modifiedMs).toISOString(),
      content: settings.encoding === 'base64' ? file.bytes.toString('base64') : utf8Text(file.bytes),
    }
  })
}

function utf8Text(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw fileError('not_text')
  }
}

export function listFolderAt(
  settings: FileSettings,
  args: JsonObject,
  { tenant }: ExecutionContext,
): Promise<JsonObject> {
  const parts = partsAt(args, settings.path, settings)
  return atWork(settings, tenant, async (place) => {
    const folder = await place.folder(parts)
    const names: string[] = []
    let truncated = false
    for await (const { name } of await opendir(folder.at('.'))) {
      // A name that cannot stand in a path cannot be used either.
      const reading = readRelativePath([...parts, name].join('/'), { hidden: settings.trash })
      if (!reading.ok) continue
      truncated = names.length === settings.maxEntries
      if (truncated) break
      names.push(name)
    }
    const entries = await Promise.all(names.sort().map((name) => entryOf(folder.at(name), name)))
    return { path: parts.join('/') || '.', entries, truncated }
  })
}

async function entryOf(path: string, name: string): Promise<JsonObject> {
  const found = await lstat(path).catch(nothingThere)
  if (found === undefined) return { name, kind: 'gone' }
  if (found.isFile()) return { name, kind: 'file', bytes: found.size, modified: found.mtime.toISOString() }
  return { name, kind: found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other' }
}
