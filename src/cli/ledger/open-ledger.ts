// Opens the ledger that a command works on, or says in a sentence why it cannot be opened.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Fault } from '../../contract/fault.ts'
import type { LogOptions } from '../../ledger/index.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { OutsideCheckpoint } from '../../ledger/ports/outside.ts'
import { available, type CommandIo, type CommandResult, missing, type Needed } from '../command.ts'
import { hideFromGit, type LedgerPlace, ledgerPlace } from './ledger-place.ts'

export interface LedgerUse {
  /** Reading does not make a ledger where there is none: that would only hide that the folder is the wrong one. */
  readonly make: boolean
  readonly log?: LogOptions
  readonly checkpoint?: OutsideCheckpoint
}

/** A command makes one call at a time, and sweeps beside it. */
const connections = 3

export async function openLedger(io: CommandIo, { make, log, checkpoint }: LedgerUse): Promise<Needed<Ledger>> {
  const options = { connections, make, ...(log && { log }), ...(checkpoint && { checkpoint }) }
  const place = ledgerPlace(io)
  try {
    switch (place.kind) {
      case 'unknown':
        return missing(`${place.shown} is neither a postgres:// URL nor a folder.`)
      case 'postgres': {
        const { postgres } = await import('../../ledger/postgres/postgres.ts')
        return available(await postgres(place.url, options))
      }
      case 'embedded': {
        if (!make && !existsSync(place.dir))
          return missing(`Nothing is on record here: there is no ledger in ${place.shown}.`, [
            'proviso call makes one.',
            '--ledger or PROVISO_LEDGER names another one.',
          ])
        if (place.isDefault) await hideFromGit(dirname(place.dir))
        const { embedded } = await import('../../ledger/embedded/embedded.ts')
        const stay = typeof io.options.stay === 'boolean' ? { stay: io.options.stay } : {}
        return available(await embedded({ dir: place.dir, ...options, make: true, ...stay }))
      }
    }
  } catch (error) {
    return unopened(error, place)
  }
}

/** Opens the ledger, lets `use` work with it, and closes it however that ends. */
export async function withLedger(
  io: CommandIo,
  use: (ledger: Ledger) => Promise<CommandResult>,
): Promise<CommandResult> {
  const opened = await openLedger(io, { make: false })
  if (!opened.ok) return opened.result
  try {
    return await use(opened.value)
  } finally {
    await opened.value.close()
  }
}

function unopened(error: unknown, place: LedgerPlace): Needed<Ledger> {
  if (error instanceof Fault) {
    if (error.code !== 'embedded_unavailable') throw error
    return missing(error.message, [
      'Or name a Postgres database: --ledger postgres://user@host/database, or PROVISO_LEDGER.',
      'proviso call --memory tries a call and keeps nothing.',
    ])
  }
  const reason = error instanceof Error ? connectionError(error) : 'unknown'
  return missing(`The ledger ${place.shown} cannot be opened: ${reason}`)
}

/** A connection that was tried at several addresses fails with all their errors and no message of its own. */
function connectionError(error: Error): string {
  if (error.message !== '') return error.message
  const [first] = error instanceof AggregateError ? error.errors : []
  return first instanceof Error ? first.message : error.name
}
