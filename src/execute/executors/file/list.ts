// Names what is in one folder; what is deleted is not in it.
import { lstat, opendir } from 'node:fs/promises'
import type { ExecutionContext } from '../../../contract/tool/tool.ts'
import type { JsonObject } from '../../../json/value.ts'
import { nothingThere } from './failure.ts'
import { readRelativePath } from './relative-path.ts'
import type { FileSettings } from './settings.ts'
import { atWork, partsAt } from './workplace.ts'

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
      // A name that no path could say is of no use to anybody.
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
