// The outside checkpoint in a file: on another disk than the database, or it is brought back from a backup together with it.
import { Fault } from '../../contract/fault.ts'
import type { OutsideCheckpoint } from '../ports/outside.ts'
import { makeFolderOf, readWhole, replaceWhole } from './private-file.ts'

/** A file that does not exist yet is made with the first opening. */
export function fileCheckpoint(file: string): OutsideCheckpoint {
  let folder: Promise<void> | undefined
  return {
    async read() {
      const reading = await readWhole(file, { secret: false })
      if (reading.kind === 'refused') throw new Fault('bad_options', `The checkpoint: ${reading.reason}`)
      return reading.kind === 'absent' ? undefined : reading.text
    },
    async write(text) {
      folder ??= makeFolderOf(file)
      await folder
      await replaceWhole(file, text, 0o600)
    },
  }
}
