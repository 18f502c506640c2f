// Opens the ledger for its log, with the key that signs it.
import { join, resolve } from 'node:path'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { TransparencyLog } from '../../ledger/ports/transparency-log.ts'
import { type Given, misuse, type Outcome, text } from '../command.ts'
import { ledgerPlace } from '../ledger/ledger-place.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import type { Terminal } from '../terminal.ts'

/** Undefined where neither was one named nor does the ledger lie in a folder of its own. */
export function keyFileOf(given: Given, terminal: Terminal): string | undefined {
  const named = text(given, 'keyFile')
  if (named !== undefined) return resolve(terminal.folder, named)
  const place = ledgerPlace(given, terminal)
  return place.kind === 'embedded' ? join(place.dir, 'audit.key') : undefined
}

export async function withLog(
  given: Given,
  terminal: Terminal,
  use: (log: TransparencyLog, ledger: Ledger) => Promise<Outcome>,
): Promise<Outcome> {
  const keyFile = keyFileOf(given, terminal)
  // Nothing is put into the log behind our back: every action does it itself, where it belongs.
  const log = { sequence: false, ...(keyFile !== undefined && { keyFile }) }
  const opened = await openLedger(given, terminal, { make: false, log })
  if (!opened.ok) return opened.outcome
  const { ledger } = opened
  try {
    return ledger.log === undefined ? misuse('This ledger keeps no log.') : await use(ledger.log, ledger)
  } finally {
    await ledger.close()
  }
}
