// The root as one call sees it: folders are opened below it, and all of them are closed when the call is done.
import { mkdir } from 'node:fs/promises'
import { sha256 } from '../../../json/hash.ts'
import { readPointer } from '../../../json/pointer.ts'
import type { JsonObject } from '../../../json/value.ts'
import { fileError, unlessThere } from './failure.ts'
import { type Folder, openBelow, openRoot } from './folder.ts'
import { readRelativePath } from './relative-path.ts'
import type { FileSettings } from './settings.ts'
import { openTrash } from './trash.ts'

export interface Workplace {
  /** The folder that holds the last part of a path, and that part. */
  parentOf(parts: readonly string[], create?: boolean): Promise<{ readonly folder: Folder; readonly name: string }>
  folder(parts: readonly string[]): Promise<Folder>
  trash(): Promise<Folder>
}

export async function atWork<T>(
  { root, tenantFolders, trash }: FileSettings,
  tenant: string,
  work: (place: Workplace) => Promise<T>,
): Promise<T> {
  const opened: Folder[] = []
  const held = (folder: Folder) => {
    opened.push(folder)
    return folder
  }
  try {
    let base = held(await openRoot(root))
    if (tenantFolders) base = held(await openTenant(base, folderNameOf(tenant)))
    return await work({
      async parentOf(parts, create = false) {
        const folder = held(await openBelow(base, parts.slice(0, -1), create))
        return { folder, name: parts.at(-1) ?? '.' }
      },
      folder: async (parts) => held(await openBelow(base, parts)),
      trash: async () => held(await openTrash(base, trash)),
    })
  } finally {
    // What was done is done, also where a folder that was only looked into does not close well.
    await Promise.allSettled(opened.map((folder) => folder.close()))
  }
}

async function openTenant(base: Folder, name: string): Promise<Folder> {
  await mkdir(base.at(name)).catch(unlessThere)
  return openBelow(base, [name])
}

/** A tenant whose name is not a plain folder name gets a hash for one: no other name leads to the same folder. */
function folderNameOf(tenant: string): string {
  return /^[a-z0-9][a-z0-9_-]{0,62}$/.test(tenant) ? tenant : `tenant.${sha256(tenant)}`
}

/** The parts of a path among the arguments; judged again here, although preflight has judged it. */
export function partsAt(args: JsonObject, pointer: string, settings: FileSettings): readonly string[] {
  const root = settings.operation === 'list'
  const reading = readRelativePath(readPointer(args, pointer), { hidden: settings.trash, root })
  if (reading.ok) return reading.parts
  throw fileError('path_refused', 'none', reading.message)
}
