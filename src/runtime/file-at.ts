// What stands at a path that a person named. That there is nothing is an answer. That one cannot look is an error, and never taken for nothing.
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Fault } from '../contract/fault.ts'

/** Undefined where nothing is. Throws a Fault where that cannot be told. */
export async function foundAt(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new Fault('bad_tool_file', `${path}: it cannot be looked at (${code}).`, { cause })
  }
}
