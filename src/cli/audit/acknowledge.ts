// `proviso audit acknowledge`: says what an older copy of a ledger lacks, and puts on record that a person has seen it. From then on the copy
// is written to again.
import { resolve } from 'node:path'
import { fileCheckpoint } from '../../ledger/files/file-checkpoint.ts'
import { olderCopy } from '../../ledger/ports/outside.ts'
import { type CommandIo, type CommandResult, misuse } from '../command.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { lineText } from '../plain-text.ts'
import { printResult } from '../print.ts'
import { keyFileOf } from './log.ts'

export async function acknowledgeMissing(io: CommandIo): Promise<CommandResult> {
  const [file] = io.optionList('checkpoint')
  if (file === undefined) return misuse('--checkpoint names the file that is kept outside of the ledger.')
  const keyFile = keyFileOf(io)
  const log = { sequence: false, ...(keyFile !== undefined && { keyFile }) }
  const opened = await openLedger(io, { make: false, log, checkpoint: fileCheckpoint(resolve(io.folder, file)) })
  if (!opened.ok) return opened.result
  const ledger = opened.value
  try {
    const missing = ledger.standing?.missing()
    if (missing === undefined)
      return printResult(io, { missing: null, acknowledged: false }, [
        'The ledger has all that was kept of it outside.',
      ])
    const [by, why] = [io.option('by'), io.option('why')]
    if (by === undefined || why === undefined) {
      const shown = [olderCopy(missing), '--by and --why say who has seen it, and how it came to be.']
      return printResult(io, { missing, acknowledged: false }, shown, false)
    }
    await ledger.standing?.acknowledge({ by, why })
    const lines = [
      olderCopy(missing).split(' Operations')[0] ?? '',
      `Acknowledged by ${lineText(by)}; it is on record.`,
    ]
    return printResult(io, { missing, acknowledged: true }, lines)
  } finally {
    await ledger.close()
  }
}
