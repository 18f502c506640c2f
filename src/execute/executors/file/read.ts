// Reads one plain file whole, with the hash by which a later write names this version.
import type { ExecutionContext } from '../../../contract/tool/tool.ts'
import type { JsonObject } from '../../../json/value.ts'
import { fileError } from './failure.ts'
import { type FileIdentity, readPlainFile } from './plain-file.ts'
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
      content: settings.encoding === 'base64' ? file.bytes.toString('base64') : textOf(file.bytes),
    }
  })
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw fileError('not_text')
  }
}
